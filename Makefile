# "make run" starts shelly, "make test" proves it, "make help" lists the rest.
# Needed: Go, git, make, and a C compiler for the race detector.

SHELL := /bin/sh
GO ?= go
# The compiler, the analysis and the tests throw away many times what they hold, and collecting
# it takes up to a third of their time at the usual pace. At this one each process takes up to a
# GiB before it collects. It is not for the program and what it starts, which has a pace of its own
# (CFG-17), nor for tests with the race detector, which needs as much again several times. These,
# and the many runs of the simulator with crashes, which keep little for long, are at RARER.
SELDOM := GOGC=off GOMEMLIMIT=1GiB
RARER := GOGC=400
OFTENER := -exec 'env $(RARER) GOMEMLIMIT=off'
BIN := bin/shelly
CODE := cmd fsm runtime scenarios sim
GOFMT = $(shell $(GO) env GOROOT)/bin/gofmt
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
E2E_TAG := ollama_e2e
CLIENTS_TAG := clients_e2e
MCP_TAG := mcp_e2e
BROWSER_TAG := browser_e2e
CHANNELS_TAG := channels_e2e
# Tags only add tests, so one run with all of them vets everything. Vet looks anew at every
# library for each list of tags.
TAGS := $(E2E_TAG),$(CLIENTS_TAG),$(MCP_TAG),$(BROWSER_TAG),$(CHANNELS_TAG),service_e2e,failpoint
VET = $(SELDOM) $(GO) vet -tags $(TAGS) -vettool=$(CURDIR)/bin/analysis

# Vet, analysis, tests and program share what is compiled, libraries and all, only if it is
# compiled alike; the race detector wants its own. Tests are not vetted once more as they are
# built: test-vet proves more. What a debugger needs is left out: it is an eighth of the
# compiler's time, and neither the program nor a test's report has any use for it.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(GOFLAGS) -trimpath -vet=off -gcflags=all=-dwarf=false)

# How much "make proof" does beyond "make test".
PROOF_CHECKS ?= 20000
PROOF_BUDGET ?= 60s

# How long "make fuzz" runs each target, and which targets; "make mutants" takes ONLY, too.
FUZZTIME ?= 10s
ONLY ?= .

# Steps run one after another and say which one runs; the first that fails ends
# the target.
.NOTPARALLEL:
.DEFAULT_GOAL := help
comma := ,
step = @printf '==> %s\n' '$(1)'

# What comes after a run of tests by their names: a name that no test has is no pass.
RAN = case "$$out" in *'no tests to run'*) printf '%s\nno test has a name that is run here\n' "$$out"; exit 1;; esac

# The scenarios are as the program itself would have them.
LINT = ./$(BIN) scenario lint scenarios && { ./$(BIN) scenario format --check scenarios || { printf 'not formatted; run make fmt\n'; exit 1; }; }

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: build ## Build shelly and start the daemon; ARGS adds flags.
	@exec ./$(BIN) run --brain auto $(ARGS)

.PHONY: build
build: ## Build bin/shelly.
	$(call step,build $(BIN) $(VERSION))
	@$(SELDOM) $(GO) build -buildvcs=false -ldflags '-s -w -X shelly/cmd/shelly/internal/version.stamp=$(VERSION)' -o $(BIN) ./cmd/shelly

# What can be said within a minute at every change; "make test" proves the rest. The
# two lanes keep two cores busy.
.PHONY: check
check: ## Check a change in under a minute: format, vet, static analysis, the machine's tests, all scenarios.
	$(call step,formatting$(comma) vet and static analysis beside the machine and its scenarios)
	@$(MAKE) --no-print-directory test-format test-vet & code=$$!; \
	$(MAKE) --no-print-directory check-machine; machine=$$?; \
	wait $$code && exit $$machine

.PHONY: check-machine
check-machine: build
	$(call step,scenarios)
	@$(LINT)
	@./$(BIN) test scenarios --ci
	$(call step,specification)
	@./$(BIN) spec --check
	$(call step,tests of the machine)
	@$(GO) test ./fsm/...

.PHONY: test
test: test-format test-vet test-race test-canaries build test-scenarios test-crashes test-kills test-explore test-spec test-costs ## Run everything that must hold.
	@printf 'all steps passed\n'

.PHONY: test-format
test-format:
	$(call step,formatting)
	@bad=$$($(GOFMT) -l $(CODE)) || exit 1; \
	if [ -n "$$bad" ]; then printf 'not formatted; run make fmt:\n%s\n' "$$bad"; exit 1; fi

# The checks of go vet and of staticcheck are one tool of vet, which reads each package and all that
# it needs once, and not once for each. Built without the commit, or each would want all packages
# looked at again. First it is to find what is in its package found, and nothing else. Where the vet
# of a newer Go has a check that it lacks, that vet runs, too.
.PHONY: analysis
analysis:
	@$(SELDOM) $(GO) build -C .ci/analysis -buildvcs=false -o $(CURDIR)/bin/analysis . || exit 1; \
	got=$$($(SELDOM) $(GO) vet -C .ci/analysis -tags $(TAGS) -vettool=$(CURDIR)/bin/analysis ./found 2>&1 | grep -oE '\([A-Z]+[0-9]+\)$$|passes lock by value' | LC_ALL=C sort | tr -d '\n'); \
	[ "$$got" = '(S1003)(S1004)(SA4000)(U1000)passes lock by value' ] || { printf 'the analysis finds %s in .ci/analysis/found\n' "$${got:-nothing}"; exit 1; }

.PHONY: test-vet
test-vet: analysis
	$(call step,vet and static analysis)
	@$(VET) ./...
	@has=$$(./bin/analysis help) || exit 1; \
	for check in $$($(GO) tool vet help | awk '/^Registered analyzers/ { on = 1 } on && /^    / { print $$1 } /^By default/ { exit }'); do \
		printf '%s\n' "$$has" | grep -q "^    $$check " || lacks="$$lacks $$check"; \
	done; \
	[ -z "$$lacks" ] || { printf '.ci/analysis lacks of go vet:%s\n' "$$lacks"; $(SELDOM) $(GO) vet -tags $(TAGS) ./...; }

# The machine and the simulator start no goroutine (a test over their syntax trees holds
# that), so the race detector has nothing to find there; nor has it in packages that neither
# start one, lock nor serve, though their tests may: what runs beside is watched in the package
# that starts it. Nor in the tests that try each place of something, which it would make ten
# times as dear: those of packages that it watches, which are marked (package exhaustive), run
# by their names without it, with the tag of the kills, so that the program's tests are compiled
# once for both. It needs a C compiler, and with one the store's library would take
# its compression from C, which the program does not. With the race detector calls are not
# inlined: the same reads and writes are watched, and the compiler and the linker, who work for
# these tests alone, save more time than the tests lose.
NO_INLINING := -gcflags='all=-dwarf=false -l'
below = $(sort $(patsubst %/,./%,$(dir $(1))))
TESTED = $(call below,$(shell find cmd runtime -name '*_test.go'))
AT_ONCE_WORDS := (^|[[:space:]])go (func|[A-Za-z_.]+[(])|sync[.]|atomic[.]|errgroup|httptest|http[.]Serve
AT_ONCE = $(call below,$(shell grep -rlE --include='*.go' --exclude='*_test.go' '$(AT_ONCE_WORDS)' cmd runtime))
EXHAUSTIVE_FILES = $(shell grep -rl --include='*_test.go' shelly/runtime/exhaustive cmd runtime)
EXHAUSTIVE_TESTS = $(shell awk '/^func Test/ { match($$0, /Test[A-Za-z0-9_]+/); t = substr($$0, RSTART, RLENGTH) } /exhaustive\.Test\(.*\)/ { printf "%s%s", or, t; or = "|" }' $(EXHAUSTIVE_FILES))

.PHONY: test-race
test-race:
	$(call step,unit and property tests of the machine and the simulator)
	@$(SELDOM) $(GO) test -shuffle=on ./fsm/... ./sim/... ./scenarios/...
	$(call step,unit tests that try each place of a fault)
	@$(SELDOM) $(GO) test -tags failpoint -shuffle=on -run '^($(EXHAUSTIVE_TESTS))$$' $(filter $(AT_ONCE),$(call below,$(EXHAUSTIVE_FILES)))
	$(call step,unit tests of what does one thing at a time)
	@$(SELDOM) $(GO) test -shuffle=on $(filter-out $(AT_ONCE),$(TESTED))
	$(call step,unit tests with the race detector of what does more)
	@GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 $(SELDOM) $(GO) test -race $(NO_INLINING) $(OFTENER) -tags pebblegozstd -shuffle=on $(filter $(AT_ONCE),$(TESTED)) # or each process waits for a second at its end

# Canaries are known bugs that an overlay puts into the code, with the tests that wake them; the
# proof must find each (SIM-12).
.PHONY: test-canaries
test-canaries: analysis
	$(call step,every known bug is found)
	@dir=$$(mktemp -d) || exit 1; trap 'rm -rf "$$dir"' EXIT; \
	$(GO) run ./cmd/canaries "$$dir" || exit 1; \
	$(VET) -overlay "$$dir/overlay.json" $$(cd "$$dir" && find . -name '*.go' -exec dirname {} + | sort -u) || exit 1; \
	out=$$($(SELDOM) $(GO) test -overlay "$$dir/overlay.json" -run '^TestCanariesAreFound' -count=1 -v ./sim/scenario ./sim/property ./runtime/store) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E '^ +(--- PASS|canary_test)|^ok' || { printf 'no test looks for canaries\n'; exit 1; }

# What make test says must not depend on a model that happens to be there: with the demo
# brain the live scenarios are skipped, and "make e2e-ollama" plays them.
.PHONY: test-scenarios
test-scenarios: build
	$(call step,nothing doubtful in the scenarios)
	@$(LINT)
	$(call step,scenarios on the runtime: the same inputs and effects)
	@SHELLY_BRAIN_KIND=demo ./$(BIN) test scenarios --on runtime --ci

.PHONY: test-crashes
test-crashes: build
	$(call step,every scenario$(comma) and again with a crash at each point)
	@$(RARER) ./$(BIN) test scenarios --every-crash --min-transitions 100 --ci

# The real daemon, killed with SIGKILL and started again, over and over, and beside what
# else goes wrong around it. KILLS are those at
# named points (0: at each hit of each), FRONT_KILLS those of each kind of client (0: at each point),
# RANDOM_KILLS the runs with up to three at random. What runs longer than KILL_LIMIT hangs.
KILLS ?= 150
FRONT_KILLS ?= 20
RANDOM_KILLS ?= 30
KILL_SEED ?= 1
KILL_LIMIT ?= 30m

.PHONY: test-kills
test-kills:
	$(call step,the daemon killed at named points and at random)
	@out=$$($(GO) test -tags failpoint -run 'Kill|Fault' -skip 'WhileATool|WhileACommand|AfterAKill|OfTheMatrix' -count=1 -timeout $(KILL_LIMIT) -v ./cmd/shelly -kills $(KILLS) -front-kills $(FRONT_KILLS) -random-kills $(RANDOM_KILLS) -kill-seed $(KILL_SEED)) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E '^ +(kill_test.go|[0-9]+ )|^--- PASS|^ok' || { printf 'no test kills anything\n'; exit 1; }

# The daemon with SESSIONS at once, by clients of each kind, killed once in the middle. What is
# said of the time depends on the machine and is not judged.
SESSIONS ?= 1000

.PHONY: load
load: ## Kill the daemon under the load of SESSIONS sessions: nothing lost, nothing doubled, how long replies take.
	$(call step,$(SESSIONS) sessions at once and one kill)
	@out=$$($(GO) test -tags failpoint -run '^TestKilledUnderLoad' -count=1 -timeout 30m -v ./cmd/shelly -load-sessions $(SESSIONS)) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E 'sessions|replies|^ok'

.PHONY: test-explore
test-explore: build
	$(call step,every interleaving of the explored worlds)
	@./$(BIN) explore --world all --states 0
	@./$(BIN) explore scenarios/server/reads-what-a-person-writes-in.scenario.yaml --states 0

.PHONY: test-spec
test-spec: build
	$(call step,specification)
	@./$(BIN) spec --check

# Hostile and harmless commands by each way of containing them, as root also as a user that is
# not. Nothing of it meets a network; what cannot be tried here is said.
.PHONY: sandbox
sandbox: ## Run hostile and harmless commands by each way of containing them.
	$(call step,commands contained)
	@out=$$($(GO) test -count=1 -timeout 60m -v ./runtime/tool/corpus -args -corpus.all) || { \
		printf '%s\n' "$$out"; printf 'what failed:\n'; \
		printf '%s\n' "$$out" | grep -E '^uid .*: (escaped|wrongly refused): |_test.go:|^panic' | sort -u; exit 1; }; \
	printf '%s\n' "$$out" | grep '^uid'

# The table of docs/costs.md is the last thing in it. What default reads again is to stay
# within a twentieth of the least, and no profile is to read more than a quarter more than its
# document's order costs, whatever the table says.
.PHONY: test-costs
test-costs: build
	$(call step,the table of costs)
	@table=$$(./$(BIN) scenario cost scenarios/cost --format markdown) || exit 1; \
	printf '%s\n' "$$table" | awk -F '|' '/profile=default\]/ { n++ } $$9 + 0 > 1.25 || /profile=default\]/ && $$8 + 0 > 1.05 { print "reads too much:" $$0; bad = 1 } END { exit bad || n < 5 }' || exit 1; \
	printf '%s\n' "$$table" | { sed -n '/^| case/,$$p' docs/costs.md | diff - /dev/fd/3; } 3<&0 || { printf 'docs/costs.md is not up to date; run make costs\n'; exit 1; }

.PHONY: costs
costs: build ## Renew the table of docs/costs.md.
	@table=$$(./$(BIN) scenario cost scenarios/cost --format markdown) && \
	text=$$(sed '/^| case/,$$d' docs/costs.md) && printf '%s\n\n%s\n' "$$text" "$$table" > docs/costs.md

.PHONY: proof
proof: build ## Prove more than make test has time for.
	$(call step,explore the large world to its end)
	@./$(BIN) explore --world storm --states 0
	$(call step,each property for $(PROOF_BUDGET))
	@./$(BIN) test scenarios/properties -v --seeds 1000000 --budget $(PROOF_BUDGET)
	$(call step,each scenario twice)
	@./$(BIN) test scenarios --twice
	$(call step,the daemon killed at each hit of each named point and in 500 runs at random)
	@$(MAKE) --no-print-directory test-kills KILLS=0 FRONT_KILLS=0 RANDOM_KILLS=500 KILL_SEED=$$(date +%s) KILL_LIMIT=2h
	@$(MAKE) --no-print-directory sandbox
	@$(MAKE) --no-print-directory week
	$(call step,$(PROOF_CHECKS) arbitrary histories of the machine)
	@$(GO) test -count=1 -timeout 60m ./fsm ./fsm/machine -rapid.checks=$(PROOF_CHECKS)

# In virtual time, with the store on a real disk under TMPDIR. "make test" has a day of it.
.PHONY: week
week: ## Have the daemon work for a week of virtual time: what it takes of the disk and of memory has an end.
	$(call step,a week of work)
	@out=$$($(GO) test -run '^TestJRN35' -count=1 -timeout 60m -v ./cmd/shelly/internal/week -hours 168 -per-hour 24) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E 'hour|^ok'

# Each fuzz target for FUZZTIME (a time such as 10s, or a number of runs such as 5000x), one
# after another. What fails is kept in testdata/fuzz, and "make test" runs it again.
.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME; ONLY picks some by a pattern.
	$(call step,fuzz each target for $(FUZZTIME))
	@grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' $(CODE) | sort | while IFS=: read -r file line func; do \
		name=$${func#func }; \
		printf '%s\n' "$$name" | grep -qE '$(ONLY)' || continue; \
		out=$$($(GO) test ./$$(dirname $$file) -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x 2>&1) || { printf '%s\n' "$$out"; exit 1; }; \
		printf '%-24s %s\n' "$$name" "$$(printf '%s\n' "$$out" | sed -n 's/^fuzz: elapsed: .*execs: \([0-9]*\).*interesting: [0-9]* (total: \([0-9]*\)).*/\1 runs, \2 inputs kept/p' | tail -1)"; \
	done

# Each benchmark measures its yardstick in the same run: the ratios hold on any machine, the
# times on the one that is named. What is written is for benchstat, too.
BENCH ?= .
BENCHED ?= ./...
BENCH_FILE := docs/benchmarks.md
.PHONY: bench
bench: ## Run the benchmarks and write docs/benchmarks.md (BENCH: which, BENCHED: of which packages).
	$(call step,benchmarks)
	@out=$$(mktemp) && trap 'rm -f "$$out"' EXIT && \
	{ $(GO) test -run '^$$' -bench '$(BENCH)' -benchmem $(BENCHED) 2>&1 || echo FAIL; } | tee "$$out" && ! grep -q '^FAIL' "$$out" && \
	bare=$$(grep '^Benchmark' "$$out" | grep -vE 'of-|/said' || true) && \
	if [ -n "$$bare" ]; then printf 'without a yardstick:\n%s\n' "$$bare"; exit 1; fi && \
	{ printf '%s\n' '# Benchmarks' '' 'Written by `make bench`; do not edit. Compare ratios, not times: each benchmark runs its yardstick beside it, which its comment names. A ratio is of times, or of rates where a rate stands beside it: `of-…` is how much of the yardstick it is.' ''; \
	printf 'Benchmarks `%s` of `%s`, commit %s, %s processors, load average %s at the end.\n\n```text\n' '$(BENCH)' '$(BENCHED)' "$$(git rev-parse --short HEAD)" "$$(getconf _NPROCESSORS_ONLN)" "$$(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown)"; \
	grep -E '^(goos|goarch|pkg|cpu|Benchmark)' "$$out"; printf '```\n'; } >$(BENCH_FILE)

# The tests behind the tag and the live scenarios, and only they, against the server of
# OLLAMA_HOST. They bring handmade models and take them away again. With OLLAMA_BIN, an
# ollama to run, one of their own is stopped and started in the midst of an answer. What the
# simulated server reads is held against what that server's answers say or, if it is an older one,
# the debug log in OLLAMA_LOG.
.PHONY: e2e-ollama
e2e-ollama: build ## Test against the Ollama server that OLLAMA_HOST names.
	$(call step,end to end with Ollama)
	@if [ -z "$$OLLAMA_HOST" ]; then \
		printf 'SKIP: OLLAMA_HOST is not set; set it to the address of a running Ollama server\n'; exit 0; \
	fi; \
	files=$$(grep -rlE --include='*_test.go' '^//go:build .*$(E2E_TAG)' $(CODE)); \
	if [ -z "$$files" ]; then printf 'no test has the build tag $(E2E_TAG)\n'; exit 1; fi; \
	tests=$$(sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' $$files | grep -v '^TestMain$$' | paste -sd '|' -); \
	packages=$$(for f in $$files; do printf './%s\n' "$$(dirname "$$f")"; done | sort -u); \
	$(GO) test -tags $(E2E_TAG) -p 1 -count=1 -v -run "^($$tests)\$$" $$packages || exit 1; \
	model=$${SHELLY_BRAIN_MODEL:-$$(./$(BIN) model list | awk 'NR > 1 && /tools/ && $$5 ~ /^[0-9.]+B$$/ { print $$1; exit }')}; \
	if [ -z "$$model" ]; then \
		printf 'SKIP: no model of this server calls tools and has 1B parameters or more, and of a weaker one an answer says nothing of shelly; name one by SHELLY_BRAIN_MODEL. Not tried:\n'; \
		sed -n 's/^name: /  /p' scenarios/ollama/*.scenario.yaml; exit 0; \
	fi; \
	SHELLY_BRAIN_MODEL=$$model ./$(BIN) test -v scenarios/ollama --tags 'not handmade' --on runtime || [ $$? -eq 4 ] # 4: the server has no model for them, as was said

# The clients are installed from npm into a folder that is gone afterwards. With OLLAMA_BIN,
# an ollama to run, or with one in PATH, its command line is a client too.
.PHONY: e2e-clients
e2e-clients: ## Test the mock and the agent with clients of others: npm's and Ollama's command line.
	$(call step,the mock and the agent with clients of others)
	@out=$$($(GO) test -tags $(CLIENTS_TAG) -count=1 -v -run '^TestClients' ./cmd/shelly) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E '^ *(--- |clients_e2e_test.go)|^ok|checks$$'

# The reference servers are installed from npm into a folder that is gone afterwards.
.PHONY: e2e-mcp
e2e-mcp: ## Test the MCP client with the protocol's reference servers from npm.
	$(call step,the MCP client and the reference servers)
	@out=$$($(GO) test -tags $(MCP_TAG) -count=1 -v -run '^TestTheReferenceServersWork' ./runtime/mcp) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E '^ *(--- |servers_e2e_test.go)|^ok'

# systemd-analyze is in Debian's package systemd, which need not be the machine's init.
.PHONY: e2e-channels
e2e-channels: ## Test the channels with a real chat server, Debian's prosody.
	$(call step,the channels and prosody)
	@out=$$($(GO) test -tags $(CHANNELS_TAG) -count=1 -v -run '^TestChannels' ./cmd/shelly) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E '^ *(--- |channels_e2e_test.go)|^ok'

.PHONY: e2e-service
e2e-service: ## Test the units with systemd's own verifier.
	$(call step,the units and systemd-analyze)
	@out=$$($(GO) test -tags service_e2e -count=1 -v -run '^TestSystemdAcceptsTheUnits' ./cmd/shelly/service) || { printf '%s\n' "$$out"; exit 1; }; \
	$(RAN); \
	printf '%s\n' "$$out" | grep -E 'Overall|^ *--- |^ok'

# The browser is chromium with chromedriver; what it shows is written as pictures into the folder
# that BROWSER_PICTURES names.
.PHONY: e2e-browser
e2e-browser: ## Click through what a browser shows, with chromium and chromedriver.
	$(call step,the page in a browser)
	@packages=$$(grep -rlE --include='*_test.go' '^//go:build .*$(BROWSER_TAG)' $(CODE) | xargs -n1 dirname | sort -u | sed 's,^,./,'); \
	out=$$($(GO) test -tags $(BROWSER_TAG) -p 1 -count=1 -timeout 30m -v $$packages) || { printf '%s\n' "$$out"; exit 1; }; \
	printf '%s\n' "$$out" | grep -E '^ *(--- |browser.go)|^ok'

# Without N each row and each phase of the tables is changed, with N that many places of the
# machine's code, drawn by SEED. V=1 says what killed each.
SEED ?= 1

.PHONY: mutants
mutants: ## Change the machine, one thing at a time: do the scenarios notice? N draws N changes of its code by SEED.
	$(call step,mutants of the machine)
	@$(GO) run ./cmd/mutants -run '$(ONLY)' $(if $(N),-n $(N) -seed $(SEED)) $(if $(V),-v)

# The same commit and the same Go make the same bytes: no paths, no build time, and in archives
# and packages no owner and the commit's time.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/arm64 windows/amd64
DIST := dist
PACKAGER := $(GO) tool -modfile=.ci/package.mod

# Packages want a version that begins with a digit and sorts: that of the tag, or the commit's date.
TAGGED := $(shell git describe --tags --match 'v[0-9]*' --abbrev=0 --exact-match 2>/dev/null)
PACKAGE_VERSION ?= $(or $(TAGGED:v%=%),0~$(shell git log -1 --format=%cd.%h --date=format:%Y%m%d%H%M%S))

.PHONY: dist
dist: ## Build archives, packages (deb, rpm) and bills of material with checksums for PLATFORMS, into dist.
	@rm -rf $(DIST); mkdir -p $(DIST); at=$$(git log -1 --format=%ct) || exit 1; \
	for platform in $(PLATFORMS); do \
		os=$${platform%/*} arch=$${platform#*/}; name=shelly-$(VERSION)-$$os-$$arch; bin=shelly; [ $$os != windows ] || bin=shelly.exe; \
		printf '==> build %s\n' "$$name"; mkdir $(DIST)/$$name && \
		GOOS=$$os GOARCH=$$arch $(GO) build -buildvcs=false -ldflags '-s -w -X shelly/cmd/shelly/internal/version.stamp=$(VERSION)' -o $(DIST)/$$name/$$bin ./cmd/shelly && \
		cp LICENSE README.md $(DIST)/$$name && \
		SOURCE_DATE_EPOCH=$$at $(PACKAGER) cyclonedx-gomod bin -json -std -noserial -notimestamp -version $(VERSION) -output $(DIST)/$$name.cdx.json $(DIST)/$$name/$$bin 2>/dev/null && \
		if [ $$os = linux ]; then for kind in deb rpm; do \
			PLACE=$$name ARCH=$$arch PACKAGE_VERSION='$(PACKAGE_VERSION)' SOURCE_DATE_EPOCH=$$at \
			$(PACKAGER) nfpm package --config cmd/shelly/service/package/nfpm.yaml --packager $$kind --target $(DIST)/$$name.$$kind >/dev/null || exit 1; done; \
			mkdir -p $(DIST)/image/$$arch $(DIST)/image/folder && cp $(DIST)/$$name/$$bin $(DIST)/image/$$arch || exit 1; fi && \
		(cd $(DIST) && tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@$$at -cf - $$name | gzip -n > $$name.tar.gz && rm -r $$name) || exit 1; \
	done; cd $(DIST) && sha256sum shelly-* > SHA256SUMS && cat SHA256SUMS

# What is built for other systems is compiled, and not run.
.PHONY: cross
cross: ## Compile the program for each of PLATFORMS.
	$(call step,the program for $(PLATFORMS))
	@for platform in $(PLATFORMS); do GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -o /dev/null ./cmd/shelly || exit 1; done

.PHONY: fmt
fmt: build ## Format the code and the scenarios.
	@$(GOFMT) -w $(CODE)
	@./$(BIN) scenario format scenarios

.PHONY: spec
spec: ## Renew the generated blocks of the specification, and docs/openapi.json.
	@$(GO) test -count=1 -run '^TestGeneratedBlocksAreUpToDate$$' ./fsm/spec -update
	@$(GO) test -count=1 -run '^TestCOM97' ./cmd/shelly -update-openapi

.PHONY: schema
schema: ## Renew the JSON Schema and the reference of scenario files.
	@$(GO) test -count=1 -run '^TestSchemaIsUpToDate$$' ./sim/scenario/format -update
	@$(GO) test -count=1 -run '^TestSCN67EveryKeyHasAMeaning' ./sim/scenario/reference -update
	@$(GO) test -count=1 -run '^TestSCN67ThePageIsUpToDate$$' ./sim/scenario/reference -update

.PHONY: clean
clean: ## Remove what was built.
	@rm -rf bin dist
