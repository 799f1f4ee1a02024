#!/usr/bin/env bats
# doctor on a pretended site: what it finds, in which words, and its exit status.
# Each test has its own variables.
# shellcheck disable=SC2030,SC2031
load helper

# A site where all is well: two nodes, the plugin as built, enabled by one line.
setup() {
  begin_test
  two_group_task demo
  echo '{"image": ""}' >packages/pkg.json
  release=$(build_release)
  plugin=$(dirname "$(command -v sbatch-tasks)")/spank_compute_scale.so
  library=${plugin%/*}/libcompute-scale.so
  cp config.yaml site.yaml
  export COMPUTE_SCALE_SITE_CONFIG=$PWD/site.yaml
  unset COMPUTE_SCALE_CONFIG
  line="optional $plugin config=$PWD/site.yaml library=$library"
  echo "$line" >plugstack.conf
  fake_site
}

# The release that the plugin is built for.
build_release() { sed -n 's/^#define SLURM_VERSION_NUMBER 0x//p' /usr/include/slurm/slurm_version.h |
  sed -E 's/(..)(..)(..)/0x\1 0x\2 0x\3/' | xargs printf '%d.%02d.%d\n'; }

# Slurm's commands; what they say is in files, to be changed by tests. srun runs the command once for
# each node, which has the plugin if its name is in the file loaded.
fake_site() {
  echo "slurm-wlm $release" >version
  echo '      --compute-entry=task[/label]' >sbatch.help
  printf '%s\n' "PlugStackConfig         = $PWD/plugstack.conf" 'MaxArraySize            = 1001' \
    "SLURM_VERSION           = $release" 'PluginDir               = /nowhere' >scontrol.out
  printf '%s\n' "n0|gpu*|idle|$release|gpu:h200:8(S:0,1),shard:h200:32" \
    "n1|gpu*|mixed-|$release|gpu:h200:8,shard:32" "n0|cpu|idle|$release|(null)" >sinfo.out
  echo 'n0 n1' >loaded
  printf '#!/bin/sh\ncase $1 in --help) cat %q ;; *) cat %q ;; esac\n' "$PWD/sbatch.help" "$PWD/version" >bin/sbatch
  printf '#!/bin/sh\ncat %q\n' "$PWD/scontrol.out" >bin/scontrol
  printf '|%s|\n' 'gpu*' cpu >partitions
  printf '#!/bin/sh\ncase $* in *--all*) cat %q ;; *) cat %q ;; esac\n' "$PWD/partitions" "$PWD/sinfo.out" >bin/sinfo
  cat >bin/srun <<END
#!/bin/bash
printf '%s\n' "\$*" >>'$work/srun.calls'
[[ ! -e '$work/srun.behaviour' ]] || source '$work/srun.behaviour'
for argument; do [[ \$argument != --nodelist=* ]] || nodes=\${argument#*=}; done
until [[ \$1 == sh ]]; do shift; done
for node in \${nodes//,/ }; do
  entry=
  [[ " \$(cat '$work/loaded') " != *" \$node "* ]] || entry=compute-scale-doctor
  SLURMD_NODENAME=\$node SLURM_COMPUTE_ENTRY=\$entry "\$@"
done
END
  chmod +x bin/*
}

# expect_finding STATUS LINE [ARGUMENT]...: doctor prints this line and ends so.
expect_finding() {
  run --separate-stderr sbatch-tasks doctor "${@:3}"
  expect_equal "$status" "$1" "$output" || return
  grep -qxF -- "$2" <<<"$output" && return
  echo "no line: $2, but: $output"
  return 1
}

@test 'all is well: one line for each check' {
  run --separate-stderr sbatch-tasks doctor --nodes
  expect_equal "$status" 0 "$output"
  expect_equal "$output" "ok       config     $PWD/site.yaml
ok       slurm      Slurm $release; the controller answers
ok       plugstack  enabled by $PWD/plugstack.conf:1
ok       plugin     $plugin, built for Slurm $release; sbatch has its options
ok       tasks      1 in $PWD/tasks
ok       packages   1 in $PWD/packages
ok       runtime    bash (of local) is here
ok       arrays     MaxArraySize 1001: indices up to 1000
ok       shards     none in the config; nodes have some, which are not used: n0,n1
ok       partition  2 partitions, the default is gpu
ok       nodes      2 of 2 asked: n0,n1"
  run --separate-stderr sbatch-tasks doctor -q
  expect_equal "$status$output" 0
}

@test 'JSON has the same' {
  : >plugstack.conf
  sbatch-tasks doctor --json >out.json
  expect_equal "$(json out.json 'd["result"], [(c["check"], c["result"]) for c in d["checks"]][:3]')" \
    "('warning', [('config', 'ok'), ('slurm', 'ok'), ('plugstack', 'warning')])"
  expect_equal "$(json out.json '[c["mend"] for c in d["checks"]][1:3]')" "[None, 'compute-scale-plugin enable']"
}

@test 'no Slurm, and a controller that does not answer' {
  printf '#!/bin/sh\necho "scontrol: error: no controller" >&2\nexit 1\n' >bin/scontrol
  expect_finding 3 "problem  slurm      Slurm $release is here, but the controller does not answer: scontrol: error: no controller; to mend: see what scontrol ping says"
  printf '#!/bin/sh\necho "sbatch: fatal: no config" >&2\nexit 1\n' >bin/sbatch
  expect_finding 3 "problem  slurm      sbatch cannot be used: sbatch: fatal: no config; to mend: install Slurm's commands here, put them on PATH, or set SLURM_CONF"
  # What needs no Slurm is told all the same.
  grep -qx "ok       tasks      1 in $PWD/tasks" <<<"$output"
}

@test 'a plugin for another Slurm' {
  echo 'slurm 99.11.2' >version
  sed -i 's/^\(SLURM_VERSION.*=\).*/\1 99.11.4/' scontrol.out
  expect_finding 3 "problem  plugin     $plugin is built for Slurm $release, but Slurm 99.11.2 is installed, which does not load it; to mend: install the compute-scale that is built for it"
  grep -qx 'ok       slurm      Slurm 99.11.2; the controller answers' <<<"$output"
  echo "slurm $release" >version
  expect_finding 0 "warning  slurm      Slurm $release is here, but the controller is 99.11.4; to mend: keep hosts at one release; the plugin is for that of its host"
}

@test 'lines of plugstack.conf: includes, cut and unknown arguments, required, twice' {
  mkdir -p stack.d/more
  echo "include stack.d/*.conf" >plugstack.conf
  printf '# ours\n\n\t%s # a comment\n' "$line" >stack.d/a.conf
  expect_finding 0 "ok       plugstack  enabled by $PWD/stack.d/a.conf:3"
  echo "${line/optional/required}" >stack.d/a.conf
  expect_finding 0 "warning  plugstack  $PWD/stack.d/a.conf:1: says required: where the plugin cannot be loaded, every sbatch and srun stops; to mend: write optional"
  echo "optional $plugin library=$library config=$PWD/site#1.yaml" >stack.d/a.conf
  expect_finding 1 "problem  plugstack  $PWD/stack.d/a.conf:1: \"config=$PWD/site\" is cut at a '#', which begins a comment; to mend: use a path without '#'"
  echo "$line verbose" >stack.d/a.conf
  expect_finding 3 "problem  plugstack  $PWD/stack.d/a.conf:1: the plugin ignores \"verbose\"; to mend: its arguments are config=/FILE and library=/FILE"
  echo "$line" | tee stack.d/a.conf >stack.d/b.conf
  expect_finding 3 "problem  plugstack  the plugin is loaded twice: by $PWD/stack.d/a.conf:1 and by $PWD/stack.d/b.conf:1; to mend: keep one of the lines"
  # Included twice is loaded twice.
  rm stack.d/b.conf
  printf 'include stack.d/a.conf\ninclude %s/stack.d/a*\n' "$PWD" >plugstack.conf
  expect_finding 3 "problem  plugstack  the plugin is loaded twice: by $PWD/stack.d/a.conf:1 and by $PWD/stack.d/a.conf:1; to mend: keep one of the lines"
}

@test 'lines of plugstack.conf that Slurm passes over, and files that are not there' {
  printf '%s\n' "$line" 'Optional /x.so' 'include none.conf' 'include none/*' >plugstack.conf
  expect_finding 0 "warning  plugstack  $PWD/plugstack.conf:2: \"Optional /x.so\": Slurm passes over this line; to mend: begin it with optional FILE, required FILE or include FILE"
  expect_finding 0 "warning  plugstack  $PWD/plugstack.conf:3: includes $PWD/none.conf, which is not there; to mend: make the file, or take the include out"
  expect_equal "$(grep -c 'none[./]' <<<"$output")" 1
  printf '%s\ninclude plugstack.conf\n' "$line" >plugstack.conf
  expect_finding 3 "problem  plugstack  $PWD/plugstack.conf: includes itself; to mend: take the include out"
  printf '%s %05000d\n' "$line" 0 >plugstack.conf
  expect_finding 3 "problem  plugstack  $PWD/plugstack.conf:1: is longer than 4095 bytes, where Slurm cuts it; to mend: make it shorter"
}

@test 'a site that promises the plugin and lacks it' {
  : >plugstack.conf
  expect_finding 0 "warning  plugstack  $PWD/plugstack.conf does not load the plugin; sbatch-tasks works without it, sbatch --compute-scale does not; to mend: compute-scale-plugin enable"
  echo 'slurm: {plugin: true}' >>site.yaml
  expect_finding 3 "problem  plugstack  $PWD/plugstack.conf does not load the plugin, which slurm.plugin promises; to mend: compute-scale-plugin enable"
  echo "$line" >plugstack.conf
  : >sbatch.help
  expect_finding 3 "problem  plugin     sbatch does not have the plugin's options; to mend: see what sbatch -vv says of spank"
}

@test 'plugin and library: missing, not whole, no object, without the right to read' {
  echo "${line/$library/$PWD\/none.so}" >plugstack.conf
  expect_finding 3 "problem  plugin     $PWD/none.so is missing; to mend: install compute-scale here again"
  head -c 5000 "$library" >part.so
  echo "${line/$library/$PWD\/part.so}" >plugstack.conf
  run sbatch-tasks doctor
  expect_equal "$status" 3
  grep -q "^problem  plugin     $PWD/part.so cannot be loaded: " <<<"$output"
  echo nonsense >part.so
  expect_finding 3 "problem  plugin     $PWD/part.so cannot be loaded: file too short; to mend: install compute-scale here again"
  # A name without a folder is looked for in Slurm's folder of plugins.
  sed -i "s|/nowhere|/nowhere:${plugin%/*}|" scontrol.out
  echo "${line/"$plugin"/spank_compute_scale.so}" >plugstack.conf
  expect_finding 0 "ok       plugin     $plugin, built for Slurm $release; sbatch has its options"
}

@test 'a broken config: exit status 1, and the other checks go on' {
  echo 'seeeds: [1]' >>site.yaml
  run --separate-stderr sbatch-tasks doctor
  expect_equal "$status" 1
  expect_contains "$output" "problem  config     $PWD/site.yaml:5:"
  expect_contains "$output" 'did you mean seeds?'
  expect_contains "$output" 'ok       arrays'
  # The plugin's own config.
  cp site.yaml other.yaml
  sed -i '$d' site.yaml
  echo "${line/site.yaml/other.yaml}" >plugstack.conf
  run --separate-stderr sbatch-tasks doctor
  expect_equal "$status" 1
  expect_contains "$output" "problem  config     the plugin's: $PWD/other.yaml:5:"
  rm other.yaml
  run --separate-stderr sbatch-tasks doctor
  expect_equal "$status" 1
  expect_contains "$output" "problem  config     the plugin's: $PWD/other.yaml: cannot be read"
  run --separate-stderr sbatch-tasks doctor --config none.yaml
  expect_equal "$status" 1
  COMPUTE_SCALE_SITE_CONFIG='' expect_finding 1 \
    "warning  config     there is no site config; the defaults hold; to mend: write $(installed_config)"
}

installed_config() { strings "$(command -v sbatch-tasks)" | grep -m1 '^/.*/compute-scale/site.yaml$'; }

@test 'folders, runtime, arrays, shards' {
  mv tasks elsewhere
  expect_finding 3 "problem  tasks      $PWD/tasks is missing; to mend: correct tasks_dir of the config, or make it readable for users"
  mkdir tasks
  expect_finding 0 "warning  tasks      $PWD/tasks holds none; to mend: correct tasks_dir of the config"
  sed -i 's/local/podman/' site.yaml
  PATH=$work/bin:${BUILT:-$ROOT/build/release}:/usr/bin expect_finding 0 "warning  runtime    podman is not on the PATH of this host; to mend: nodes need it (doctor --nodes looks there); set container_runtime to what they have"
  sed -i 's/= 1001/= 1/' scontrol.out
  expect_finding 0 'warning  arrays     MaxArraySize 1: no job arrays; submit calls sbatch for each job; to mend: set MaxArraySize in slurm.conf'
  echo 'slurm: {shards_per_gpu: 4}' >>site.yaml
  expect_finding 0 'ok       shards     shards_per_gpu is 4, as on n0,n1'
  sed -i 's/shard:32/shard:16/' sinfo.out
  expect_finding 3 'problem  shards     shards_per_gpu is 4, but n1 has 16 shards for 8 GPUs; to mend: correct shards_per_gpu or gres.conf'
  sed -i 's/,shard[^|]*//' sinfo.out
  expect_finding 3 'problem  shards     shards_per_gpu is 4, but no node with GPUs has shards; to mend: set GresTypes and gres.conf, or take shards_per_gpu out of the config'
}

@test 'partitions that the config names, against those of Slurm' {
  cat >>site.yaml <<'END'
hardware: {h200: {compute_scale: 0.5, partitions: [gpu]}}
slurm: {partition: "gpu, old", cpu_partition: cpu, default_partition: gpu}
END
  expect_finding 3 'problem  partition  slurm.partition names old, which Slurm lacks; to mend: name one of those that sinfo --all shows'
  expect_equal "$(grep -c partition <<<"$output")" 1
  sed -i 's/, old//; s/\[gpu\]/[gpu, gpus]/' site.yaml
  expect_finding 3 'problem  partition  hardware.h200.partitions names gpus, which Slurm lacks; to mend: name one of those that sinfo --all shows'
  sed -i 's/, gpus\]/]/' site.yaml
  expect_finding 0 'ok       partition  2 partitions, the default is gpu'
  # The default of Slurm is another one, there is none, or the config does not know it.
  sed -i 's/default_partition: gpu/default_partition: cpu/' site.yaml
  expect_finding 3 "problem  partition  Slurm's default partition is gpu, but slurm.default_partition is cpu; to mend: set slurm.default_partition: gpu"
  echo 'JobSubmitPlugins        = lua' >>scontrol.out
  expect_finding 0 "warning  partition  Slurm's default partition is gpu, but slurm.default_partition is cpu; to mend: name the one that the site's JobSubmitPlugins (lua) choose where a request names none"
  sed -i 's/= lua/= (null)/' scontrol.out
  sed -i 's/[*]//' partitions
  expect_finding 3 'problem  partition  Slurm has no default partition, but slurm.default_partition is cpu; to mend: take slurm.default_partition out'
  sed -i 's/, default_partition: cpu//' site.yaml
  expect_finding 0 'ok       partition  2 partitions, none is the default'
  fake_site
  expect_finding 3 "problem  partition  Slurm's default partition is gpu, but hardware limits partitions and slurm.default_partition is not set: a request that names no partition is not checked; to mend: set slurm.default_partition: gpu"
  # The plugin's own config, where it is another one.
  sed 's/cpu_partition: cpu/default_partition: old/' site.yaml >other.yaml
  sed -i '/^hardware/d' site.yaml
  echo "${line/site.yaml/other.yaml}" >plugstack.conf
  expect_finding 3 "problem  partition  Slurm's default partition is gpu, but the plugin's slurm.default_partition is old; to mend: set slurm.default_partition: gpu"
  printf '#!/bin/sh\ncase $* in *--all*) echo "sinfo: error: gone" >&2; exit 1 ;; esac\n' >bin/sinfo
  expect_finding 3 'problem  partition  they cannot be asked for: sinfo: error: gone; to mend: see what sinfo says'
}

@test 'nodes: what they lack is told with their names' {
  echo n0 >loaded
  expect_finding 3 "problem  nodes      n1: slurmstepd has not loaded the plugin; to mend: compute-scale-plugin enable there; without configuration files on nodes, put the line into the controller's plugstack.conf and restart slurmd" --nodes
  echo 'n0 n1' >loaded
  sed -i "s/^n1\(.*\)$release/n1\199.11.2/" sinfo.out
  expect_finding 3 "problem  nodes      n1: Slurm 99.11.2 runs there, the plugin is built for $release; to mend: install the compute-scale that is built for it" --nodes
  # A file that is here and not there.
  fake_site
  echo "mv '$work/tasks' '$work/packages' '$work/away'" >srun.behaviour
  mkdir away
  expect_finding 3 "problem  nodes      n0,n1: $PWD/tasks is missing; to mend: put it where nodes can read it" --nodes
  grep -q "^problem  nodes      n0,n1: $PWD/packages is missing" <<<"$output"
  mv away/* .
  echo "echo '# changed' >>'$work/site.yaml'" >srun.behaviour
  expect_finding 0 "warning  nodes      n0,n1: $PWD/site.yaml is another file than here; to mend: install the same one" --nodes
}

@test 'nodes that cannot be asked: down, busy, broken' {
  printf 'n2|gpu|down*|%s|(null)\nn3|gpu|allocated|%s|(null)\n' "$release" "$release" >>sinfo.out
  expect_finding 0 'warning  nodes      n2: not asked: the node is down*; to mend: call doctor again when it is idle' --nodes
  grep -qx 'ok       nodes      2 of 4 asked: n0,n1' <<<"$output"
  expect_equal "$(grep -c '^--job-name' srun.calls)" 1
  # All at once does not go: each alone.
  cat >srun.behaviour <<'END'
case "$*" in
  *--nodelist=n0\ *) ;;
  *--nodelist=n0,n1*) echo 'srun: error: Unable to allocate resources: nodes are busy' >&2; exit 1 ;;
  *) echo 'srun: error: Task launch failed: Invalid node' >&2; exit 1 ;;
esac
END
  expect_finding 3 "problem  nodes      n1: no step could be started there: srun: error: Task launch failed: Invalid node; to mend: see the node's slurmd log" --nodes
  grep -qx 'ok       nodes      1 of 4 asked: n0' <<<"$output"
  echo 'echo "srun: error: Unable to allocate resources: busy" >&2; exit 1' >srun.behaviour
  expect_finding 3 'problem  nodes      0 of 4 asked; to mend: call doctor again when nodes are idle' --nodes
  grep -q '^warning  nodes      n0,n1: no step could be started there: srun: error: Unable to allocate' <<<"$output"
}

@test 'the step takes account and what stands behind --' {
  echo 'slurm: {account: "0123", qos: low}' >>site.yaml
  sbatch-tasks doctor --nodes -q -- --reservation=tests
  grep -q -e '--account=0123 --qos=low --reservation=tests sh -c' srun.calls
  run sbatch-tasks doctor -- --reservation=tests
  expect_error 1 'doctor: arguments behind -- go to the step of --nodes'
}
