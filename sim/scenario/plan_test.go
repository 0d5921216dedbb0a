package scenario

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim"
)

func planOf(t *testing.T, yaml string) sim.Plan {
	t.Helper()
	f, err := Parse("p.scenario.yaml", []byte("scenario: 1\nname: x\nexpect: {ends: serving}\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	return f.Plan()
}

// Every limit of the machine can be set by its name, and each reaches its own.
func TestEveryLimitOfTheMachineCanBeSet(t *testing.T) {
	limits := reflect.TypeFor[fsm.Limits]()
	for i := range limits.NumField() {
		name := limits.Field(i).Tag.Get("json")
		value, want := "7", int64(7)
		if limits.Field(i).Type == reflect.TypeFor[fsm.Millis]() {
			value, want = "1.5s", 1500
		}
		got := planOf(t, "config: {"+name+": "+value+"}\n").Config.Limits
		if n := reflect.ValueOf(got).Field(i).Int(); n != want {
			t.Errorf("%s: %s gives %d", name, value, n)
		}
		reflect.ValueOf(&got).Elem().Field(i).Set(reflect.ValueOf(fsm.ShellyProfile().Limits).Field(i))
		if got != fsm.ShellyProfile().Limits {
			t.Errorf("%s changes another limit: %+v", name, got)
		}
	}
	if extra := len(names(fieldsOf(reflect.TypeFor[Config]()))) - limits.NumField(); extra != 1 {
		t.Errorf("config has %d keys beside the limits, want init alone", extra)
	}
}

// Every class of failure that the machine knows can be scripted.
func TestEveryBrainClassCanBeScripted(t *testing.T) {
	if n := len(brainClasses()); n != 11 {
		t.Errorf("%d classes", n)
	}
	for _, class := range brainClasses() {
		p := planOf(t, "brain: [{fails: {code: "+class+", message: m}}]\n")
		if l := p.Scripts[0].Lines[0]; l.Fails != fsm.BrainClass(class) || l.Reason != "m" {
			t.Errorf("%s: %+v", class, l)
		}
	}
}

func TestSCN4TheInitialInferenceIsOffUnlessItIsMentioned(t *testing.T) {
	for yaml, want := range map[string]fsm.InitMode{
		"":                                    fsm.InitOff,
		"brain_for: {summary: [{says: a}]}\n": fsm.InitOff,
		"brain_for: {init: [{says: a}]}\n":    fsm.InitEveryStart,
		"config: {init: every_start}\n":       fsm.InitEveryStart,
		"brain_for: {init: [{says: a}]}\nconfig: {init: off}\n": fsm.InitOff,
	} {
		if got := planOf(t, yaml).Config.Init; got != want {
			t.Errorf("%q: %s", yaml, got)
		}
	}
}

func TestLinesBecomeAnswers(t *testing.T) {
	lines := planOf(t, `brain:
  - {says: a, thinks: b, stops: length, takes: 1.5s, optional: true}
  - {needs: c}
  - {calls: [{tool: t, args: {x: 1}, id: i}, {tool: u}], quotes: last}
  - {cut: true}
  - {garbage: "<html>"}
  - {hangs: true}
  - {empty: true}
`).Scripts[0].Lines
	want := []sim.Line{
		{Text: "a", Thinking: "b", Length: true, Takes: 1500, Optional: true},
		{Text: "NEED: c"},
		{Calls: []fsm.ToolCall{{ID: "i", Name: "t", Args: `{"x":1}`}, {Name: "u", Args: "{}"}}, Quotes: true},
		{Fails: fsm.BrainCutStream, Reason: "the stream ended without its last line"},
		{Fails: fsm.BrainGarbage, Reason: "<html>"},
		{Hangs: true},
		{},
	}
	for i := range want {
		if !reflect.DeepEqual(lines[i], want[i]) {
			t.Errorf("line %d: %+v, want %+v", i, lines[i], want[i])
		}
	}
}

func TestToolsBecomeStubsInTheirOrder(t *testing.T) {
	stubs := planOf(t, `tools:
  z: [{returns: r, times: 3, takes: 1s}, {fails: no, effects: idempotent}]
  a: [{fails: {code: c, message: m}}, {fails: {code: c}}, {deaf: true}, {hangs: true}, {started_then_lost: true, optional: true}]
  m: []
`).Stubs
	want := []sim.Stub{
		{Decl: fsm.ToolDecl{Name: "z", Effects: fsm.EffectsIdempotent}, Acts: []sim.Act{{Returns: "r", Times: 3, Takes: 1000}, {Returns: "no", Failed: true}}},
		{Decl: fsm.ToolDecl{Name: "a", Effects: fsm.EffectsUnsafe}, Acts: []sim.Act{
			{Returns: "c: m", Failed: true}, {Returns: "c", Failed: true}, {Deaf: true}, {Hangs: true}, {Lost: true, Optional: true},
		}},
		{Decl: fsm.ToolDecl{Name: "m", Effects: fsm.EffectsUnsafe}},
	}
	if !reflect.DeepEqual(stubs, want) {
		t.Errorf("stubs %+v\nwant %+v", stubs, want)
	}
}

// SCN-6, SCN-7.
func TestTimelineAndCrashesAreTaken(t *testing.T) {
	p := planOf(t, `clock: {start: "1970-01-01T00:00:10Z"}
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
crash:
  - {at: step.7, restart_after: 5s}
  - {at: effect.before, effect: reply, nth: 2}
`)
	want := []sim.Moment{
		{At: 1000, Request: &fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Session: "cli:direct", Text: "a"}},
		{At: 2000, Request: &fsm.Requested{Request: fsm.RequestKey{Channel: "c", ID: "i"}, Session: "s", Text: "b"}},
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
	if p := planOf(t, "crash: {at: $every}\n"); p.Crashes != nil {
		t.Errorf("$every plans %+v", p.Crashes)
	}
}

// Every key of the format has a comment for whoever writes one, and no two keys
// of one map have one name.
func TestKeysOfTheFormatAreDistinct(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[File](), reflect.TypeFor[Config](), reflect.TypeFor[Entry](), reflect.TypeFor[Line](),
		reflect.TypeFor[Moment](), reflect.TypeFor[Crash](), reflect.TypeFor[Expect](), reflect.TypeFor[HandlePath](),
	} {
		list := names(fieldsOf(typ))
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%s: keys %s", typ, strings.Join(list, " "))
		}
	}
}
