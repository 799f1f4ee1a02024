// What Slurm's commands print: sbatch's answer, the queue, the accounting, nodes and partitions.
#include "fuzz.h"
#include "sbatch_wrapper/cluster_nodes.h"
#include "sbatch_wrapper/queue.h"
#include "sbatch_wrapper/slurm_client.h"

namespace compute_scale::fuzz {
namespace {

void check_answer(std::string_view text) {
  const auto job = parse_sbatch_answer(text);
  if (!good(job)) return;
  require(parse_digits(job->id).has_value(), "a job's id is a number", job->id);
  require(job->cluster.find_first_of(" \t\n;") == std::string::npos, "a cluster is one word",
          job->cluster);
}

void check_jobs(const std::vector<QueueJob>& jobs) {
  for (const QueueJob& job : jobs) {
    require(parse_digits(job.id).has_value(), "a job's id is a number", job.id);
    require(job.elapsed_seconds >= 0 && job.gpus >= 0 && job.restarts >= 0, "counts are counts");
    phase_of(job.state);
  }
}

}  // namespace
}  // namespace compute_scale::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace compute_scale;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::check_answer(text);
  fuzz::check_jobs(parse_squeue(text));
  fuzz::check_jobs(parse_sacct(text));
  for (const ClusterNode& node : parse_nodes(text)) {
    fuzz::require(!node.name.empty() && node.gpus >= 0 && node.shards >= 0, "a node has counts");
  }
  for (const ClusterPartition& partition : parse_partitions(text)) {
    fuzz::require(!partition.name.empty(), "a partition has a name");
  }
  return 0;
}
