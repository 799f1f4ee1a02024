#include "journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

namespace compute_scale {
namespace {

using Json = nlohmann::ordered_json;

Json line_of(const char* event, const std::string& slurm_name) {
  Json line;
  line["event"] = event;
  line["job"] = slurm_name;
  line["time"] = static_cast<std::int64_t>(std::time(nullptr));
  return line;
}

std::string text_of(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Journal::~Journal() {
  if (fd_ >= 0) close(fd_);
}

Status Journal::open(const std::string& file) {
  file_ = file;
  fd_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) return submit_error(file_ + ": cannot be opened: " + std::strerror(errno));
  return Done{};
}

Status Journal::begin(const std::string& slurm_name, const std::vector<std::string>& argv) {
  Json line = line_of("begin", slurm_name);
  line["argv"] = argv;
  return write(text_of(line));
}

Status Journal::submitted(const std::string& slurm_name, const JobId& job) {
  Json line = line_of("submitted", slurm_name);
  line["id"] = job.id;
  if (!job.cluster.empty()) line["cluster"] = job.cluster;
  return write(text_of(line));
}

Status Journal::failed(const std::string& slurm_name, const std::string& reason) {
  Json line = line_of("failed", slurm_name);
  line["reason"] = reason;
  return write(text_of(line));
}

Status Journal::write(const std::string& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t size = ::write(fd_, line.data() + done, line.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return submit_error(file_ + ": cannot be written: " + std::strerror(errno));
    done += static_cast<std::size_t>(size);
  }
  if (fsync(fd_) != 0) return submit_error(file_ + ": cannot be written: " + std::strerror(errno));
  return Done{};
}

}  // namespace compute_scale
