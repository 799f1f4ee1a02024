#include "doctor_probe.h"

#include "payload.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr std::string_view kMark = "compute-scale-doctor";

// Prints one line, so that those of several nodes do not mix: the mark, the node, the entry that
// the plugin has set, and a field for each argument.
constexpr char kScript[] = R"sh(
look_at_file() {
  if [ ! -e "$1" ]; then echo 'is missing'
  elif [ ! -f "$1" ] || [ ! -r "$1" ]; then echo 'cannot be read'
  else echo "ok $(cksum <"$1")"; fi
}
look_at_object() {
  local state told
  state=$(look_at_file "$1")
  case $state in
    ok*) if told=$({ LD_PRELOAD=$1 /bin/true; } 2>&1) && [ -z "$told" ]; then echo "$state"
         else echo "cannot be loaded: ${told:-it is not whole}"; fi ;;
    *) echo "$state" ;;
  esac
}
# look_in FOLDER FILE...: those of the files that are there must be readable.
look_in() {
  local folder=$1 file count=0
  shift
  if [ ! -d "$folder" ]; then echo 'is missing'; return; fi
  if [ ! -r "$folder" ] || [ ! -x "$folder" ]; then echo 'cannot be read'; return; fi
  for file; do
    [ -e "$file" ] || continue
    if [ ! -r "$file" ]; then echo "cannot be read: $file"; return; fi
    count=$((count + 1))
  done
  echo "ok $count"
}
line="compute-scale-doctor|${SLURMD_NODENAME:-$(uname -n)}|${SLURM_COMPUTE_ENTRY-}"
for item; do
  what=${item#*:}
  case $item in
    object:*) state=$(look_at_object "$what") ;;
    file:*) state=$(look_at_file "$what") ;;
    tasks:*) state=$(look_in "$what" "$what"/*/config.json) ;;
    packages:*) state=$(look_in "$what" "$what"/*.json "$what"/*/config.json) ;;
    program:*) if command -v "$what" >/dev/null; then state=ok; else state='is missing'; fi ;;
  esac
  line="$line|$(printf '%s' "$state" | tr '|\n' '  ')"
done
printf '%s\n' "$line"
)sh";

std::string argument(const ProbeItem& item) {
  switch (item.kind) {
    case ProbeItem::Kind::kObject:
      return "object:" + item.what;
    case ProbeItem::Kind::kFile:
      return "file:" + item.what;
    case ProbeItem::Kind::kTasks:
      return "tasks:" + item.what;
    case ProbeItem::Kind::kPackages:
      return "packages:" + item.what;
    case ProbeItem::Kind::kProgram:
      break;
  }
  return "program:" + item.what;
}

// ld.so's "ERROR: ld.so: object '…' from LD_PRELOAD cannot be preloaded (REASON): ignored."
std::string without_loader_words(const std::string& text) {
  const std::string begin = "cannot be preloaded (";
  const std::size_t reason = text.find(begin);
  const std::size_t end = text.find("): ignored");
  if (reason == std::string::npos || end == std::string::npos || end < reason) return text;
  return "cannot be loaded: " + text.substr(reason + begin.size(), end - reason - begin.size());
}

ProbeAnswer answer_of(std::string_view field) {
  const bool ok = field == "ok" || starts_with(field, "ok ");
  if (ok) return {true, std::string(trim(field.substr(2)))};
  return {false, printable(without_loader_words(std::string(field)), 300)};
}

}  // namespace

std::vector<std::string> probe_command(const std::vector<ProbeItem>& items) {
  std::vector<std::string> argv = {"sh", "-c", kScript, "sh"};
  for (const ProbeItem& item : items) argv.push_back(argument(item));
  return argv;
}

// As sbatch --export-file passes a job's payload on: the plugin of the node takes it from here, and
// that of the submitting host leaves it alone.
std::string probe_variable() {
  const auto payload = encode_wire({{"scale", "1"}, {"entry", std::string(kMark)}});
  return "SLURM_SPANK_COMPUTE_SCALE_PAYLOAD=" + (payload.ok() ? *payload : "");
}

std::vector<HostAnswer> parse_probe(std::string_view output, const std::vector<ProbeItem>& items) {
  std::vector<HostAnswer> out;
  for (const std::string_view line : split(output, '\n')) {
    const std::vector<std::string_view> fields = split(line, '|');
    if (fields.size() != items.size() + 3 || fields[0] != kMark) continue;
    HostAnswer host{std::string(fields[1]), fields[2] == kMark, {}};
    for (std::size_t i = 3; i < fields.size(); ++i) host.items.push_back(answer_of(fields[i]));
    out.push_back(std::move(host));
  }
  return out;
}

Result<HostAnswer> probe_here(const std::vector<ProbeItem>& items, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(result, runner.run(probe_command(items), present_environment()));
  std::vector<HostAnswer> answers = parse_probe(result.output, items);
  if (answers.empty()) return site_error("sh: does not answer: " + on_one_line(result.errors));
  return std::move(answers.front());
}

}  // namespace compute_scale
