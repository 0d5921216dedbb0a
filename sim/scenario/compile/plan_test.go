package compile_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/sim"
	"shelly/sim/disk"
	"shelly/sim/scenario"
	"shelly/sim/scenario/format"
	"shelly/sim/script"
	"shelly/sim/strict"
)

func planFrom(t *testing.T, yaml string) sim.Plan {
	t.Helper()
	f, err := scenario.Parse("p.scenario.yaml", []byte("scenario: 1\nname: x\nexpect: {ends: serving}\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	return f.Plan()
}

// A word, a false and an exact 0 are settings too.
func TestSettingsThatTurnSomethingOff(t *testing.T) {
	got := planFrom(t, `profile: default
config: {history: none, compress: false, remember: each, cancel: refused, at_limit: error, temperature: 0, backoff: [], init: first_start, prompts: {empty: ""}}
`).Config
	if s := got.Switches; s.History != fsm.HistoryNone || s.Compress || s.Remember != fsm.RememberEach || s.Cancel != fsm.CancelRefused || s.AtLimit != fsm.EndError {
		t.Errorf("switches %+v", s)
	}
	if got.Options.Temperature != -1 || len(got.Limits.Backoff) != 0 || got.Init != fsm.InitFirstStart || got.Prompts.Empty != "" {
		t.Errorf("options %+v, backoff %v, init %s", got.Options, got.Limits.Backoff, got.Init)
	}
}

func TestSCN14EveryProfileCanBeNamedAndIsFilled(t *testing.T) {
	for _, name := range profile.Names() {
		c := planFrom(t, "profile: "+name+"\nabout: {name: Ada, persona: Dry.}\n").Config
		if c.Profile != name {
			t.Errorf("%s: profile %s", name, c.Profile)
		}
		if strings.Contains(c.Prompts.Identity, "{") || name != "shelly" && name != "omniemployee" && !strings.Contains(c.Prompts.Identity, "linux (simulated)") {
			t.Errorf("%s: identity %s", name, c.Prompts.Identity)
		}
	}
}

// Every class of failure that the machine knows can be scripted.
func TestEveryBrainClassCanBeScripted(t *testing.T) {
	for _, class := range format.BrainClasses() {
		p := planFrom(t, "brain: [{fails: {code: "+class+", message: m}}]\n")
		if l := p.Scripts[0].Lines[0]; l.Fails != fsm.BrainClass(class) || l.Reason != "m" {
			t.Errorf("%s: got %+v; want Fails %q, Reason %q", class, l, fsm.BrainClass(class), "m")
		}
	}
}

func TestSCN4TheInitialInferenceIsOffUnlessItIsMentioned(t *testing.T) {
	for yaml, want := range map[string]fsm.InitMode{
		"":                                    fsm.InitOff,
		"brain_for: {summary: [{says: a}]}\n": fsm.InitOff,
		"brain_for: {init: [{says: a}]}\n":    fsm.InitFirstStart,
		"profile: shelly\nbrain_for: {init: [{says: a}]}\n":     fsm.InitEveryStart,
		"config: {init: every_start}\n":                         fsm.InitEveryStart,
		"brain_for: {init: [{says: a}]}\nconfig: {init: off}\n": fsm.InitOff,
	} {
		if got := planFrom(t, yaml).Config.Init; got != want {
			t.Errorf("%q: got %s; want %s", yaml, got, want)
		}
	}
}

func TestLinesBecomeAnswers(t *testing.T) {
	lines := planFrom(t, `brain:
  - {says: a, thinks: b, stops: length, takes: 1.5s, optional: true}
  - {needs: c}
  - {calls: [{tool: t, args: {x: 1}, id: i}, {tool: u}], quotes: last}
  - {cut: true}
  - {garbage: "<html>"}
  - {hangs: true}
  - {empty: true}
  - {raw: "<tool_call>{}</tool_call>", tokens: {prompt: 9, answer: 2}}
  - {repeats_last_call: true}
  - {calls: [{tool: t, malformed_arguments: "{x"}]}
  - {thinks: hm}
`).Scripts[0].Lines
	want := []script.Line{
		{Text: "a", Thinking: "b", Length: true, Takes: 1500},
		{Text: "NEED: c"},
		{Calls: []fsm.ToolCall{{ID: "i", Name: "t", Args: `{"x":1}`}, {Name: "u", Args: "{}"}}, Quotes: true},
		{Fails: fsm.BrainCutStream, Reason: "the stream ended without its last line"},
		{Fails: fsm.BrainGarbage, Reason: "<html>"},
		{Hangs: true},
		{},
		{Text: "<tool_call>{}</tool_call>", Tokens: fsm.Tokens{Prompt: 9, Answer: 2}},
		{Repeats: true},
		{Calls: []fsm.ToolCall{{Name: "t", Args: "{x"}}, BadArgs: true},
		{Thinking: "hm"},
	}
	for i := range want {
		if !reflect.DeepEqual(lines[i], want[i]) {
			t.Errorf("line %d: %+v, want %+v", i, lines[i], want[i])
		}
	}
}

func TestToolsBecomeStubsInTheirOrder(t *testing.T) {
	stubs := planFrom(t, `tools:
  z: [{returns: r, times: 3, takes: 1s}, {fails: no, effects: idempotent}]
  a: [{fails: {code: c, message: m}}, {fails: {code: c}}, {deaf: true}, {hangs: true}, {started_then_lost: true, optional: true},
    {fails: no, nothing: true, approve: true}, {fails: {code: c, retryable: true}}, {fails: no, invalid: true, description: d}]
  m: []
`).Stubs
	want := []sim.Stub{
		{Decl: fsm.ToolDecl{Name: "z", Effects: fsm.EffectsIdempotent}, Acts: []sim.Act{{Returns: "r", Times: 3, Takes: 1000}, {Returns: "no", Failed: true}}},
		{Decl: fsm.ToolDecl{Name: "a", Description: "d", Effects: fsm.EffectsUnsafe, Approve: true}, Acts: []sim.Act{
			{Returns: "c: m", Failed: true}, {Returns: "c", Failed: true}, {Deaf: true}, {Hangs: true}, {Lost: true},
			{Returns: "no", Failed: true, Nothing: true}, {Returns: "c", Failed: true, Nothing: true}, {Returns: "no", Failed: true, Invalid: true},
		}},
		{Decl: fsm.ToolDecl{Name: "m", Effects: fsm.EffectsUnsafe}},
	}
	if !reflect.DeepEqual(stubs, want) {
		t.Errorf("stubs %+v\nwant %+v", stubs, want)
	}
}

// SCN-6, SCN-7.
func TestTimelineAndCrashesAreTaken(t *testing.T) {
	p := planFrom(t, `clock: {start: "1970-01-01T00:00:10Z"}
embedding: {hangs: true}
timeline:
  - {at: 1s, user: a}
  - {at: 2s, user: b, session: s, channel: c, id: i}
  - {at: 3s, event: {source: o, kind: k, subject: u, detail: d}}
  - {at: 4s, duplicate_last: true}
  - {at: 5s, shutdown: INT}
  - {at: 6s, start: true}
  - {at: 7s, store: {fails: f, takes: 1s}}
  - {at: 8s, recall: {hangs: true}}
  - {at: 9s, embedding: {works: true}}
faults:
  crash:
    - {at: step.7, restart_after: 5s}
    - {at: effect.before, effect: reply, nth: 2}
`)
	want := []sim.Moment{
		{At: 1000, Request: &fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Session: "cli:direct", Text: "a"}},
		{At: 2000, Request: &fsm.Requested{Request: fsm.RequestKey{Channel: "c", ID: "i"}, Session: "s", Origin: fsm.Origin{Channel: "c"}, Text: "b"}},
		{At: 3000, Event: &fsm.EventRaised{Source: "o", Event: "k", Subject: "u", Detail: "d"}},
		{At: 4000, Again: true},
		{At: 5000, Signal: "INT"},
		{At: 6000, Boot: true},
		{At: 7000, Storing: &sim.Service{Fails: "f", Takes: 1000}},
		{At: 8000, Recalling: &sim.Service{Hangs: true}},
		{At: 9000, Embedding: &sim.Service{}},
	}
	if p.Start != 10_000 || !p.Embedding.Hangs || !reflect.DeepEqual(p.Timeline, want) {
		t.Errorf("start %d, embedding %+v, timeline %+v", p.Start, p.Embedding, p.Timeline)
	}
	crashes := []sim.Crash{{Point: sim.AfterStep, Nth: 7, After: 5000}, {Point: sim.BeforeEffect, Effect: "reply", Nth: 2, After: 1000}}
	if !slices.Equal(p.Crashes, crashes) {
		t.Errorf("crashes %+v", p.Crashes)
	}
	if p := planFrom(t, "faults: {crash: {at: $every}}\n"); p.Crashes != nil {
		t.Errorf("$every plans %+v", p.Crashes)
	}
}

func TestSCN14SessionsSkillsAndFilesAreTaken(t *testing.T) {
	p := planFrom(t, `skills:
  - {name: weather, summary: tells it, text: Look up., references: {cities: "Rome"}}
  - {name: tone, always: true, text: Be brief.}
memory_file: "# Facts"
sessions:
  "cli:direct":
    history:
      - {role: user, text: hi, images: [x]}
      - {role: assistant, calls: [{tool: t, args: {a: 1}, id: c1}], used: [t], thinking: hm}
      - {role: tool, tool: t, id: c1, text: ok}
    pending: []
    skills: [weather, {name: weather, reference: cities}, {name: gone, text: own}]
    ratio: 900
`)
	skills := []sim.Skill{
		{Name: "weather", Summary: "tells it", Text: "Look up.", References: []sim.Reference{{Name: "cities", Text: "Rome"}}},
		{Name: "tone", Always: true, Text: "Be brief."},
	}
	if !reflect.DeepEqual(p.Skills, skills) || p.MemoryFile != "# Facts" {
		t.Errorf("skills %+v, file %q", p.Skills, p.MemoryFile)
	}
	want := []disk.Saved{{Name: "cli:direct", State: fsm.Session{
		History: []fsm.Message{
			{Role: fsm.RoleUser, Text: "hi", Images: [][]byte{[]byte("x")}},
			{Role: fsm.RoleAssistant, Thinking: "hm", Calls: []fsm.ToolCall{{ID: "c1", Name: "t", Args: `{"a":1}`}}, Used: []string{"t"}},
			{Role: fsm.RoleTool, Tool: "t", ToolCall: "c1", Text: "ok"},
		},
		Pending: []fsm.Message{},
		Skills:  []fsm.LoadedSkill{{Name: "weather", Text: "Look up."}, {Name: "weather", Reference: "cities", Text: "Rome"}, {Name: "gone", Text: "own"}},
		Ratio:   900,
	}}}
	if !reflect.DeepEqual(p.Sessions, want) {
		t.Errorf("sessions %+v\nwant %+v", p.Sessions, want)
	}
	decls := []fsm.SkillDecl{{Name: "weather", Summary: "tells it"}, {Name: "tone", Always: true, Text: "Be brief."}}
	if got := p.Machine().Skills; !reflect.DeepEqual(got, decls) {
		t.Errorf("the machine is given %+v", got)
	}
}

func TestTheTimelineActsForPeopleAndServices(t *testing.T) {
	file, one := "new", sim.Service{Fails: "f"}
	p := planFrom(t, `tools: {exec: []}
timeline:
  - {user: a, channel: web, chat: "7", images: [png], context: [{role: user, text: old}]}
  - {command: /new, session: s}
  - {cancel: true}
  - {cancel: r1}
  - {approve: true}
  - {deny: 2}
  - {approve: {nth: 1, tool: exec, by: ann}}
  - {resolve: it ran}
  - {resolve: {text: no, nth: 2}}
  - {edit_memory: new}
  - {edit_session: {session: s, history: []}}
  - {sessions: {only: load, fails: f}}
  - {sessions: {only: save, fails: f}}
  - {sessions: {fails: f}}
  - {skills: {fails: f}}
`)
	want := []sim.Moment{
		{Request: &fsm.Requested{
			Request: fsm.RequestKey{Channel: "web", ID: "r1"}, Origin: fsm.Origin{Channel: "web", Chat: "7"}, Text: "a",
			Images: [][]byte{[]byte("png")}, Context: []fsm.Message{{Role: fsm.RoleUser, Text: "old"}},
		}},
		{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "r2"}, Session: "s", Text: "/new"}},
		{Cancel: &sim.Cancel{}},
		{Cancel: &sim.Cancel{ID: "r1"}},
		{Answer: &sim.PersonAnswer{Decision: true, Approve: true}},
		{Answer: &sim.PersonAnswer{Decision: true, Nth: 2}},
		{Answer: &sim.PersonAnswer{Decision: true, Approve: true, Nth: 1, Tool: "exec", By: "ann"}},
		{Answer: &sim.PersonAnswer{Text: "it ran"}},
		{Answer: &sim.PersonAnswer{Text: "no", Nth: 2}},
		{Edit: &disk.Edit{MemoryFile: &file}},
		{Edit: &disk.Edit{Session: "s", History: []fsm.Message{}}},
		{Loading: &one},
		{Saving: &one},
		{Loading: &one, Saving: &one},
		{Skilling: &one},
	}
	for i := range want {
		if !reflect.DeepEqual(p.Timeline[i], want[i]) {
			t.Errorf("moment %d: %+v, want %+v", i, p.Timeline[i], want[i])
		}
	}
}

// Each change of the configuration is made over those before it.
func TestConfigurationsOfTheTimelineAddUp(t *testing.T) {
	p := planFrom(t, `profile: default
config: {temperature: 0.7, tools: [exec, spawn]}
tools: {exec: [], look: []}
timeline:
  - {configure: {max_active: 2}}
  - {configure: {temperature: 0.1, tools: [look]}}
`)
	first, second := p.Timeline[0].Configure, p.Timeline[1].Configure
	if first.Config.Options.Temperature != 700 || first.Config.Limits.MaxActive != 2 || !slices.Equal(first.Tools, []string{"exec", "spawn"}) {
		t.Errorf("first %+v", first)
	}
	if second.Config.Options.Temperature != 100 || second.Config.Limits.MaxActive != 2 || !slices.Equal(second.Tools, []string{"look"}) {
		t.Errorf("second %+v", second)
	}
}

// SCN-14: a subagent has the identity that a file gives, as in the daemon, unless the file says what it has.
func TestSCN14SubagentsHaveTheIdentityThatIsGiven(t *testing.T) {
	p := planFrom(t, `profile: default
config: {prompts: {identity: You keep the house.}}
timeline:
  - {configure: {max_active: 2}}
  - {configure: {prompts: {subagent: You help.}}}
`)
	own, _ := profile.Named("default")
	want := "You keep the house.\n\n" + own.Prompts.Fill(fsm.About{Name: "shelly", User: "the user", Workspace: "/workspace", System: "linux (simulated)"}).Subagent
	for i, got := range []string{p.Config.Prompts.Subagent, p.Timeline[0].Configure.Config.Prompts.Subagent, p.Timeline[1].Configure.Config.Prompts.Subagent} {
		if i == 2 {
			want = "You help."
		}
		if got != want {
			t.Errorf("configuration %d: got %q; want %q", i, got, want)
		}
	}
}

func TestScriptsOfSessionsStandApart(t *testing.T) {
	p := planFrom(t, `brain: [{says: a}, {says: b, session: s}, {says: c}]
brain_for: {subagent: [{says: d, session: "subagent:h2"}], compact: [{says: e}]}
`)
	var got []string
	for _, s := range p.Scripts {
		for _, l := range s.Lines {
			got = append(got, string(s.Purpose)+" "+s.Session+" "+l.Text)
		}
	}
	if want := []string{"answer  a", "answer  c", "answer s b", "compact  e", "subagent subagent:h2 d"}; !slices.Equal(got, want) {
		t.Errorf("scripts %q", got)
	}
}

// Every key of the format has a comment for whoever writes one, and no two keys
// of one map have one name.
func TestKeysOfTheFormatAreDistinct(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[format.File](), reflect.TypeFor[format.Entry](), reflect.TypeFor[format.Line](),
		reflect.TypeFor[format.Moment](), reflect.TypeFor[format.Crash](), reflect.TypeFor[format.Expect](), reflect.TypeFor[format.HandlePath](), reflect.TypeFor[format.Property](),
	} {
		list := strict.Keys((typ))
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%s: keys %s", typ, strings.Join(list, " "))
		}
	}
}

// What the model is shown of a tool comes from one of its entries.
func TestAToolIsDeclaredByItsEntries(t *testing.T) {
	f, err := scenario.Parse("f", []byte(`
scenario: 1
name: x
tools: {look: [{returns: a}, {description: Looks., parameters: {type: object, required: [path]}, effects: none, optional: true}]}
expect: {ends: serving}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := fsm.ToolDecl{Name: "look", Description: "Looks.", Parameters: `{"type":"object","required":["path"]}`, Effects: fsm.EffectsNone}
	if got := f.Plan().Stubs[0].Decl; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}
