#include "journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "doc_value.h"
#include "read_file.h"

namespace compute_scale {
namespace {

using Json = nlohmann::ordered_json;

Json line_of(const char* event, const std::string& name) {
  Json line;
  line["event"] = event;
  line["name"] = name;
  line["time"] = static_cast<std::int64_t>(std::time(nullptr));
  return line;
}

std::string text_of(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json members_json(const SubmissionCall& call) {
  Json out = Json::array();
  for (const SubmissionCall::Member& member : call.members) {
    Json json;
    json["job"] = member.job;
    if (member.index) json["index"] = *member.index;
    out.push_back(std::move(json));
  }
  return out;
}

Error cannot(const std::string& file, const char* what) {
  return submit_error(file + ": cannot be " + what + ": " + std::strerror(errno));
}

}  // namespace

Journal::~Journal() {
  if (fd_ >= 0) close(fd_);
}

Status Journal::open(const std::string& file) {
  file_ = file;
  fd_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) return cannot(file_, "opened");
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return submit_error(file_ + ": another sbatch-tasks is submitting this run");
  }
  return cut_torn_line();
}

Status Journal::cut_torn_line() {
  COMPUTE_SCALE_TRY(text, read_text_file(file_, kMostRecorded));
  const std::size_t end = text.rfind('\n') + 1;  // npos + 1 is 0
  if (end == text.size()) return Done{};
  if (parse_json(text.substr(end), file_).ok()) return write("\n");
  if (ftruncate(fd_, static_cast<off_t>(end)) != 0) return cannot(file_, "written");
  return Done{};
}

Status Journal::begin(const SubmissionCall& call) {
  Json line = line_of("begin", call.name);
  line["number"] = call.number;
  line["jobs"] = members_json(call);
  line["argv"] = call.argv;
  return write(text_of(line));
}

Status Journal::submitted(const std::string& name, const JobId& job, bool found) {
  Json line = line_of("submitted", name);
  line["id"] = job.id;
  if (!job.cluster.empty()) line["cluster"] = job.cluster;
  if (found) line["found"] = true;
  return write(text_of(line));
}

Status Journal::failed(const std::string& name, const std::string& reason) {
  Json line = line_of("failed", name);
  line["reason"] = reason;
  return write(text_of(line));
}

Status Journal::unclear(const std::string& name, const std::string& reason) {
  Json line = line_of("unclear", name);
  line["reason"] = reason;
  return write(text_of(line));
}

Status Journal::cancelled(const std::vector<std::string>& jobs) {
  std::string lines;
  for (const std::string& job : jobs) lines += text_of(line_of("cancelled", job));
  COMPUTE_SCALE_CHECK(write(lines));
  return sync();
}

Status Journal::write(const std::string& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t size = ::write(fd_, line.data() + done, line.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return cannot(file_, "written");
    done += static_cast<std::size_t>(size);
  }
  return Done{};
}

Status Journal::sync() {
  if (fsync(fd_) != 0) return cannot(file_, "written");
  return Done{};
}

}  // namespace compute_scale
