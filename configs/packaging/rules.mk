# `make deb` and `make rpm`: packages of what `make install` installs. Part of the Makefile.
#
# A package depends on the Slurm release (major.minor) that the plugin is built for, and its own
# version names that release: the next Slurm needs a package that is built for it.

PACKAGES ?= $(B)/packages
# Counts the packages that are made of one VERSION.
PACKAGE_RELEASE ?= 1
# No time stamp in a package is newer than the commit.
SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y CHANGELOG.md))
PACKAGE_ENV = VERSION='$(VERSION)' PACKAGE_RELEASE='$(PACKAGE_RELEASE)' \
  SLURM_RELEASE='$(SLURM_RELEASE)' SOURCE_DATE_EPOCH='$(SOURCE_DATE_EPOCH)'

# ---- Debian ----
# The folder of Slurm's plugins and the package that brings it are those of the installed Slurm.
DEB_LIBDIR       = /usr/lib/$(shell dpkg-architecture -q DEB_HOST_MULTIARCH)
DEB_SLURM_LIBRARY = $(shell dpkg-query -S '$(DEB_LIBDIR)/*/libslurmfull.so' 2>/dev/null | head -n 1)
DEB_SLURM_PACKAGE ?= $(firstword $(subst :, ,$(DEB_SLURM_LIBRARY)))
DEB_PLUGINDIR    ?= $(patsubst %/,%,$(dir $(lastword $(DEB_SLURM_LIBRARY))))

# `all` comes before: each package has a make of its own, and two at once must not build what they share.
.PHONY: deb
deb: all  ## build the Debian package in $(B)/packages
	@test -n '$(DEB_SLURM_PACKAGE)' -a -n '$(DEB_PLUGINDIR)' || { echo 'deb: no Slurm is installed' \
	  'here: name its package and plugin folder in DEB_SLURM_PACKAGE and DEB_PLUGINDIR' >&2; exit 1; }
	@rm -rf $(B)/deb/root $(PACKAGES)/compute-scale_*.deb
	@+$(MAKE) --no-print-directory install W=$(B)/deb DESTDIR=$(abspath $(B)/deb/root) prefix=/usr \
	  bindir=/usr/bin sbindir=/usr/sbin datadir=/usr/share sysconfdir=/etc libdir=$(DEB_LIBDIR) \
	  mandir=/usr/share/man docdir=/usr/share/doc/compute-scale slurmconfdir=/etc/slurm \
	  completionsdir=/usr/share/bash-completion/completions slurmplugindir=$(DEB_PLUGINDIR) >/dev/null
	@$(PACKAGE_ENV) SLURM_PACKAGE='$(DEB_SLURM_PACKAGE)' \
	  configs/packaging/build-deb $(B)/deb/root $(PACKAGES)

# ---- Red Hat and its kin ----
RPM_LIBDIR    ?= /usr/lib64
RPM_PLUGINDIR ?= $(RPM_LIBDIR)/slurm

.PHONY: rpm
rpm: all  ## build the RPM package in $(B)/packages
	@rm -f $(PACKAGES)/compute-scale-*.rpm
	@+$(MAKE) --no-print-directory all W=$(B)/rpm $(RPM_PATHS) >/dev/null
	@+$(PACKAGE_ENV) MAKE='$(MAKE)' BUILD_FOLDER='$(B)' PATHS='$(RPM_PATHS)' \
	  configs/packaging/build-rpm $(B)/rpm $(PACKAGES)

RPM_PATHS = prefix=/usr bindir=/usr/bin sbindir=/usr/sbin datadir=/usr/share sysconfdir=/etc \
  libdir=$(RPM_LIBDIR) mandir=/usr/share/man docdir=/usr/share/doc/compute-scale \
  slurmconfdir=/etc/slurm completionsdir=/usr/share/bash-completion/completions \
  slurmplugindir=$(RPM_PLUGINDIR)
