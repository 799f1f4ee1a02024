# What a developer runs: set-up, the private Slurm, demo, tests, checks. Part of the Makefile.

SUDO := $(if $(filter-out 0,$(shell id -u)),sudo)
# Work in parallel unless the caller chose otherwise.
JOBS     ?= $(shell nproc)
PARALLEL  = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))

# Each of these starts a make that builds what it needs, behind `deps`: they go one after another, and
# so does what else is asked for together with them.
ifneq ($(filter cluster-% demo test test-install test-matrix valgrind soak fuzz bench,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

.PHONY: deps
deps:  ## install what build, demo and tests need (apt-get)
	@tests/install-deps $(FURTHER_DEPS)

# ---- the private Slurm ----
CLUSTER     := tests/cluster/cluster
CLUSTER_DIR ?= $(B)/cluster
BUILT        = $(abspath $(B)/release)

.PHONY: cluster-start cluster-stop cluster-shell FORCE
# The plugin as built here, with the site config of the checkout.
$(B)/plugstack.conf: FORCE
	@mkdir -p $(@D)
	@echo 'optional $(BUILT)/spank_compute_scale.so config=$(abspath configs/site.yaml)' \
	  'library=$(BUILT)/libcompute-scale.so' >$@

cluster-start: deps $(B)/plugstack.conf  ## start a private Slurm with the plugin in $(B)/cluster
	@+$(MAKE) $(PARALLEL) all
	@$(SUDO) $(CLUSTER) start $(CLUSTER_DIR)
	@$(SUDO) $(CLUSTER) plugstack $(CLUSTER_DIR) $(B)/plugstack.conf

cluster-stop:  ## end it
	@test ! -e $(CLUSTER_DIR) || $(SUDO) $(CLUSTER) stop $(CLUSTER_DIR)

cluster-shell: cluster-start  ## the same, and a shell in which sbatch, sbatch-tasks and so on use it
	@PATH="$(BUILT):$$PATH" $(CLUSTER) shell $(CLUSTER_DIR)

.PHONY: demo
demo: deps $(B)/plugstack.conf  ## show the same training on 4 GPUs and on 2, on a private Slurm
	@+$(MAKE) $(PARALLEL) all
	@$(SUDO) $(CLUSTER) run $(B)/demo-cluster --plugstack $(B)/plugstack.conf -- tests/demo/demo $(BUILT)

# ---- tests ----
TEST_BINARIES := $(if $(UNIT_OBJECTS),unit-tests) $(if $(PLUGIN_TEST_OBJECTS),plugin-tests)
BATS_FOLDERS  := $(patsubst %/,%,$(sort $(dir $(wildcard tests/*/*.bats))))
# For a part of them: make test SUITES="bats:tests/lint gtest:build/asan/unit-tests"
SUITES        ?= $(addprefix gtest:$(B)/asan/,$(TEST_BINARIES)) $(addprefix bats:,$(BATS_FOLDERS))

.PHONY: test test-binaries
test: FURTHER_DEPS = $(if $(findstring tests/fuzz,$(SUITES)),$(FUZZ_DEPS))
test: deps  ## build, also with sanitizers, and run all tests
	@+$(MAKE) $(PARALLEL) all $(O)/fake-library.so
	@+$(if $(findstring gtest:,$(SUITES)),$(MAKE) $(PARALLEL) SANITIZE=1 test-binaries)
	@+$(if $(findstring tests/fuzz,$(SUITES)),$(MAKE) $(PARALLEL) SANITIZE=smoke fuzz-targets)
	@+$(if $(findstring tests/install,$(SUITES)),$(MAKE) $(PARALLEL) deb rpm)
	@$(SUDO) env BUILT=$(BUILT) tests/run $(SUITES)

# In a bare Debian of its own, which is fetched once: takes minutes, so `make test` leaves it out.
# BARE_DEBIAN is a release with the Slurm that is installed here.
BARE_DEBIAN ?= bookworm
.PHONY: test-install
test-install: deps  ## install, upgrade and remove the packages in a bare Debian
	@+$(MAKE) $(PARALLEL) all deb rpm
	@$(SUDO) tests/install/roots/make-root $(B)/roots/$(BARE_DEBIAN) $(BARE_DEBIAN)
	@$(SUDO) env BUILT=$(BUILT) BARE_ROOT=$(abspath $(B)/roots/$(BARE_DEBIAN)) \
	  tests/run bats:tests/install/roots

# Takes minutes, so `make test` leaves it out.
VALGRIND := valgrind --quiet --leak-check=full --show-leak-kinds=definite \
              --errors-for-leak-kinds=definite --error-exitcode=9 --suppressions=tests/memcheck.supp

.PHONY: valgrind
valgrind: FURTHER_DEPS := valgrind
valgrind: deps  ## run unit and plugin tests under valgrind's memcheck
	@+$(MAKE) $(PARALLEL) SANITIZE=memcheck test-binaries
	$(foreach name,$(TEST_BINARIES),$(VALGRIND) $(B)/memcheck/$(name) --gtest_brief=1 &&) true

test-binaries: $(addprefix $(O)/,$(TEST_BINARIES))

# Each version is the Debian release that brings it: Slurm 22.05, 24.11, 26.05.
VERSIONS   ?= bookworm trixie sid
MATRIX_DIR ?= $(B)/matrix

.PHONY: test-matrix
test-matrix: deps  ## run the tests on each Slurm (VERSIONS="trixie" for one; kept in MATRIX_DIR)
	@$(SUDO) tests/matrix/matrix $(MATRIX_DIR) $(VERSIONS)

# Takes a quarter of an hour; make test runs it with 20 jobs.
SOAK_JOBS  ?= 2000
SOAK_STEPS ?= 5000
.PHONY: soak
soak: deps $(B)/plugstack.conf  ## 2,000 jobs and 5,000 steps through the plugin: counts, environment, leaks
	@+$(MAKE) $(PARALLEL) all
	@$(SUDO) env JOBS=$(SOAK_JOBS) STEPS=$(SOAK_STEPS) $(CLUSTER) run $(B)/soak-cluster \
	  --plugstack $(B)/plugstack.conf -- tests/soak/soak

# ---- checks for those who change the code; need clang-format and clang-tidy ----
CXX_FILES := $(wildcard lib/*.cc lib/*.h spank_plugin/*.cc spank_plugin/*.h \
                        sbatch_wrapper/*.cc sbatch_wrapper/*.h tests/*/*.cc tests/*/*.h tests/*/*/*.cc tests/*/*/*.h)

.PHONY: lint fmt
lint:  ## check format, clang-tidy's and shellcheck's rules
	clang-format --dry-run --Werror $(CXX_FILES)
	tests/lint/shellcheck
	printf '%s\n' $(filter %.cc,$(CXX_FILES)) | \
	  xargs -P $(JOBS) -I FILE clang-tidy --quiet FILE -- $(ALL_CPPFLAGS) $(PATHS) $(STANDARD)

fmt:  ## format the C++ files
	clang-format -i $(CXX_FILES)
