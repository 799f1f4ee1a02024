# compute-scale: build, install, test. `make help` lists the targets.
#
# CXXFLAGS, CPPFLAGS and LDFLAGS are the user's; what the build needs is added apart from them.

VERSION := 0.1.0

prefix          ?= /usr/local
bindir          ?= $(prefix)/bin
sbindir         ?= $(prefix)/sbin
libdir          ?= $(prefix)/lib
datadir         ?= $(prefix)/share
mandir          ?= $(datadir)/man
docdir          ?= $(datadir)/doc/compute-scale
completionsdir  ?= $(datadir)/bash-completion/completions
sysconfdir      ?= /etc
slurmplugindir  ?= $(libdir)/slurm
# Where the site's slurm.conf lies.
slurmconfdir    ?= $(sysconfdir)/slurm
DESTDIR         ?=

B        ?= build
CXX      ?= g++
CC       ?= gcc
# Sanitized objects are for tests only: they are built quickly.
CXXFLAGS ?= $(OPTIMIZED)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Werror
STANDARD := -std=c++17

# What the objects of one flavour are compiled with; each builds into its own folder. `SANITIZE=fuzz`
# is for `make fuzz`; `SANITIZE=smoke` compiles the same in a third of the time, for `make test`;
# `SANITIZE=memcheck` is for `make valgrind`.
OPTIMIZED := -O2 -g
ifeq ($(SANITIZE),1)
FLAVOUR   := asan
SANFLAGS  := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPTIMIZED := -O1 -g1
else ifeq ($(SANITIZE),fuzz)
FLAVOUR   := fuzz
CXX       := clang++
SANFLAGS  := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
OPTIMIZED := -O1 -gline-tables-only
else ifeq ($(SANITIZE),smoke)
FLAVOUR   := smoke
CXX       := clang++
SANFLAGS  := -fsanitize=fuzzer-no-link,address
OPTIMIZED := -O0
else ifeq ($(SANITIZE),memcheck)
# Optimized code tests a value before it tests whether there is one, which valgrind takes for a fault.
FLAVOUR   := memcheck
SANFLAGS  :=
OPTIMIZED := -O0 -g1
else
FLAVOUR   := release
SANFLAGS  :=
endif
O := $(B)/$(FLAVOUR)

ALL_CPPFLAGS = -Ilib -I. -DFMT_HEADER_ONLY $(CPPFLAGS)
# The folder of the build is in no object: two builds of one commit are the same, byte for byte.
ALL_CXXFLAGS = $(STANDARD) $(WARNINGS) -fPIC -ffile-prefix-map=$(CURDIR)=. $(SANFLAGS) $(CXXFLAGS)
# The C++ libraries are linked into what uses them: loading them takes longer than an sbatch spends
# on anything else of ours, and no LD_LIBRARY_PATH can put others in their place. (Debian has no
# static fmt; its headers are enough.)
# The sanitizers' runtime wants the shared libstdc++.
LIB_LIBS     = $(if $(SANFLAGS),-lyaml-cpp,-static-libstdc++ -static-libgcc -l:libyaml-cpp.a)

# What knows where it will be installed is built in W. A package has a W of its own (see
# configs/packaging/rules.mk) and shares all other objects.
W      ?= $(O)
PLACED := spank_plugin/arguments sbatch_wrapper/context
PATHS   = -DCOMPUTE_SCALE_LIBRARY='"$(libdir)/compute-scale/libcompute-scale.so"' \
          -DCOMPUTE_SCALE_PLUGIN='"$(slurmplugindir)/spank_compute_scale.so"' \
          -DCOMPUTE_SCALE_SITE_CONFIG='"$(sysconfdir)/compute-scale/site.yaml"'
# objects PATTERN: those of the sources that match.
objects = $(foreach name,$(basename $(wildcard $1)),$(if $(filter $(name),$(PLACED)),$W,$O)/$(name).o)

LIB_OBJECTS     := $(call objects,lib/*.cc)
PLUGIN_OBJECTS  := $(call objects,spank_plugin/*.cc)
WRAPPER_OBJECTS := $(call objects,sbatch_wrapper/*.cc)
UNIT_OBJECTS    := $(patsubst %.cc,$(O)/%.o,$(wildcard tests/unit/*.cc))
PLUGIN_TEST_OBJECTS := $(patsubst %.cc,$(O)/%.o,$(wildcard tests/plugin/*.cc))

.PHONY: all
all: $(O)/libcompute-scale.so $(W)/spank_compute_scale.so $(W)/sbatch-tasks $(W)/sbatch-tasks.1  ## build everything

# The library and the wrapper show nothing but the C face (lib/client_api.h) to the outside.
$(LIB_OBJECTS) $(WRAPPER_OBJECTS): ALL_CXXFLAGS += -fvisibility=hidden
# The plugin is libc only: no exceptions, no run-time types, linked by the C driver.
$(PLUGIN_OBJECTS): ALL_CXXFLAGS += -fvisibility=hidden -fno-exceptions -fno-rtti \
                                   -fno-threadsafe-statics
$(PLUGIN_OBJECTS): ALL_CPPFLAGS += -DCOMPUTE_SCALE_PLUGIN_NAME='"compute_scale"'
$(O)/sbatch_wrapper/cli.o: ALL_CPPFLAGS += -DCOMPUTE_SCALE_VERSION='"$(VERSION)"'
# An install to other paths than those of the build compiles these anew.
$(PLACED:%=$(W)/%.o): ALL_CPPFLAGS += $(PATHS)
$(PLACED:%=$(W)/%.o): $(W)/paths
$(W)/paths: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(PATHS) | cmp -s - $@ || printf '%s\n' $(PATHS) >$@
# Tests read files of the source tree, wherever they are started.
$(O)/tests/unit/%.o: ALL_CPPFLAGS += -DTEST_SOURCE_DIR='"$(CURDIR)"' \
                                     -DTEST_PLUGIN='"$(abspath $(O))/spank_compute_scale.so"'

define COMPILE
@mkdir -p $(@D)
$(CXX) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS) -MMD -MP -c -o $@ $<
endef
$(O)/%.o: %.cc Makefile
	$(COMPILE)
ifneq ($(W),$(O))
$(W)/%.o: %.cc Makefile
	$(COMPILE)
endif

# Every sbatch loads the plugin: as few mappings as may be, and no look-up of what is never called.
# Without relro there is one mapping and one system call less; with lazy binding it protects little.
QUICK_TO_LOAD := -Wl,-Bsymbolic -Wl,-z,norelro -Wl,-z,lazy -Wl,-z,noseparate-code -Wl,-O1 \
                 -Wl,--hash-style=gnu

$(O)/libcompute-scale.a: $(LIB_OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(O)/libcompute-scale.so: $(O)/libcompute-scale.a lib/client_api.map
	$(CXX) -shared $(SANFLAGS) $(LDFLAGS) -Wl,--version-script=lib/client_api.map -Wl,--gc-sections \
	  $(QUICK_TO_LOAD) -Wl,--as-needed -Wl,-u,compute_scale_client_decide -o $@ $< $(LIB_LIBS)

# What reads a payload, applies it and shows it is in the library and in the plugin.
SHARED_OBJECTS := $(O)/lib/payload_wire.o $(O)/lib/payload_env.o $(O)/lib/audit_record.o
$(SHARED_OBJECTS): ALL_CXXFLAGS += -fno-exceptions -fno-rtti -fno-threadsafe-statics
$(W)/spank_compute_scale.so: $(PLUGIN_OBJECTS) $(SHARED_OBJECTS) spank_plugin/plugin.map
	$(CC) -shared $(SANFLAGS) $(LDFLAGS) -Wl,--version-script=spank_plugin/plugin.map \
	  $(QUICK_TO_LOAD) -o $@ $(filter %.o,$^) -ldl

$(W)/sbatch-tasks: $(WRAPPER_OBJECTS) $(O)/libcompute-scale.a
	$(CXX) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) -lpthread

# Its options are those of --help.
$(W)/sbatch-tasks.1: configs/man/sbatch-tasks.1.in configs/man/verbs $(W)/sbatch-tasks
	configs/man/verbs $(W)/sbatch-tasks >$@.verbs
	sed -e '/^@verbs@$$/{r $@.verbs' -e 'd}' $< >$@

$(O)/unit-tests: $(UNIT_OBJECTS) $(filter-out %/main.o,$(WRAPPER_OBJECTS)) \
                 $(O)/libcompute-scale.a | $(O)/spank_compute_scale.so
	$(CXX) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) -lgtest -lgtest_main -lpthread

# The plugin's tests load the built plugin into a fake Slurm; what that exports comes from small
# objects of its own (tests/plugin/fake).
PLUGIN_FAKES := $(patsubst tests/plugin/fake/%.cc,$(O)/fake-%.so,$(wildcard tests/plugin/fake/*.cc))

$(O)/fake-%.so: tests/plugin/fake/%.cc
	@mkdir -p $(@D)
	$(CXX) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS) -MMD -MP -shared $(LDFLAGS) -o $@ $<

$(O)/tests/plugin/%.o: ALL_CPPFLAGS += -DBUILD_FOLDER='"$(abspath $(O))"'
$(O)/plugin-tests: $(PLUGIN_TEST_OBJECTS) $(PLUGIN_FAKES) $(O)/spank_compute_scale.so
	$(CXX) $(SANFLAGS) $(LDFLAGS) -rdynamic -o $@ $(PLUGIN_TEST_OBJECTS) -lgtest -lgtest_main \
	  -lpthread -ldl

.PHONY: golden-accept
golden-accept: $(O)/unit-tests  ## take the scripts as they are now for tests/golden
	GOLDEN_ACCEPT=1 $(O)/unit-tests --gtest_brief=1 --gtest_filter='Golden*'

# ---- benchmarks ----
$(B)/release/pairs: tests/bench/pairs.cc
	@mkdir -p $(@D)
	$(CXX) $(ALL_CXXFLAGS) -o $@ $<

$(B)/release/scale-bench: tests/bench/scale_bench.cc $(B)/release/libcompute-scale.a
	$(CXX) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS) -o $@ $^ $(LIB_LIBS) -lbenchmark -lpthread

$(B)/release/pack-bench: tests/bench/pack_bench.cc $(B)/release/libcompute-scale.a
	$(CXX) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS) -o $@ $^ $(LIB_LIBS)

.PHONY: bench
bench: deps  ## what it costs, as ratios of paired runs (ROW=name for one row)
	@+$(MAKE) $(PARALLEL) all $(B)/release/pairs $(B)/release/scale-bench $(B)/release/pack-bench
	@$(SUDO) tests/bench/bench $(B)/release $(ROW)

# ---- install ----
CONFIG_DIR = $(DESTDIR)$(sysconfdir)/compute-scale
DATA_DIR   = $(DESTDIR)$(datadir)/compute-scale
# The Slurm release (major.minor) that the plugin is built for.
SLURM_RELEASE = $(shell configs/packaging/slurm-release $(CXX) $(CPPFLAGS))
# Fills the @names@ of an installed file.
FILL = sed -e 's|@slurmplugindir@|$(slurmplugindir)|g' -e 's|@sysconfdir@|$(sysconfdir)|g' \
           -e 's|@libdir@|$(libdir)|g' -e 's|@datadir@|$(datadir)|g' \
           -e 's|@slurmconfdir@|$(slurmconfdir)|g' -e 's|@slurmrelease@|$(SLURM_RELEASE)|g'
# Man pages and completions are whatever lies in their folders.
MAN_PAGES   := $(W)/sbatch-tasks.1 $(wildcard configs/man/*.[1-8])
COMPLETIONS := $(wildcard configs/completions/*)
DOCS        := README.md CHANGELOG.md LICENSE configs/schema.md
# man_file PAGE: where it is installed; section 5 goes to man5.
man_file = $(DESTDIR)$(mandir)/man$(subst .,,$(suffix $1))/$(notdir $1)

# put MODE,FILE,TARGET: a command that loads TARGET meanwhile must not find half of it, which the loader
# does not survive, nor nothing.
put = install -m $1 $2 $3.new && mv -f $3.new $3

.PHONY: install uninstall
install: all  ## install below DESTDIR and prefix; an existing site.yaml is kept
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(sbindir) $(DESTDIR)$(slurmplugindir) \
	  $(DESTDIR)$(libdir)/compute-scale $(CONFIG_DIR)/packages $(DATA_DIR)/tasks $(DESTDIR)$(docdir)
	$(call put,755,$(W)/sbatch-tasks,$(DESTDIR)$(bindir)/sbatch-tasks)
	$(call put,644,$(O)/libcompute-scale.so,$(DESTDIR)$(libdir)/compute-scale/libcompute-scale.so)
	$(call put,644,$(W)/spank_compute_scale.so,$(DESTDIR)$(slurmplugindir)/spank_compute_scale.so)
	install -m 644 configs/packages/*.json $(CONFIG_DIR)/packages/
	cp -R tasks/. $(DATA_DIR)/tasks/
	chmod -R u=rwX,go=rX $(DATA_DIR)/tasks
	$(FILL) configs/compute-scale.conf.in >$(DATA_DIR)/compute-scale.conf
	$(FILL) configs/compute-scale-plugin >$(DESTDIR)$(sbindir)/compute-scale-plugin
	chmod 644 $(DATA_DIR)/compute-scale.conf
	chmod 755 $(DESTDIR)$(sbindir)/compute-scale-plugin
	install -m 644 $(DOCS) $(DESTDIR)$(docdir)/
	$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) $(call man_file,$(page)) &&) true
	$(foreach file,$(COMPLETIONS),install -D -m 644 $(file) \
	  $(DESTDIR)$(completionsdir)/$(notdir $(file)) &&) true
	test -e $(CONFIG_DIR)/site.yaml || { umask 022 && \
	  sed -e 's|^tasks_dir:.*|tasks_dir: $(datadir)/compute-scale/tasks|' configs/site.yaml \
	    >$(CONFIG_DIR)/site.yaml; }

# The plugstack line goes first: it must never name a file that is gone.
uninstall:  ## disable the plugin and remove what install put there; site.yaml stays
	test -n "$(DESTDIR)" || ! test -x $(sbindir)/compute-scale-plugin || \
	  $(sbindir)/compute-scale-plugin disable
	rm -f $(DATA_DIR)/compute-scale.conf $(DESTDIR)$(sbindir)/compute-scale-plugin
	rm -f $(DESTDIR)$(slurmplugindir)/spank_compute_scale.so $(DESTDIR)$(bindir)/sbatch-tasks
	rm -f $(DESTDIR)$(libdir)/compute-scale/libcompute-scale.so
	rm -f $(foreach page,$(MAN_PAGES),$(call man_file,$(page)))
	rm -f $(patsubst configs/completions/%,$(DESTDIR)$(completionsdir)/%,$(COMPLETIONS))
	rm -f $(addprefix $(DESTDIR)$(docdir)/,$(notdir $(DOCS)))
	for task in tasks/*/; do rm -rf "$(DATA_DIR)/tasks/$$(basename "$$task")"; done
	for package in configs/packages/*.json; do rm -f "$(CONFIG_DIR)/packages/$$(basename "$$package")"; done
	rmdir --ignore-fail-on-non-empty $(DESTDIR)$(libdir)/compute-scale $(CONFIG_DIR)/packages \
	  $(DATA_DIR)/tasks $(DATA_DIR) $(DESTDIR)$(docdir) 2>/dev/null || true

-include $(wildcard $(O)/*/*.d $(O)/*/*/*.d $(PLACED:%=$(W)/%.d))
include configs/packaging/rules.mk
include tests/rules.mk
include tests/fuzz/rules.mk

.PHONY: clean help
clean: cluster-stop  ## remove what was built
	$(SUDO) rm -rf $(B)/cluster $(B)/matrix $(B)/roots
	rm -rf $(B)

help:  ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
