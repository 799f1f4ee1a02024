#include "local_files.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "run_layout.h"
#include "text.h"

namespace compute_scale {
namespace {

Error cannot(const char* what, const std::string& file) {
  return submit_error(file + ": cannot be " + what + ": " + std::strerror(errno));
}

bool write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = ::write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

}  // namespace

LocalFiles::LocalFiles(const Plan& plan, const RunSettings& settings)
    : plan_(plan), base_(settings.run_dir + "/") {
  utsname names = {};
  if (uname(&names) == 0) node_ = names.nodename;
  const char* job = std::getenv("SLURM_JOB_ID");
  job_id_ = job == nullptr ? "" : job;
}

LocalFiles::~LocalFiles() {
  if (wrote_) unlink(path_of("results/.new").c_str());
}

Result<std::optional<StepRecord>> LocalFiles::load(std::size_t step) const {
  return load_step_record(path_of(step_result_path(plan_, plan_.steps[step])));
}

StepRecord LocalFiles::begin(std::size_t step, const std::string& devices, std::int64_t attempt) {
  const PlanEntry& entry = plan_.entries[plan_.steps[step].entry];
  StepRecord record;
  record.step = entry_name(plan_, plan_.steps[step]);
  record.seed = plan_.steps[step].seed;
  record.base_compute = entry.base_compute.to_string();
  record.compute = entry.entry.compute.to_string();
  record.compute_scale = plan_.scale.factor.to_string();
  record.devices = devices;
  record.attempt = attempt;
  record.job_id = job_id_;
  record.node = node_;
  record.started = utc_now();
  return record;
}

Status LocalFiles::write(std::size_t step, StepRecord& record) {
  record.written = utc_now();
  const std::string file = path_of(step_result_path(plan_, plan_.steps[step]));
  const std::string fresh = path_of("results/.new");
  wrote_ = true;
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return cannot("written", file);
  const bool is_written = write_all(fd, step_record_json(record));
  if (close(fd) != 0 || !is_written) return cannot("written", file);
  // The old record's file is the next one's fresh file: where thousands of steps end in a second,
  // removing files costs more than all the rest (ext4 looks for an inode that was not just freed).
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, file.c_str(), RENAME_EXCHANGE) == 0)
    return Done{};
  if (rename(fresh.c_str(), file.c_str()) != 0) return cannot("written", file);
  return Done{};
}

Result<int> LocalFiles::open_log(std::size_t step, const StepRecord& record) const {
  const std::string file = log_path(step);
  const int fd = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return cannot("opened", file);
  const std::string line =
      "compute-scale: " + printable(record.step, record.step.size()) + " seed " +
      std::to_string(record.seed) + ": attempt " + std::to_string(record.attempt) + ", job " +
      (job_id_.empty() ? "none" : job_id_) + " on " + node_ + ", " + record.started + "\n";
  if (write_all(fd, line)) return fd;
  const Error error = cannot("written", file);
  close(fd);
  return error;
}

Status LocalFiles::make_folder(const std::string& folder) {
  if (made_.count(folder) > 0) return Done{};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return submit_error(folder + ": cannot be made: " + error.message());
  made_.insert(folder);
  return Done{};
}

std::string LocalFiles::log_path(std::size_t step) const {
  return path_of(step_log_path(plan_, plan_.steps[step]));
}

const std::string& LocalFiles::utc_now() {
  const std::time_t now = std::time(nullptr);
  if (now == utc_time_) return utc_text_;
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  utc_time_ = now;
  return utc_text_ = text;
}

}  // namespace compute_scale
