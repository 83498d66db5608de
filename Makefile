# Makefile: for those who type make: hands the usual targets to ninja, which does the work. Knows no file of the build;
# build.ninja lists all targets.
.POSIX:
.NOTPARALLEL:
.SUFFIXES:

targets = all demo check check-quick check-all check-sanitize check-memory bench install uninstall lint clean

.PHONY: $(targets)

$(targets):
	@if [ ! -e out/config.ninja ]; then echo "make: run ./configure first; ./configure --help lists its options" >&2; \
	exit 1; fi
	@ninja $@
