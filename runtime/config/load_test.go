package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/runtime/config"
)

// world is a scratch folder with the sources of one load.
type world struct {
	t   *testing.T
	dir string
	config.Sources
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	return &world{t: t, dir: dir, Sources: config.Sources{
		Dir:  filepath.Join(dir, "work"),
		Home: filepath.Join(dir, "home"),
	}}
}

// write makes a file in the scratch folder and returns its path.
func (w *world) write(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) load() config.Config {
	w.t.Helper()
	c, err := config.Load(w.Sources)
	if err != nil {
		w.t.Fatalf("load: %v", err)
	}
	return c
}

// complaint returns the error's text with the scratch folder cut out.
func (w *world) complaint() string {
	w.t.Helper()
	_, err := config.Load(w.Sources)
	if err == nil {
		w.t.Fatal("load: no error")
	}
	return strings.ReplaceAll(err.Error(), w.dir+"/", "")
}

// wrong is a line of a section, and part of what is wrong with it.
type wrong struct{ yaml, want string }

// complains loads a file with a section of each line alone.
func complains(t *testing.T, section string, lines []wrong) {
	t.Helper()
	for _, l := range lines {
		w := newWorld(t)
		w.File = w.write("c.yaml", section+":\n  "+l.yaml+"\n")
		if got := w.complaint(); !strings.Contains(got, l.want) {
			t.Errorf("%s: got %s; want one with %q", l.yaml, got, l.want)
		}
	}
}

// setting returns one line of Explain with the scratch folder cut out.
func (w *world) setting(c config.Config, key string) config.Setting {
	w.t.Helper()
	for _, s := range c.Explain() {
		if s.Key == key {
			s.Value = strings.ReplaceAll(s.Value, w.dir+"/", "")
			s.Source = strings.ReplaceAll(s.Source, w.dir+"/", "")
			return s
		}
	}
	w.t.Fatalf("no setting %s", key)
	return config.Setting{}
}

func TestCFG1EachSourceOverridesTheOnesBelow(t *testing.T) {
	w := newWorld(t)
	want := func(value, source string) {
		t.Helper()
		got := w.setting(w.load(), "limits.max_queue")
		if diff := cmp.Diff(config.Setting{Key: "limits.max_queue", Value: value, Source: source}, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	want("64", "profile default")
	w.DefaultFile = w.write("default.yaml", "# mine\nlimits:\n  max_queue: 1\n")
	want("1", "default.yaml:3")
	w.File = w.write("named.yaml", "limits: {max_queue: 2}\n")
	want("2", "named.yaml:1")
	w.Environ = []string{"SHELLY_LIMITS_MAX_QUEUE=3"}
	want("3", "environment SHELLY_LIMITS_MAX_QUEUE")
	w.Overrides = []config.Override{{Flag: "--max-queue", Key: "limits.max_queue", Value: "4"}}
	want("4", "flag --max-queue")
	w.Overrides = append(w.Overrides, config.Override{Flag: "--set", Key: "limits.max_queue", Value: "5"})
	want("5", "flag --set")
}

// The identity is the built-in one (CFG-4), and the tools are added (CFG-5).
func TestDefaultsAreThoseOfTheProfile(t *testing.T) {
	w := newWorld(t)
	c := w.load()
	tools := []fsm.ToolDecl{{Name: "read_file", Effects: fsm.EffectsNone}}
	want := profile.Default()
	want.Tools, want.Channels = append(want.Tools, tools...), []string{"cli"}
	want.Prompts = c.Machine(nil, nil).Prompts // with their placeholders filled in
	if diff := cmp.Diff(want, c.Machine(tools, nil)); diff != "" {
		t.Errorf("machine's part (-want +got)\n%s", diff)
	}
	if got, want := c.Data, filepath.Join(w.Home, ".local/share/shelly"); got != want {
		t.Errorf("data = %s, want %s", got, want)
	}
	if c.Workspace != w.Dir {
		t.Errorf("workspace = %s, want %s", c.Workspace, w.Dir)
	}
	if c.Tools.Exec.Allowed() {
		t.Error("exec is allowed by default")
	}
	if c.Brain.Temperature != 0 {
		t.Errorf("temperature = %v, want the model's own", c.Brain.Temperature)
	}
}

func TestCFG5EveryLimitAndPromptReachesTheMachine(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", `
profile: shelly
init: off
limits: {max_tool_rounds: 1, max_iterations: 2, max_tool_calls: 3, max_calls_per_answer: 4, reads_at_once: 36, max_tool_attempts: 5, max_answer_attempts: 6,
  max_repeats: 7, max_compactions: 8, max_cognition_rounds: 9, recall_top_k: 10, max_store_attempts: 11, max_active: 12, session_burst: 35, max_queue: 13,
  max_subagents: 14, subagent_iterations: 15, max_schedules: 16, max_crashes: 17, max_turns: 18, max_history: 19, max_pending: 20,
  keep_messages: 21, context_tokens: 1022, max_text_bytes: 1048577, offer_tokens: 1023, compress_percent: 23, answer_percent: 24, think_percent: 25, backoff: [24ms], retry_delay: 25ms, init_timeout: 26ms, handle_timeout: 27s,
  subagent_timeout: 28ms, compact_timeout: 29ms, approval_timeout: 30ms, hold_timeout: 31ms, shutdown_timeout: 32m, grace: 33h, abort_timeout: 34s, probe_timeout: 35s}
switches: {no_cognition: true, history: all, overflow: consolidate, compress: true, remember: idle, reply_first: true, cancel: checkpoint,
  stop_at_calls: true, empty_answers: true, no_farewell: true,
  at_limit: notice, at_length: state, hold_unknown: true, unattended: true, alternate: true, coalesce: true, commands: true,
  auto_load_skills: true, text_calls: true}
comm: {channels: [pager]}
prompts: {identity: I, question: "Q NEED:", init: N, farewell: F, summary: S, reflection: R, subagent: A, compress: C, overflow: O,
  consolidate: D, empty: E, at_limit: L, at_length: T}
`)
	want := fsm.Config{
		Profile: "shelly",
		Init:    fsm.InitOff,
		Switches: fsm.Switches{
			StopAtCalls: true, EmptyAnswers: true, NoFarewell: true,
			NoCognition: true, History: fsm.HistoryAll, Overflow: fsm.OverflowConsolidate, Compress: true, Remember: fsm.RememberIdle, SideCalls: fsm.SideAppended,
			ReplyFirst: true, Cancel: fsm.CancelCheckpoint, AtLimit: fsm.EndNotice, AtLength: fsm.EndState, HoldUnknown: true,
			Unattended: true, Alternate: true, Coalesce: true, Commands: true, AutoLoadSkills: true, TextCalls: true, SpareModel: true, Reading: fsm.ReadingCareful,
		},
		Limits: fsm.Limits{
			MaxToolRounds: 1, MaxIterations: 2, MaxToolCalls: 3, MaxCallsPerAnswer: 4, ReadsAtOnce: 36, MaxToolAttempts: 5, MaxAnswerAttempts: 6,
			MaxRepeats: 7, MaxCompactions: 8, MaxCognitionRounds: 9, RecallTopK: 10, MaxStoreAttempts: 11, MaxActive: 12, SessionBurst: 35, MaxQueue: 13,
			MaxSubagents: 14, SubagentIterations: 15, MaxSchedules: 16, MaxCrashes: 17, MaxTurns: 18, MaxHistory: 19, MaxPending: 20,
			KeepMessages: 21, ContextTokens: 1022, MaxTextBytes: 1048577, OfferTokens: 1023, CompressPercent: 23, AnswerPercent: 24, ThinkPercent: 25, Backoff: []fsm.Millis{24}, RetryDelay: 25, InitTimeout: 26,
			HandleTimeout: 27 * fsm.Second, SubagentTimeout: 28, CompactTimeout: 29, ApprovalTimeout: 30, HoldTimeout: 31,
			ShutdownTimeout: 32 * 60 * fsm.Second, Grace: 33 * 3600 * fsm.Second, AbortTimeout: 34 * fsm.Second, ProbeTimeout: 35 * fsm.Second,
		},
		Prompts: fsm.Prompts{
			Identity: "I", Question: "Q NEED:", Init: "N", Farewell: "F", Summary: "S", Reflection: "R", Subagent: "A", Compress: "C",
			Overflow: "O", Consolidate: "D", Empty: "E", AtLimit: "L", AtLength: "T",
		},
		Words:    fsm.PresentWords(),
		AuditAll: true,
		Edition:  fsm.PresentEdition,
		Tools:    fsm.Builtins(fsm.ToolReadMore),
		Channels: []string{"cli", "pager"},
	}
	if diff := cmp.Diff(want, w.load().Machine(nil, nil)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAFileMayGiveEverything(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("etc/c.yaml", `
profile: shelly
data: ~/state
workspace: ../project
brain:
  kind: auto
  url: https://ollama.lan:8443/
  model: qwen3:4b
  embed_model: nomic-embed-text
  num_ctx: 4096
  num_predict: 256
  keep_alive: 0s
  slots: 2
  preload: false
  temperature: 0.25
  seed: 7
  think: low
  tools: described
  on_unreachable: wait
  timeouts: {connect: 1s, load: 3m, first_token: 2m, idle: 500ms, total: 1h30m}
tools: {exec: {allow: true, timeout: 90s, timeout_max: 5m, reads: [~/sdk], path: [/opt/go/bin, bin], env: {GOFLAGS: "-mod=mod"}}, files: [read_file, grep], secrets: allow, result_bytes_max: 4096, read_bytes_max: 1MiB, web: {allow: true, allow_addresses: [10.0.0.0/8], timeout: 5s, bytes_max: 1MiB, search: {kind: searxng, url: "http://127.0.0.1:8888", key_from: KEY}}}
comm: {http: "[::1]:0", udp: off, openai: off}
request_bytes_max: 128KiB
reserve: 0
retention: {age: 720h, bytes: 2GiB}
log: {level: debug, format: json}
limits: # nothing yet
`)
	c := w.load()
	brain := c.Brain
	want := config.Brain{
		Kind: "auto", URL: "https://ollama.lan:8443", Model: "qwen3:4b", EmbedModel: "nomic-embed-text",
		NumCtx: 4096, NumPredict: 256, Slots: 2, Temperature: 250, Seed: 7, Think: "low", Tools: "described", OnUnreachable: "wait",
		Timeouts: config.Timeouts{Connect: time.Second, Load: 3 * time.Minute, FirstToken: 2 * time.Minute, Idle: 500 * time.Millisecond, Total: 90 * time.Minute},
	}
	if diff := cmp.Diff(want, brain); diff != "" {
		t.Errorf("brain (-want +got)\n%s", diff)
	}
	if got, want := c.Data, filepath.Join(w.Home, "state"); got != want {
		t.Errorf("data = %s, want %s", got, want)
	}
	if got, want := c.Workspace, filepath.Join(w.dir, "project"); got != want {
		t.Errorf("workspace = %s, want %s: a path in a file counts from the file", got, want)
	}
	if diff := cmp.Diff(config.Comm{HTTP: "[::1]:0", OpenAI: "off", Ollama: "on", Unix: "shelly.sock", MCP: "on"}, c.Comm); diff != "" {
		t.Errorf("comm (-want +got)\n%s", diff)
	}
	wantTools := config.Tools{Exec: config.Exec{
		Allow: "true", Timeout: 90 * time.Second, TimeoutMax: 5 * time.Minute, Memory: 4 * config.GiB, Processes: 512, FileSize: 256 * config.MiB, OpenFiles: 1024, Disk: config.GiB,
		Reads: []string{filepath.Join(w.Home, "sdk")}, Path: []string{"/opt/go/bin", filepath.Join(w.dir, "etc/bin")}, Env: config.Variables{{Name: "GOFLAGS", Value: "-mod=mod"}},
	}, Files: []string{"read_file", "grep"}, Secrets: "allow", RestrictToWorkspace: true, ResultBytesMax: 4 * config.KiB, ReadBytesMax: config.MiB}
	wantTools.Web = config.Web{
		Allow: true, AllowAddresses: []string{"10.0.0.0/8"}, Timeout: 5 * time.Second, BytesMax: config.MiB,
		Search: config.Search{Kind: "searxng", URL: "http://127.0.0.1:8888", KeyFrom: "KEY"},
	}
	if diff := cmp.Diff(wantTools, c.Tools); diff != "" {
		t.Errorf("tools (-want +got)\n%s", diff)
	}
	if c.RequestBytesMax != 128*config.KiB || c.Reserve != 0 {
		t.Errorf("request_bytes_max, reserve = %v, %v", c.RequestBytesMax, c.Reserve)
	}
	if diff := cmp.Diff(config.Retention{Age: 720 * time.Hour, Bytes: 2 * config.GiB}, c.Retention); diff != "" {
		t.Errorf("retention (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(config.Log{Level: "debug", Format: "json", Keep: 16 * config.MiB}, c.Log); diff != "" {
		t.Errorf("log (-want +got)\n%s", diff)
	}
}

// The listeners accept only addresses: a name may lead elsewhere tomorrow.
func TestCOM1LocalhostIsItsAddress(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "comm: {http: 'localhost:7433', udp: 'localhost:0'}\n")
	if diff := cmp.Diff(config.Comm{HTTP: "127.0.0.1:7433", UDP: "127.0.0.1:0", OpenAI: "on", Ollama: "on", Unix: "shelly.sock", MCP: "on"}, w.load().Comm); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFileOfCommentsAloneSaysNothing(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "# brain:\n#   model: qwen3:4b\n")
	w.load()
}

func TestAFileIsFoundByAnyPathThatLeadsToIt(t *testing.T) {
	w := newWorld(t)
	file := w.write("work/shelly.yaml", "brain: {model: given}\n")
	for _, path := range []string{file, w.Dir + "/./shelly.yaml", w.Dir + "//shelly.yaml", w.Dir + "/../work/shelly.yaml", "shelly.yaml", "../work/shelly.yaml"} {
		w.File = path
		if c := w.load(); c.Brain.Model != "given" {
			t.Errorf("%s: the model is %q", path, c.Brain.Model)
		}
	}
}

// No tool changes the daemon's configuration (TOL-24, TOL-45), so it must be known where that is.
func TestTOL24FilesHasTheConfigurationFileHoweverItWasNamed(t *testing.T) {
	w := newWorld(t)
	for what, file := range map[string]string{
		"with a setting": w.write("work/shelly.yaml", "brain: {model: given}\n"),
		"of comments":    w.write("work/comments.yaml", "# brain: {model: given}\n"),
		"with a colon":   w.write("work/a:b.yaml", "brain: {model: given}\n"),
	} {
		for _, path := range []string{file, filepath.Base(file)} {
			w.File = path
			if diff := cmp.Diff([]string{file}, w.load().Files()); diff != "" {
				t.Errorf("a file %s, named %s (-want +got):\n%s", what, path, diff)
			}
		}
	}
	w.File, w.DefaultFile = "", filepath.Join(w.Home, "config.yaml")
	if diff := cmp.Diff([]string{w.DefaultFile}, w.load().Files()); diff != "" {
		t.Errorf("no file yet (-want +got):\n%s", diff)
	}
	w.File = w.write("work/told.yaml", "prompts: {identity_file: who.txt}\n")
	who := w.write("work/who.txt", "You are Ada.\n")
	if diff := cmp.Diff([]string{w.File, who}, w.load().Files()); diff != "" {
		t.Errorf("with an identity (-want +got):\n%s", diff)
	}
	w.File, w.DefaultFile = "", ""
	if files := w.load().Files(); len(files) > 0 {
		t.Errorf("%q without a file", files)
	}
}

func TestDefaultFileMayBeMissing(t *testing.T) {
	w := newWorld(t)
	w.DefaultFile = filepath.Join(w.dir, "nowhere.yaml")
	w.load()
}

func TestRelativePathOfAFlagCountsFromTheCurrentFolder(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("etc/c.yaml", "data: state\n")
	w.Overrides = []config.Override{{Flag: "--workspace", Key: "workspace", Value: "sub"}}
	c := w.load()
	if got, want := c.Workspace, filepath.Join(w.Dir, "sub"); got != want {
		t.Errorf("workspace = %s, want %s", got, want)
	}
	if got, want := c.Data, filepath.Join(w.dir, "etc/state"); got != want {
		t.Errorf("data = %s, want %s", got, want)
	}
}

func TestDefaultFoldersFollowXDG(t *testing.T) {
	w := newWorld(t)
	w.Environ = []string{"XDG_DATA_HOME=/srv/data", "XDG_CONFIG_HOME=/srv/etc"}
	if got := w.load().Data; got != "/srv/data/shelly" {
		t.Errorf("data = %s", got)
	}
	for _, c := range []struct {
		environ    []string
		home, want string
	}{
		{w.Environ, "/home/a", "/srv/etc/shelly/config.yaml"},
		{[]string{"XDG_CONFIG_HOME=relative"}, "/home/a", "/home/a/.config/shelly/config.yaml"},
		{nil, "/home/a", "/home/a/.config/shelly/config.yaml"},
		{nil, "", ""}, {nil, "relative", ""},
	} {
		if got := config.DefaultFile(c.environ, c.home); got != c.want {
			t.Errorf("DefaultFile(%q, %q) = %q, want %q", c.environ, c.home, got, c.want)
		}
	}
	for _, home := range []string{"", "relative"} {
		w.Environ, w.Home = nil, home
		if got, want := w.load().Data, filepath.Join(w.Dir, ".shelly"); got != want {
			t.Errorf("with the home %q: data = %s, want %s", home, got, want)
		}
	}
}

func TestCFG2OllamaHostGivesTheBrainsAddress(t *testing.T) {
	for _, c := range []struct{ host, want string }{
		{"127.0.0.1:9999", "http://127.0.0.1:9999"},
		{"gpu.lan", "http://gpu.lan:11434"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"::1", "http://[::1]:11434"},
		{"::", "http://[::1]:11434"},
		{"[::1]:99", "http://[::1]:99"},
		{"http://::1", "http://[::1]"},
		{` "gpu.lan:99" `, "http://gpu.lan:99"},
		{"'::1'", "http://[::1]:11434"},
		{"[::]:8000", "http://[::1]:8000"},
		{":8000", "http://127.0.0.1:8000"},
		{"https://gpu.lan", "https://gpu.lan"},
		{"http://gpu.lan/ollama/", "http://gpu.lan/ollama"},
		{"", "http://127.0.0.1:11434"},
	} {
		w := newWorld(t)
		w.Environ = []string{"OLLAMA_HOST=" + c.host}
		if got := w.load().Brain.URL; got != c.want {
			t.Errorf("OLLAMA_HOST=%s: brain.url = %s, want %s", c.host, got, c.want)
		}
	}
}

func TestCFG2OwnVariableIsAboveOllamaHost(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "brain: {url: http://file:1}\n")
	w.Environ = []string{"SHELLY_BRAIN_URL=http://own:3", "OLLAMA_HOST=other:2"}
	if got, want := w.setting(w.load(), "brain.url"), (config.Setting{
		Key: "brain.url", Value: "http://own:3", Source: "environment SHELLY_BRAIN_URL",
	}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.Environ = w.Environ[1:]
	if got := w.setting(w.load(), "brain.url"); got.Source != "environment OLLAMA_HOST" {
		t.Errorf("got %+v, want OLLAMA_HOST above the file", got)
	}
}

func TestCFG4IdentityComesFromAFile(t *testing.T) {
	w := newWorld(t)
	w.write("etc/who.txt", "You are a test.\n")
	w.File = w.write("etc/c.yaml", "prompts:\n  identity_file: who.txt\n")
	c := w.load()
	if c.Prompts.Identity != "You are a test." {
		t.Errorf("identity = %q", c.Prompts.Identity)
	}
	if got := w.setting(c, "prompts.identity").Source; got != "etc/c.yaml:2" {
		t.Errorf("source = %s", got)
	}
	w.Environ = []string{"SHELLY_PROMPTS_IDENTITY=You are another."}
	if got := w.load().Prompts.Identity; got != "You are another." {
		t.Errorf("identity = %q, want the later source's", got)
	}
}

func TestSKL15ASubagentHasTheIdentityThatSomebodyHasWritten(t *testing.T) {
	for _, c := range []struct{ file, begins string }{
		{"prompts: {identity: Never touch the ledger.}", "Never touch the ledger.\n\nYou are a subagent."},
		{"prompts: {identity: Never touch the ledger., subagent: You help.}", "You help."},
		{"about: {name: Max}", "You are a subagent."},
		{"profile: shelly\nprompts: {identity: Never touch the ledger.}", ""}, // its subagents have the identity anyway
	} {
		w := newWorld(t)
		w.File = w.write("etc/c.yaml", c.file+"\n")
		got := w.load().Prompts.Subagent
		if !strings.HasPrefix(got, c.begins) || c.begins == "" && got != "" {
			t.Errorf("%s: a subagent's prompt is %q", c.file, got)
		}
	}
	w := newWorld(t)
	w.write("etc/who.txt", "Never touch the ledger.\n")
	w.File = w.write("etc/c.yaml", "prompts:\n  identity_file: who.txt\n")
	c := w.load()
	if s := w.setting(c, "prompts.subagent"); !strings.HasPrefix(s.Value, "Never touch the ledger.") || s.Source != "etc/c.yaml:2" {
		t.Errorf("it is %q, of %s", s.Value, s.Source)
	}
}

func TestExplainListsEverySettingOnceAndCanBeReadBack(t *testing.T) {
	w := newWorld(t)
	w.Environ = []string{"SHELLY_BRAIN_TEMPERATURE=0.5", "SHELLY_COMM_UDP=off", "SHELLY_RESERVE=1000", "SHELLY_BRAIN_TIMEOUTS_IDLE=1500ms"}
	first := w.load()
	again := config.Sources{Dir: "/elsewhere"}
	seen := map[string]bool{}
	for _, s := range first.Explain() {
		if seen[s.Key] {
			t.Errorf("%s is listed twice", s.Key)
		}
		seen[s.Key] = true
		if s.Key != "prompts.identity_file" && s.Source != "" {
			again.Overrides = append(again.Overrides, config.Override{Flag: "--set", Key: s.Key, Value: s.Value})
		}
	}
	second, err := config.Load(again)
	if err != nil {
		t.Fatal(err)
	}
	values := func(c config.Config) (v []string) {
		for _, s := range c.Explain() {
			v = append(v, s.Key+"="+s.Value)
		}
		return v
	}
	if diff := cmp.Diff(values(first), values(second)); diff != "" {
		t.Errorf("read back (-want +got)\n%s", diff)
	}
}

func TestExplainMasksPasswords(t *testing.T) {
	w := newWorld(t)
	w.Environ = []string{"SHELLY_TOKEN=hush", "SHELLY_TELEMETRY_TRACES=http://me:hush@gpu.lan"}
	c := w.load()
	if c.Telemetry.Traces != "http://me:hush@gpu.lan" {
		t.Errorf("brain.url = %s: the password is needed", c.Brain.URL)
	}
	for _, s := range c.Explain() {
		if strings.Contains(s.Value+s.Source, "hush") {
			t.Errorf("%+v shows a secret", s)
		}
	}
}

func TestHND50AsManyRunAsTheServerHasSlots(t *testing.T) {
	for _, c := range []struct {
		file   string
		active int
	}{
		{"profile: default\n", 1},
		{"brain: {slots: 3}\n", 3},
		{"brain: {slots: 3}\nlimits: {max_active: 2}\n", 2},
		{"profile: nanobot\nbrain: {slots: 3}\n", 1},
	} {
		w := newWorld(t)
		w.File = w.write("c.yaml", c.file)
		if got := w.load().Limits.MaxActive; got != c.active {
			t.Errorf("%q: %d run at once, want %d", c.file, got, c.active)
		}
	}
}

// Each item of a list is read as its kind wants it: folders become absolute, names are words.
func TestSKL9FoldersOfSkillsBecomeAbsolute(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("etc/c.yaml", "skills: {folders: [~/mine, here, /srv/skills]}\n")
	want := []string{filepath.Join(w.Home, "mine"), filepath.Join(filepath.Dir(w.File), "here"), "/srv/skills"}
	if got := w.load().Skills.Folders; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
