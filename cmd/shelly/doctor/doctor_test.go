package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/sizing"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/ollama"
	"shelly/sim/strict"
)

// large is a model that takes 5 GiB and 144 KiB for each token.
func large(brain config.Brain) (*examined, sizing.Model) {
	e := &examined{
		examination: &examination{}, cfg: config.Config{Brain: brain, Limits: fsm.Limits{MaxActive: 4, HandleTimeout: 60_000}},
		name: "large", Description: ollama.Description{Shape: ollama.Shape{Layers: 36, HeadsKV: 8, KeyLength: 128, ValueLength: 128}},
	}
	return e, sizing.Model{Weights: 5 << 30, PerToken: e.Shape.PerToken(), Window: 40960}
}

func wantFinding(t *testing.T, e *examined, level, what string, parts ...string) {
	t.Helper()
	if len(e.findings) == 0 {
		t.Fatal("nothing was found")
	}
	f := e.findings[len(e.findings)-1]
	if f.Level != level || f.What != what {
		t.Errorf("%s of %s, want %s of %s: %s", f.Level, f.What, level, what, f.Found)
	}
	for _, part := range parts {
		if !strings.Contains(f.Found+" → "+f.Mend, part) {
			t.Errorf("%q lacks %q", f.Found+" → "+f.Mend, part)
		}
	}
}

func TestCLI10TooLittleMemoryIsReported(t *testing.T) {
	e, m := large(config.Brain{NumCtx: 8192})
	of := func(available int64) sizing.Machine { return sizing.Machine{Total: 10 << 30, Available: available} }
	e.memory(m, of(10<<30))
	wantFinding(t, e, "ok", "memory", "7.1 GB: weights 5.3 GB, cache 1.2 GB (num_ctx 8192 × 36 layers × 8 heads × 256 numbers × 2 bytes)", "it fits, as would num_ctx 16384")
	e.memory(m, of(7<<30))
	wantFinding(t, e, "warn", "memory", "more than this machine has", "set brain.num_ctx to 2048")
	e.memory(m, of(5<<30))
	wantFinding(t, e, "warn", "memory", "with any window", "take a smaller model")
	e.loaded = &ollama.Loaded{Bytes: 6, GPU: 3}
	e.memory(m, of(5<<30))
	wantFinding(t, e, "ok", "memory", "part of it is on the GPU")
	e.memory(m, sizing.Machine{})
	wantFinding(t, e, "ok", "memory", "7.1 GB")
	m.PerToken = 0
	e.memory(m, of(5<<30))
	wantFinding(t, e, "ok", "memory", "is unknown for this model")
}

func TestCLI10ServerSettingsFollowFromWhatFits(t *testing.T) {
	e, m := large(config.Brain{NumCtx: 8192})
	e.server(m, sizing.Machine{Total: 10 << 30, Available: 10 << 30}, sizing.Settings{NumCtx: 8192})
	wantFinding(t, e, "ok", "server", "OLLAMA_CONTEXT_LENGTH=8192", "OLLAMA_NUM_PARALLEL=3")
	e.server(m, sizing.Machine{Total: 10 << 30, Available: 7 << 30}, sizing.Settings{NumCtx: 2048})
	wantFinding(t, e, "ok", "server", "OLLAMA_CONTEXT_LENGTH=2048", "OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0 (half the cache: num_ctx up to 4096)")
}

func TestCLI10SettingsToChangeAreNamed(t *testing.T) {
	e, _ := large(config.Brain{})
	s := sizing.Settings{NumCtx: 8192, NumPredict: 1024, KeepAlive: 5 * time.Minute}
	e.settings(s, s)
	wantFinding(t, e, "ok", "settings", "num_ctx 8192, num_predict 1024, keep_alive 5m0s suit the model")
	e.settings(s, sizing.Settings{NumCtx: 4096, NumPredict: 4096, KeepAlive: 30 * time.Minute})
	wantFinding(t, e, "ok", "settings", "better set brain.num_ctx to 4096, which fits; brain.num_predict to 4096, since thinking counts against it; brain.keep_alive to 30m0s")
}

func TestCLI10DeadlinesThatTheLongestCallMissesAreSaid(t *testing.T) {
	s := sizing.Settings{NumCtx: 8192, NumPredict: 1024}
	e, m := large(config.Brain{Timeouts: config.Timeouts{Load: time.Minute, FirstToken: 5 * time.Minute, Total: 10 * time.Minute}})
	e.times(m, s, sizing.Speed{})
	wantFinding(t, e, "ok", "timeouts", "--measure shows")
	e.times(m, s, sizing.Speed{Prompt: 20, Answer: 4})
	wantFinding(t, e, "warn", "timeouts", "set brain.timeouts.first_token to 11m0s, brain.timeouts.total to 17m0s, or lower num_ctx")
	e.cfg.Brain.Timeouts.Load = 10 * time.Second
	e.times(m, s, sizing.Speed{})
	wantFinding(t, e, "warn", "timeouts", "from a slow disk it is loaded in 51 s", "brain.timeouts.load to 2m0s")
	e.cfg.Brain.Timeouts.Load = time.Minute
	e.times(m, s, sizing.Speed{Prompt: 50, Answer: 10})
	wantFinding(t, e, "warn", "handle_timeout", "a turn takes about 76 s, a request has 1m0s", "set limits.handle_timeout to 2m0s")
}

func TestCLI10AWindowOfAnotherClientIsReported(t *testing.T) {
	e, _ := large(config.Brain{NumCtx: 8192})
	e.ContextLength = 40960
	e.loaded = &ollama.Loaded{Bytes: 6e9, NumCtx: 8192, Until: time.Now().Add(time.Hour)}
	e.window()
	wantFinding(t, e, "ok", "loaded", "in memory: 6.0 GB, window 8192")
	e.loaded.NumCtx = 4096
	e.window()
	wantFinding(t, e, "warn", "loaded", "window 4096", "shelly asks for 8192", "the server gives it no more, which --measure shows", "OLLAMA_CONTEXT_LENGTH")
	e.loaded.NumCtx = 16384
	e.window()
	if why := e.findings[len(e.findings)-1].Mend; strings.Contains(why, "no more") {
		t.Errorf("of a larger window: %q", why)
	}
}

// CLI-10: what the server gives right after it was asked is no other client's window.
func TestCLI10AWindowThatTheServerCutsIsReported(t *testing.T) {
	for _, tt := range []struct {
		model, given int
		want         bool
	}{{40960, 4096, true}, {40960, 8192, false}, {4096, 4096, false}, {40960, 0, false}} {
		e, _ := large(config.Brain{NumCtx: 8192})
		e.ContextLength, e.loaded = tt.model, &ollama.Loaded{NumCtx: tt.given}
		e.given()
		if got := len(e.findings) > 0; got != tt.want {
			t.Errorf("%+v: got %+v; want findings %t", tt, e.findings, tt.want)
		}
		if tt.want {
			wantFinding(t, e, "warn", "window", "asked for 8192 tokens and has given 4096", "set brain.num_ctx to 4096")
		}
	}
}

func TestCLI10AnotherModelOfTheDaemonIsReported(t *testing.T) {
	e, _ := large(config.Brain{})
	const server = "http://127.0.0.1:11434"
	for _, same := range []comm.Status{{Model: "large", Server: server}, {Model: "large:latest", Server: server}, {Server: server}, {Brain: brain.AboutDemo}} {
		e.same(&same, e.name, server)
	}
	e.same(nil, e.name, server)
	if len(e.findings) > 0 {
		t.Errorf("found %v", e.findings)
	}
	e.same(&comm.Status{Model: "small", Server: server}, e.name, server)
	wantFinding(t, e, "warn", "other model", "ollama small at "+server, "about large", "--model")
	e.same(&comm.Status{Model: "large", Server: "http://127.0.0.1:1143"}, e.name, server)
	wantFinding(t, e, "warn", "other model", "at http://127.0.0.1:1143;", "brain.url")
}

// A daemon that was started with another OLLAMA_HOST has its model.
func TestCLI10AServerThatTheDaemonDoesNotAskNeedNotAnswer(t *testing.T) {
	e, _ := large(config.Brain{})
	const server = "http://127.0.0.1:11434"
	down := errors.New("no Ollama server answers")
	e.unanswered(&comm.Status{Model: "small", Server: "http://127.0.0.1:1143"}, server, down, "")
	wantFinding(t, e, "warn", "ollama", "no Ollama server answers; the daemon asks ollama small at http://127.0.0.1:1143", "--set brain.url=http://127.0.0.1:1143")
	for _, same := range []*comm.Status{nil, {}, {Model: "small", Server: server}} {
		e.unanswered(same, server, down, "")
		wantFinding(t, e, "fail", "ollama", "--brain demo")
	}
}

func TestCLI10AnotherWorkspaceOfTheDaemonIsReported(t *testing.T) {
	here := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(here, link); err != nil {
		t.Fatal(err)
	}
	for workspace, other := range map[string]bool{"/srv/my files": true, here: false, link: false, "": false} { // order-free: each for itself
		x := &examination{}
		x.workspace(config.Config{Workspace: here}, &comm.Status{Workspace: workspace})
		if got := len(x.findings) == 2; got != other {
			t.Errorf("%q: %+v", workspace, x.findings)
		}
		if other {
			want := finding{"warn", "other workspace", "the daemon works in /srv/my files; what follows is about " + here, "to examine the daemon's, add --workspace '/srv/my files'"}
			if x.findings[0] != want {
				t.Errorf("got %+v; want %+v", x.findings[0], want)
			}
		}
	}
	x := &examination{}
	x.workspace(config.Config{Workspace: here}, nil)
	if len(x.findings) != 1 {
		t.Errorf("without a daemon: %+v", x.findings)
	}
}

func TestCLI10WhatTheDaemonDoesWithExecIsReported(t *testing.T) {
	const bare = config.Unsandboxed
	for _, c := range []struct {
		allow       string
		contained   string
		level, says string // of the finding; empty: there is none, these settings are the daemon's
	}{
		{"", "", "", ""},
		{"", "namespaces", "ok", "by the daemon, which was started with other settings; its commands are contained by namespaces"},
		{"", "none", "warn", "nothing contains it"},
		{bare, "", "warn", "is allowed, and nothing would contain it, but the daemon does not offer it"},
		{bare, "namespaces", "ok", "its commands are contained by namespaces"},
		{bare, "none", "", ""},
	} {
		var cfg config.Config
		cfg.Tools.Exec.Allow = c.allow
		x := &examination{}
		if got := x.otherExec(cfg, &comm.Status{Contained: c.contained, Tools: []string{"read_file"}}); got != (c.level != "") {
			t.Errorf("%+v: %v, %+v", c, got, x.findings)
		}
		if c.level != "" {
			wantFinding(t, &examined{examination: x}, c.level, "exec", c.says)
		}
		for _, silent := range []*comm.Status{nil, {}} { // no daemon, and an older one
			if x := (&examination{}); x.otherExec(cfg, silent) || len(x.findings) > 0 {
				t.Errorf("%+v, a daemon that says nothing: %+v", c, x.findings)
			}
		}
	}
}

func TestCLI10WhichWebToolsTheDaemonOffersIsReported(t *testing.T) {
	const offered, withheld = "ok is offered to the model by the daemon", "warn "
	web := []string{"read_file", "web_fetch", "web_search"}
	for name, c := range map[string]struct { // order-free: each by itself
		allow   bool
		running *comm.Status
		want    string // how each finding begins
	}{
		"no daemon, off":       {false, nil, "ok is not offered"},
		"an older daemon, on":  {true, &comm.Status{}, "ok "},
		"the daemon's, off":    {false, &comm.Status{Tools: web[:1]}, "ok is not offered"},
		"the daemon's, on":     {true, &comm.Status{Tools: web}, "ok "},
		"offered by it alone":  {false, &comm.Status{Tools: web}, offered},
		"withheld by it alone": {true, &comm.Status{Tools: web[:1]}, withheld},
	} {
		var cfg config.Config
		cfg.Tools.Web.Allow, cfg.Tools.Web.Search.Kind = c.allow, "off"
		if c.allow {
			cfg.Tools.Web.Search.Kind = "searxng"
		}
		x := &examination{}
		x.web(cfg, c.running)
		for _, f := range x.findings {
			said := f.Level + " " + f.Found
			if !strings.HasPrefix(said, c.want) || strings.Contains(said, "other settings") != (c.want == offered || c.want == withheld) {
				t.Errorf("%s: %s: %s; want %q", name, f.What, said, c.want)
			}
		}
		if len(x.findings) != 2 {
			t.Errorf("%s: %+v", name, x.findings)
		}
	}
}

func TestCLI10TheLeastWindowIsReported(t *testing.T) {
	e, _ := large(config.Brain{NumCtx: 8192})
	e.cfg.Limits.ContextTokens = 8192
	e.least(1200, nil)
	wantFinding(t, e, "ok", "least window", "1200 tokens", "of 8192")
	e.cfg.Limits.ContextTokens = 1100
	e.least(1200, nil)
	wantFinding(t, e, "fail", "least window", "limits.context_tokens is 1100", "set brain.num_ctx to 1200 or more")
	e.least(0, nil)
	wantFinding(t, e, "ok", "least window", "any")
}

// What refuses the start because of the tools, doctor says beforehand, in the same words.
func TestCFG13DoctorSaysThatAnApprovalFitsNoTool(t *testing.T) {
	for approve, want := range map[string]string{
		"[write_fil]":                            `tools.approve: there is no tool "write_fil"`,
		"[{tool: write_file, match: {file: x}}]": `tools.approve: write_file has no argument "file"`,
		"[write_file]":                           "",
	} {
		cfg, err := config.Load(config.Sources{Dir: t.TempDir(), Home: t.TempDir(), Overrides: []config.Override{
			{Key: "workspace", Value: t.TempDir()}, {Key: "tools.approve", Value: approve},
		}})
		if err != nil {
			t.Fatal(err)
		}
		x := &examination{}
		x.tools(cfg)
		if want == "" && len(x.findings) > 0 {
			t.Errorf("%s: got %v; want no finding", approve, x.findings)
		}
		if want != "" {
			wantFinding(t, &examined{examination: x}, "fail", "tools", want)
		}
	}
}

func TestCLI10AMeasurementBesideARunningDaemonSaysWhatItDoesToIt(t *testing.T) {
	for _, c := range []struct {
		running             *comm.Status
		state, text, advice string
	}{
		{nil, "", "", ""},
		{&comm.Status{Brain: brain.AboutDemo}, "", "", ""},
		{&comm.Status{}, "ok", "read from the beginning", ""},
		{&comm.Status{Active: []comm.Active{{Handle: 7}}}, "warn", "the speeds may be too low", "idle"},
	} {
		e := &examined{examination: &examination{}}
		if e.disturbed(c.running); c.state != "" {
			wantFinding(t, e, c.state, "measurement", c.text, c.advice)
		} else if len(e.findings) > 0 {
			t.Errorf("%+v", e.findings)
		}
	}
}

// CLI-10: the measured speeds are shown as configuration, unless they are configured already.
func TestCLI10MeasuredSpeedsAreSaidAsTheyAreSet(t *testing.T) {
	e, _ := large(config.Brain{})
	measured := sizing.Speed{Prompt: 25, Answer: 8}
	if got := e.begin(measured); !strings.HasSuffix(got, ": brain: {reads: 25, writes: 8}") {
		t.Errorf("got %q; want it to end with %q", got, ": brain: {reads: 25, writes: 8}")
	}
	e.cfg.Brain.Reads, e.cfg.Brain.Writes = 28, 7
	if got := e.begin(measured); got != "" {
		t.Errorf("nearly the same is set: %q", got)
	}
	e.cfg.Brain.Reads = 100
	if got := e.begin(measured); !strings.Contains(got, "reads: 25") {
		t.Errorf("another is set: %q", got)
	}
	if got := e.begin(sizing.Speed{}); got != "" {
		t.Errorf("nothing was measured: %q", got)
	}
}

func TestCLI10AStopLongerThanSystemdsIsReported(t *testing.T) {
	e, _ := large(config.Brain{})
	long := config.Config{Limits: fsm.Limits{Grace: 300_000, ShutdownTimeout: 30_000, AbortTimeout: 15_000}}
	e.stop(long, nil)
	wantFinding(t, e, "ok", "stop", "takes up to 5m30s", "set its TimeoutStopSec to 355") // as the unit of shelly service (DEP-6)
	e.stop(config.Config{Limits: fsm.Limits{Grace: 30_000, ShutdownTimeout: 30_000}}, nil)
	if f := e.findings[len(e.findings)-1]; f.Mend != "" {
		t.Errorf("a minute is too long: %s", f.Mend)
	}
	for i, c := range []struct{ own, unit, change, kills string }{
		{"TimeoutStopSec=355\n", "", "", ""},
		{"TimeoutStopSec=5min 55s\n", "", "", ""},
		{"TimeoutStopSec=infinity\n", "", "", ""},
		{"TimeoutStopSec=0\n", "", "", ""},
		{"TimeoutStopSec=99999999999\n", "", "", ""},
		{"TimeoutSec = 355\n", "", "", ""},
		{"TimeoutStopSec=106\n", "", "", "own/shelly.service is killed after 1m46s: set its TimeoutStopSec to 355"}, // the limits have changed since the install
		{"Type=notify\n", "", "", "is killed after 1m30s: set its TimeoutStopSec to 355"},
		{"TimeoutStopSec=355\n", "", "TimeoutStopSec=30", "is killed after 30s: set"},
		{"TimeoutStopSec=30\n", "", "TimeoutStopSec=355", ""},
		{"TimeoutStopSec=355\n", "TimeoutStopSec=30\n", "", ""}, // in place of a package's
		{"", "TimeoutStopSec=30\n", "", "lib/shelly.service is killed after 30s"},
		{"", "TimeoutStopSec=30\n", "TimeoutStopSec=355", ""}, // as systemctl edit changes it
		{"", "", "TimeoutStopSec=355", "systemd kills a service after 1m30s"},
	} {
		folder := filepath.Join(t.TempDir(), strconv.Itoa(i))
		for name, text := range map[string]string{ // order-free: each is a file
			"own/shelly.service": c.own, "lib/shelly.service": c.unit, "own/shelly.service.d/override.conf": c.change,
			"lib/shelly.service.d/override.conf": "TimeoutStopSec=1", "lib/shelly.service.d/10-more.conf": "Nice=1",
		} {
			path := filepath.Join(folder, name)
			if strings.HasPrefix(name, "lib/shelly.service.d/") && c.change == "" || text == "" {
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("[Service]\n"+text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		e.stop(long, [][]string{{filepath.Join(folder, "own"), filepath.Join(folder, "lib")}, {filepath.Join(folder, "none")}})
		if f := e.findings[len(e.findings)-1]; (f.Mend == "") != (c.kills == "") || !strings.Contains(f.Mend, c.kills) {
			t.Errorf("%+v: got %q; want %q", c, f.Mend, c.kills)
		}
	}
}

// CLI-10: if a second prompt takes a tenth of the first one's time, most of it was in the
// cache; if it takes as long, none was.
func TestCLI10WhatIsReadAgainFollowsFromTheTime(t *testing.T) {
	for _, c := range []struct {
		took        time.Duration
		level, says string
	}{
		{time.Second, "ok", "of the 1100 tokens of a second question about 100 were read again (1s)"},
		{10 * time.Second, "warn", "about 1000 were read again (10s): the server keeps little of a conversation"},
		{time.Minute, "warn", "about 1100 were read again (1m0s)"},
	} {
		e := &examined{examination: &examination{}}
		e.cache(ollama.Measured{PromptTokens: 1000, Prompt: 10 * time.Second}, ollama.Measured{PromptTokens: 1100, Prompt: c.took})
		wantFinding(t, e, c.level, "prompt cache", c.says)
	}
}

func TestCLI10AVariableThatOnlyARunningDaemonMayHaveIsNotAFailure(t *testing.T) {
	var cfg config.Config
	cfg.Tools.Web.Search.Kind, cfg.Tools.Web.Search.KeyFrom = "brave", "SHELLY_TEST_UNSET_1"
	cfg.Channels = config.Channels{{Name: "hook", Value: config.Channel{Kind: config.ChannelWebhook, KeyFrom: []string{"SHELLY_TEST_UNSET_2"}}}}
	env := config.Variables{{Name: "A", Value: "${SHELLY_TEST_UNSET_3}"}, {Name: "B", Value: "${SHELLY_TEST_UNSET_4}"}}
	cfg.Tools.Custom = config.Programs{{Name: "own", Value: config.Program{Command: []string{"sh"}, Env: env}}}
	cfg.Tools.MCP = config.Servers{
		{Name: "near", Value: config.Server{Command: []string{"sh"}, Env: env}},
		{Name: "far", Value: config.Server{URL: "https://example.org", Headers: env}},
	}
	missing := map[string]string{
		"web_search": "no SHELLY_TEST_UNSET_1", "channels.hook": "no SHELLY_TEST_UNSET_2",
		"tools.custom.own": "no SHELLY_TEST_UNSET_3, SHELLY_TEST_UNSET_4", "tools.mcp.near": "no SHELLY_TEST_UNSET_3, SHELLY_TEST_UNSET_4",
		"tools.mcp.far": "no SHELLY_TEST_UNSET_3, SHELLY_TEST_UNSET_4",
	}
	cfg.Tools.Exec.Allow, cfg.Tools.Exec.Env = "true", config.Variables{{Name: "C", Value: "${SHELLY_TEST_UNSET_5}"}}
	missing["tools.exec.env"] = "no SHELLY_TEST_UNSET_5"
	for level, running := range map[string]*comm.Status{"fail": nil, "warn": {}} { // order-free: each is an examination of its own
		x := &examination{}
		x.surroundings(cfg, running)
		x.web(cfg, running)
		x.further(cfg, running)
		x.talks(cfg, running)
		found := 0
		for _, f := range x.findings {
			if want := missing[f.What]; want != "" {
				found++
				wantFinding(t, &examined{examination: &examination{findings: []finding{f}}}, level, f.What, want)
			}
		}
		if found != len(missing) {
			t.Errorf("%d are said to be missing, want %d: %v", found, len(missing), x.findings)
		}
	}
}

func TestCLI10AFolderOfCommandsThatIsNoneIsReported(t *testing.T) {
	var cfg config.Config
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Tools.Exec.Reads, cfg.Tools.Exec.Path = []string{dir, filepath.Join(dir, "none")}, []string{file, dir}
	x := &examination{}
	x.surroundings(cfg, nil)
	want := []finding{
		{Level: "warn", What: "tools.exec.reads", Found: dir + "/none is no folder that shelly can see", Mend: "make it, or correct tools.exec.reads"},
		{Level: "warn", What: "tools.exec.path", Found: file + " is no folder that shelly can see", Mend: "make it, or correct tools.exec.path"},
	}
	if diff := cmp.Diff(want, x.findings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Whoever mistypes a chat would not hear of events, and not know why.
func TestCLI10AChatThatGetsNoMessagesIsSaid(t *testing.T) {
	for tell, want := range map[string]string{ // order-free
		"": "", "none": "", "cli:work": "", "web:7": "", "hook:any": "", "desk:1": "", "phone:Mia@example.org": "", "phone:any@friends.org/x": "",
		"phnoe:mia@example.org": "tells phnoe:mia@example.org, and no channel phnoe is configured: only shelly messages shows it",
		"phone:mai@example.org": "tells mai@example.org, who is not in channels.phone.allow and gets no messages",
	} {
		var cfg config.Config
		cfg.Comm.Channels = []string{"desk"}
		cfg.Channels = config.Channels{
			{Name: "phone", Value: config.Channel{Kind: config.ChannelXMPP, Allow: []string{"mia@Example.org", "*@friends.org"}}},
			{Name: "hook", Value: config.Channel{Kind: config.ChannelWebhook}},
		}
		cfg.Events.Memory = strict.ByName[config.WatchedLow]{{Name: "ram", Value: config.WatchedLow{Telling: config.Telling{Tell: tell}}}}
		cfg.Events.Heartbeat.Tell, cfg.Events.Heartbeat.Every = tell, time.Hour
		var got []string
		x := &examination{}
		x.told(cfg)
		for _, f := range x.findings {
			got = append(got, f.What+": "+f.Found)
		}
		var wanted []string
		if want != "" {
			wanted = []string{"events.memory.ram: " + want, "events.heartbeat: " + want}
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("tell %q (-want +got)\n%s", tell, diff)
		}
	}
}

func TestBRN41TheAddressOfAnMCPServerIsSaidWithoutItsPath(t *testing.T) {
	var cfg config.Config
	cfg.Tools.MCP = config.Servers{{Name: "far", Value: config.Server{URL: "https://example.org/token/mcp?key=token"}}}
	x := &examination{}
	x.further(cfg, nil)
	if len(x.findings) != 1 || x.findings[0].Found != "https://example.org/…" {
		t.Errorf("got %+v; want 1 of them, [0].Found %q", x.findings, "https://example.org/…")
	}
}
