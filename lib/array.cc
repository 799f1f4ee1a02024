#include "array.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "directives.h"
#include "text.h"

namespace compute_scale {
namespace {

using Reference = ArraySubmission::Reference;

// Indices are listed in one argument, which the kernel limits (128 KiB), and in the script.
constexpr std::size_t kMostElements = 10000;

bool order(const Reference& a, const Reference& b) {
  return std::tie(a.submission, a.id, a.index) < std::tie(b.submission, b.id, b.index);
}

void sort_unique(std::vector<Reference>& references) {
  std::sort(references.begin(), references.end(), order);
  references.erase(std::unique(references.begin(), references.end()), references.end());
}

std::string key_of(const Reference& reference) {
  return (reference.submission ? "#" + std::to_string(*reference.submission) : reference.id) +
         (reference.index ? "_" + std::to_string(*reference.index) : "");
}

// Puts each job into the call of those that look and wait alike.
class Grouping {
 public:
  Grouping(const std::vector<ArrayJob>& jobs, const ArrayOptions& options)
      : jobs_(jobs), options_(options) {}

  std::vector<ArraySubmission> group() {
    for (std::size_t job = 0; job < jobs_.size(); ++job) add(job);
    for (ArraySubmission& call : calls_) finish(call);
    return std::move(calls_);
  }

 private:
  struct Place {
    std::size_t call = 0;
    std::int64_t index = 0;
  };
  using Key = std::tuple<std::vector<std::string>, std::string, std::size_t>;

  void add(std::size_t job) {
    const std::int64_t most = std::max<std::int64_t>(options_.max_array_size, 1);
    const std::int64_t index = jobs_[job].chain % most;
    std::vector<std::string> directives = shared_directives(jobs_[job].directives);
    const std::string waits = waits_text(jobs_[job], index);
    // Another call of the same kind where the index is taken: by a chain that lies MaxArraySize
    // away, or by another job of the chain and stage.
    for (std::size_t slot = 0;; ++slot) {
      const auto [known, is_new] = known_.try_emplace({directives, waits, slot}, calls_.size());
      if (is_new) {
        calls_.emplace_back();
        indices_.emplace_back();
        calls_.back().directives = directives;
      }
      const bool full =
          options_.max_array_size < 2 ? !is_new : indices_[known->second].size() >= kMostElements;
      if (full || !indices_[known->second].insert(index).second) continue;
      calls_[known->second].members.push_back({job, index});
      places_.push_back({known->second, index});
      return;
    }
  }

  bool corresponds(const ArrayJob& job, std::int64_t index) const {
    return std::all_of(job.after.begin(), job.after.end(),
                       [&](std::size_t before) { return places_[before].index == index; }) &&
           std::all_of(job.after_queued.begin(), job.after_queued.end(),
                       [&](const QueuedJob& queued) { return queued.index == index; });
  }

  // What the job waits for; of a whole array where its own index is meant.
  std::vector<Reference> references(const ArrayJob& job, bool whole) const {
    std::vector<Reference> out;
    for (const std::size_t before : job.after) {
      const Place& place = places_[before];
      out.push_back({place.call, "", whole ? std::nullopt : std::optional(place.index)});
    }
    for (const QueuedJob& queued : job.after_queued) {
      out.push_back({std::nullopt, queued.id, whole ? std::nullopt : queued.index});
    }
    sort_unique(out);
    return out;
  }

  std::string waits_text(const ArrayJob& job, std::int64_t index) const {
    const bool corresponding = corresponds(job, index);
    std::string out = corresponding ? "same index" : "exactly";
    for (const Reference& reference : references(job, corresponding))
      out += " " + key_of(reference);
    return out;
  }

  void finish(ArraySubmission& call) const {
    std::sort(call.members.begin(), call.members.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    const ArrayJob& job = jobs_[call.members.front().job];
    if (call.is_array() && corresponds(job, call.members.front().index)) {
      call.corresponding = references(job, true);
      return;
    }
    call.succeeded = references(job, false);
    for (Reference& reference : call.succeeded) {
      if (reference.submission && !calls_[*reference.submission].is_array())
        reference.index.reset();
    }
  }

  const std::vector<ArrayJob>& jobs_;
  const ArrayOptions& options_;
  std::vector<ArraySubmission> calls_;
  std::vector<std::set<std::int64_t>> indices_;  // of each call
  std::vector<Place> places_;                    // of each job
  std::map<Key, std::size_t> known_;
};

// Shares `most` out to lanes of calls.
class Limiter {
 public:
  Limiter(std::vector<ArraySubmission>& calls, int most)
      : calls_(calls), lanes_(std::min<std::size_t>(calls.size(), static_cast<std::size_t>(most))) {
    for (std::size_t call = 0; call < calls.size(); ++call) add(call);
    for (int share = static_cast<int>(lanes_.size()); share < most; ++share) raise_one();
  }

  void apply(const std::vector<std::string>& still_there) {
    for (const Lane& lane : lanes_) {
      for (std::size_t i = 0; i < lane.calls.size(); ++i) {
        ArraySubmission& call = calls_[lane.calls[i]];
        if (static_cast<int>(call.members.size()) > lane.share) call.most_running = lane.share;
        if (i > 0) call.ended.push_back({lane.calls[i - 1], "", std::nullopt});
        if (i > 0) continue;
        for (const std::string& id : still_there) {
          call.ended.push_back({std::nullopt, id, std::nullopt});
        }
      }
    }
  }

 private:
  struct Lane {
    std::vector<std::size_t> calls;
    std::size_t jobs = 0;
    std::size_t largest = 0;  // call
    int share = 1;
  };

  void add(std::size_t call) {
    const std::size_t size = calls_[call].members.size();
    const auto lane = std::min_element(
        lanes_.begin(), lanes_.end(), [](const Lane& a, const Lane& b) { return a.jobs < b.jobs; });
    lane->calls.push_back(call);
    lane->jobs += size;
    lane->largest = std::max(lane->largest, size);
  }

  // One more for the lane whose largest call has the most elements for its share.
  void raise_one() {
    const auto lane =
        std::max_element(lanes_.begin(), lanes_.end(), [](const Lane& a, const Lane& b) {
          return a.largest * static_cast<std::size_t>(b.share) <
                 b.largest * static_cast<std::size_t>(a.share);
        });
    if (lane != lanes_.end()) ++lane->share;
  }

  std::vector<ArraySubmission>& calls_;
  std::vector<Lane> lanes_;
};

void add_terms(std::string& text, const char* type, const std::vector<Reference>& references,
               const std::vector<std::string>& ids) {
  if (references.empty()) return;
  text += (text.empty() ? "" : ",") + std::string(type);
  for (const Reference& reference : references) {
    text += ":" + (reference.submission ? ids[*reference.submission] : reference.id);
    if (reference.index) text += "_" + std::to_string(*reference.index);
  }
}

}  // namespace

std::vector<ArraySubmission> array_submissions(const std::vector<ArrayJob>& jobs,
                                               const ArrayOptions& options) {
  std::vector<ArraySubmission> calls = Grouping(jobs, options).group();
  if (options.max_running) Limiter(calls, *options.max_running).apply(options.still_there);
  return calls;
}

std::string array_indices(const ArraySubmission& submission) {
  const auto& members = submission.members;
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < members.size();) {
    std::size_t last = i;
    while (last + 1 < members.size() && members[last + 1].index == members[last].index + 1) ++last;
    std::string range = std::to_string(members[i].index);
    if (last > i) range += (last > i + 1 ? "-" : ",") + std::to_string(members[last].index);
    ranges.push_back(std::move(range));
    i = last + 1;
  }
  const std::string limit =
      submission.most_running > 0 ? "%" + std::to_string(submission.most_running) : "";
  return join(ranges, ",") + limit;
}

std::string dependency_text(const ArraySubmission& submission,
                            const std::vector<std::string>& ids) {
  std::string text;
  add_terms(text, "aftercorr", submission.corresponding, ids);
  add_terms(text, "afterok", submission.succeeded, ids);
  add_terms(text, "afterany", submission.ended, ids);
  return text;
}

}  // namespace compute_scale
