# Fuzzing: clang's libFuzzer on what reads other people's bytes. Part of the Makefile.

FUZZ_DEPS    := clang libclang-rt-dev
FUZZ_TARGETS := $(basename $(notdir $(wildcard tests/fuzz/*.cc)))
# Inputs longer than this find nothing that shorter ones do not.
FUZZ_LONGEST := 4096
# Seconds for each target; the inputs that a run has found stay in $(B)/corpus.
FUZZ_SECONDS ?= 60
FUZZ         ?= $(FUZZ_TARGETS)

# What a target calls: all of the library but the client's decisions and the tools around a plan.
FUZZ_OBJECTS := $(filter-out $(O)/lib/client_% $(O)/lib/gantt.o $(O)/lib/local_% \
                  $(O)/lib/makespan.o $(O)/lib/manifest.o,$(LIB_OBJECTS)) \
                $(addprefix $(O)/,lib/client_environment.o $(addprefix sbatch_wrapper/, \
                  cluster_nodes.o process.o queue.o slurm_client.o))

$(O)/libfuzzed.a: $(FUZZ_OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(addprefix $(O)/fuzz-,$(FUZZ_TARGETS)): $(O)/fuzz-%: $(O)/tests/fuzz/%.o $(O)/libfuzzed.a
	$(CXX) $(SANFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ -lyaml-cpp

.PHONY: fuzz fuzz-targets
fuzz-targets: $(addprefix $(O)/fuzz-,$(FUZZ))

fuzz: FURTHER_DEPS := $(FUZZ_DEPS)
fuzz: deps  ## fuzz what reads input (FUZZ=name for one target, FUZZ_SECONDS=60 for each)
	@+$(MAKE) $(PARALLEL) SANITIZE=fuzz fuzz-targets
	@tests/fuzz/fuzz $(B)/fuzz $(B)/corpus $(FUZZ_SECONDS) $(FUZZ_LONGEST) $(FUZZ)
