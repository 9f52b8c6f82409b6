# The front door. `make` builds build/ingot; `make demo` and `make test` need nothing else done first.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CMAKE_ARGS ?=
CMAKE_ARGS += $(if $(shell command -v ccache),-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
GENERATOR := $(if $(shell command -v ninja),-G Ninja)

all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j $(JOBS) $(if $(V),-v)
$(BUILD)/CMakeCache.txt:
	@$(call configure)
# a folder keeps the generator it began with
define configure
cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(GENERATOR)) $(CMAKE_ARGS) $(1) > $(BUILD).log 2>&1 || \
  { cat $(BUILD).log; echo "configuring failed; 'make setup' installs what is missing on Debian and Ubuntu"; exit 1; }; \
rm -f $(BUILD).log
endef

setup: ; @scripts/setup build
setup-python: ; @scripts/setup python
setup-test: ; @scripts/setup test

demo: setup ; @$(MAKE) --no-print-directory all && scripts/demo $(BUILD)/ingot
test: setup-test
	@$(MAKE) --no-print-directory tests && JOBS=$(JOBS) scripts/run-tests $(BUILD)
tests:
	@$(call configure,-DINGOT_TESTS=ON)
	@$(MAKE) --no-print-directory all
bench: all ; $(BUILD)/ingot bench
# the same as tables, in the form docs/performance.md shows them
bench-tables: all ; $(BUILD)/ingot bench --markdown bench/tables.md
# the verification manual: run, and written down
verify: all ; $(BUILD)/ingot verify --markdown docs/verification.md
# the pages that are made by the program itself
docs: all ; @scripts/make-docs $(BUILD)/ingot
# the pages as a static site with search (mkdocs of the package manager), in build/site
site:
	@command -v mkdocs > /dev/null || { echo "installing mkdocs"; $$( [ "$$(id -u)" = 0 ] || echo sudo ) apt-get install -y mkdocs > /dev/null; }
	@mkdocs build --quiet --strict && echo "build/site/index.html"
# For any machine of this kind: from a folder of its own, unless NATIVE=1 asks for what `make` built for this one.
PORTABLE := $(if $(NATIVE)$(shell grep -s 'INGOT_NATIVE:BOOL=OFF' $(BUILD)/CMakeCache.txt),,-portable)
install:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)$(PORTABLE) CMAKE_ARGS='$(CMAKE_ARGS) $(if $(PORTABLE),-DINGOT_NATIVE=OFF)' all
	@cmake --install $(BUILD)$(PORTABLE) --prefix $(PREFIX)
	@case ":$$PATH:" in *":$(DESTDIR)$(PREFIX)/bin:"*) ;; *) echo "to use it: export PATH=$(PREFIX)/bin:\$$PATH" ;; esac
	@[ ! -e $(DESTDIR)$(PREFIX)/lib/python3/dist-packages/ingot ] || [ $(PREFIX) = /usr ] || \
	  echo "in Python: export PYTHONPATH=$(PREFIX)/lib/python3/dist-packages"
uninstall:
	@for folder in $(BUILD) $(BUILD)-portable; do \
	  [ ! -f $$folder/install_manifest.txt ] || \
	    { xargs -d '\n' rm -fv < $$folder/install_manifest.txt && gone=yes && \
	      awk -F/ '{ p = mine = ""; for (i = 2; i < NF; i++) { p = p "/" $$i; if ($$i == "ingot") mine = 1; if (mine) print p } }' \
	        $$folder/install_manifest.txt | sort -ru | while read -r one; do \
	        rm -rf "$$one/__pycache__"; rmdir --ignore-fail-on-non-empty "$$one"; done; \
	      rm $$folder/install_manifest.txt; }; \
	done; [ "$$gone" ] || { echo "nothing was installed from $(BUILD)"; exit 1; }
# Debian packages, in the folder above
deb: ; dpkg-buildpackage -us -uc -b
format: ; @scripts/check-format --fix
asan: setup-test
	@cmake --preset asan $(GENERATOR) $(CMAKE_ARGS) > /dev/null
	@cmake --build build-asan -j $(JOBS) && JOBS=$(JOBS) scripts/run-tests build-asan -E '^cli/install'
# hours of what the tests do for seconds: failing calls and allocations, kills, in every room
campaign: tests
	@env INGOT=$(CURDIR)/$(BUILD)/ingot SOURCE=$(CURDIR) BUILD=$(CURDIR)/$(BUILD) TRIALS=$(or $(TRIALS),400) bash tests/cli/faults.sh
	@env INGOT=$(CURDIR)/$(BUILD)/ingot SOURCE=$(CURDIR) BUILD=$(CURDIR)/$(BUILD) LIVES=$(or $(LIVES),50) bash tests/cli/kill.sh
# random models under relations that must hold, and judges: HOURS=… of all rooms, other models every day
differential: tests
	@/usr/bin/python3 tests/differential/run.py --ingot $(BUILD)/ingot --jobs $(JOBS) --found $(BUILD)/found --shrink \
	  --log $(BUILD)/differential.csv --seeds $$(date +%j)00000-$$(date +%j)99999 --minutes $$(awk 'BEGIN { print 60 * $(or $(HOURS),1) }')
# a million executions of every reader; RUNS=… for another number
fuzz-nightly: setup-test ; @scripts/fuzz
tsan: setup-test ; @scripts/tsan
clean: ; @rm -rf build build-* out-demo

.PHONY: all setup setup-python setup-test demo test tests bench bench-tables verify docs site install uninstall deb format asan campaign differential fuzz-nightly tsan clean
