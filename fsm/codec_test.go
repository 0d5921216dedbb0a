package fsm_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/runtime/yardstick"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// inputs has one input of each kind with every field set, and one with none.
func inputs() []fsm.Input {
	c := profile.Shelly()
	c.Tools = []fsm.ToolDecl{{Name: "list_dir", Description: "lists a folder", Parameters: `{"type":"object"}`, Effects: fsm.EffectsNone}}
	c.Prompts = fsm.Prompts{Identity: "identity", Question: "question", Init: "init", Farewell: "farewell", Summary: "summary"}
	return []fsm.Input{
		{At: 1, Fact: fsm.Boot{Config: c, Doubts: []fsm.Doubt{{Handle: 2, Text: "record 7"}}}},
		{At: 2, Fact: fsm.Requested{Request: fsm.RequestKey{Principal: "p", Channel: "udp", ID: "r1"}, Session: "s", Text: "hello"}},
		{At: 3, Fact: fsm.EventRaised{Source: "disk", Subject: "/var", Event: "full", Detail: "2 % left"}},
		{At: 3, Fact: fsm.Configured{Config: fsm.Config{Profile: "default", Options: fsm.Options{Temperature: 700, MaxTokens: 64}}}},
		{At: 3, Fact: fsm.Requested{
			Request: fsm.RequestKey{ID: "r2"}, Origin: fsm.Origin{Channel: "cli", Chat: "direct"}, Text: "look",
			Images: [][]byte{{1, 2}}, Context: []fsm.Message{{Role: fsm.RoleUser, Text: "before"}},
		}},
		{At: 3, Fact: fsm.CancelRequested{Request: fsm.RequestKey{ID: "r1"}}},
		{At: 3, Fact: fsm.Decided{Handle: 2, Key: "h2.1.a", Approve: true, By: "ada"}},
		{At: 3, Fact: fsm.Decided{Handle: 2, Key: "h2.1.a", Approve: true, By: "ada", Grant: fsm.GrantAlways}},
		{At: 3, Fact: fsm.Decided{Handle: 2, Key: "h2.1.a", By: "ada", Reason: "not on a Friday"}},
		{At: 3, Fact: fsm.Revoked{Grant: "g1", By: "ada"}},
		{At: 3, Fact: fsm.CancelRequested{Handle: 7}},
		{At: 3, Fact: fsm.ScheduleChanged{
			Change: fsm.ScheduleAdd, Text: "water the plants", Every: 60_000, Cron: "0 9 * * *", Once: "2026-01-31T09:00", Zone: "UTC",
			Session: "s", Origin: fsm.Origin{Channel: "cli", Chat: "direct"}, By: "ada",
		}},
		{At: 3, Fact: fsm.ScheduleChanged{Change: fsm.SchedulePause, Schedule: "s1"}},
		{At: 3, Fact: fsm.Typing{Session: "s", Unloaded: true}},
		{At: 3, Fact: fsm.Resolved{Handle: 2, Text: "it was done"}},
		{At: 3, Fact: fsm.SessionLoaded{Answered: fsm.To(4), Session: session(), Error: "broken"}},
		{At: 3, Fact: fsm.SessionSaved{Answered: fsm.To(4), Conflict: true, Session: session(), Error: "broken"}},
		{At: 3, Fact: fsm.SkillLoaded{Answered: fsm.To(4), Text: "instructions", Error: "broken"}},
		{At: 3, Fact: fsm.TextRead{Answered: fsm.To(4), Text: "more", From: 7, Gone: true, Error: "broken"}},
		{At: 3, Fact: fsm.Probed{Answered: fsm.To(4), Answer: fsm.ProbeDone, Text: "wrote 3 bytes", Failed: true}},
		{At: 3, Fact: fsm.ScheduleDue{Schedule: "s1", Slot: 60_000}},
		{At: 4, Fact: fsm.BrainAnswered{
			Answered: fsm.To(5), Stop: fsm.StopToolUse, Text: "text", Thinking: "hm",
			Calls: []fsm.ToolCall{{ID: "c1", Name: "list_dir", Args: `{"path":"<a&b>"}`}}, Tokens: fsm.Tokens{Prompt: 10, Read: 4, Answer: 3},
		}},
		{At: 5, Fact: fsm.BrainFailed{Answered: fsm.To(5), Class: fsm.BrainTimeout, Reason: "slow"}},
		{At: 5, Fact: fsm.BrainProgress{Call: 5, Stage: fsm.StageLoading}},
		{At: 6, Fact: fsm.ToolAnswered{
			Answered: fsm.To(7), Text: "a.txt", Failed: true, Nothing: true, Invalid: true, Kept: fsm.Kept{Ref: "ab", Tail: "z.txt", Bytes: 9000, Tokens: 2250}, Contained: "namespaces",
		}},
		{At: 7, Fact: fsm.ToolStopped{Answered: fsm.To(7)}},
		{At: 8, Fact: fsm.Recalled{Answered: fsm.To(9), Entries: []fsm.Memory{{ID: "h1", Summary: "a summary"}}, Error: "broken"}},
		{At: 9, Fact: fsm.Embedded{Answered: fsm.To(10), Vector: []byte{0, 0, 128, 63}, Model: "embedder", Error: "broken"}},
		{At: 10, Fact: fsm.Stored{Answered: fsm.To(11), Error: "disk full"}},
		{At: 11, Fact: fsm.TimerFired{Timer: 12}},
		{At: 12, Fact: fsm.Signalled{Name: "SIGTERM"}},
	}
}

// session returns a session with every field set.
func session() fsm.Session {
	return fsm.Session{
		Version: 3, Ratio: 1100, Memory: "# Memory", MemoryHash: "abc",
		History: []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "good day", Used: []string{"list_dir"}}},
		Pending: []fsm.Message{{Role: fsm.RoleUser, Text: "old"}},
		Skills:  []fsm.LoadedSkill{{Name: "flights", Reference: "codes.md", Text: "NRT"}},
		Texts:   []fsm.KeptText{{Number: 7, Ref: "ab", Bytes: 9000, Tokens: 2250}}, LastText: 7,
		Offer: fsm.Offer{Own: 7, Servers: []string{"github"}, Tools: []fsm.ToolDecl{{Name: "exec", Description: "runs", Parameters: "{}", Effects: fsm.EffectsUnsafe}}},
	}
}

// effects has one effect of each kind with every field set.
func effects() []fsm.Effect {
	talk := fsm.Conversation{Hash: 42, Messages: []fsm.Message{
		{Role: fsm.RoleSystem, Text: "identity"},
		{Role: fsm.RoleAssistant, Text: "text", Thinking: "hm", Calls: []fsm.ToolCall{{ID: "c1", Name: "list_dir", Args: "{}"}}},
		{Role: fsm.RoleTool, Text: "a.txt", Tool: "list_dir", ToolCall: "c1", Part: fsm.Part{Result: 7, From: 1, To: 6}},
	}}
	key := fsm.RequestKey{Principal: "p", Channel: "udp", ID: "r1"}
	return []fsm.Effect{
		fsm.AskBrain{
			Asked: fsm.Asked{Call: 1, Handle: 2}, Session: "s", Purpose: fsm.PurposeAnswer, System: "identity", Conversation: talk, Tools: fsm.AllTools, Offer: session().Offer,
			Options: fsm.Options{Temperature: 700, MaxTokens: 64}, Tokens: 99, ThinkTokens: 50, NoThinking: true,
		},
		fsm.RunTool{
			Asked: fsm.Asked{Call: 2, Handle: 2}, Session: "s", Name: "list_dir", Args: "{}", Effects: fsm.EffectsNone,
			Origin: fsm.Origin{Channel: "cli", Chat: "direct"}, Attempt: 1, Key: "h2.3", Keep: fsm.Keep{Tokens: 900, Owner: "session s"}, Waits: true,
		},
		fsm.LoadSession{Asked: fsm.Asked{Call: 3, Handle: 2}, Session: "s"},
		fsm.SaveSession{
			Asked: fsm.Asked{Call: 3, Handle: 2}, Session: "s", Turn: "h2", State: session(), Archive: session().History, Notes: []string{"a note"}, Memory: true,
		},
		fsm.ReadText{Asked: fsm.Asked{Call: 3, Handle: 2}, Owner: "session s", Ref: "ab", From: 7, Tokens: 900},
		fsm.RunProbe{Asked: fsm.Asked{Call: 3, Handle: 2}, Session: "s", Name: "write_file", Args: "{}", Key: "h2.3", Attempt: 1},
		fsm.LoadSkill{Asked: fsm.Asked{Call: 3, Handle: 2}, Skill: "flights", Reference: "codes.md"},
		fsm.SendMessage{Handle: 2, Key: "h2", Session: "s", Schedule: "s1", To: fsm.Origin{Channel: "cli", Chat: "direct"}, Text: "done", IsError: true},
		fsm.ArmSchedule{Schedule: "s1", Every: 60_000, Cron: "0 9 * * *", Once: 5, From: 7, Zone: fsm.Zone{Name: "Europe/Berlin", Offset: 3600, Changes: []fsm.Change{{At: 9, Offset: 7200}}}},
		fsm.DisarmSchedule{Schedule: "s1"},
		fsm.AskPerson{
			Handle: 2, Request: key, Session: "s", Question: fsm.QuestionApprove, Tool: "exec", Args: "{}", Key: "h2.1", Text: "why",
		},
		fsm.Audit{
			Handle: 2, Session: "s", Key: "h2.1", Tool: "exec", Args: "{}", Message: "hello", Result: "fine", Failed: true, Probe: fsm.ProbeDone, Attempts: 2, Duration: 30, Contained: "namespaces",
		},
		fsm.AbortCall{Call: 3},
		fsm.Recall{Asked: fsm.Asked{Call: 4, Handle: 2}, Session: "s", Need: "a name", TopK: 5, Own: true, Spare: true},
		fsm.Embed{Asked: fsm.Asked{Call: 5, Handle: 2}, Text: "a summary", Spare: true},
		fsm.Store{Asked: fsm.Asked{Call: 6, Handle: 2}, Entry: fsm.Entry{
			ID: "h2", Kind: fsm.KindUser, Session: "s", At: 7, Summary: "a summary", Text: "text", Vector: []byte{1, 2, 3, 4}, Model: "embedder",
		}},
		fsm.SetTimer{Timer: 7, Handle: 2, Purpose: fsm.TimerHandle, After: 300 * fsm.Second},
		fsm.ClearTimer{Timer: 7},
		fsm.Reply{Handle: 2, Request: key, Text: "good day", IsError: true, Outcome: fsm.OutcomeFailed},
		fsm.Notify{Handle: 2, Request: key, Notice: fsm.NoticeQueued, Ahead: 2},
		fsm.Report{Handle: 2, Kind: fsm.KindEvent, Text: "error: slow"},
		fsm.Exit{Code: fsm.ExitClean},
	}
}

// golden compares got with a golden file, or rewrites the file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the wire form has changed: that is a new version of the journal (-update rewrites %s)\n%s", path, diff)
	}
}

func TestJRN15WireFormOfInputs(t *testing.T) {
	var b bytes.Buffer
	for _, in := range withZeroes(inputs()) {
		data, err := fsm.MarshalInput(in)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	golden(t, "inputs.golden", b.Bytes())
}

func TestJRN15WireFormOfEffects(t *testing.T) {
	var b bytes.Buffer
	for _, e := range append(effects(), zeroes(effects())...) {
		data, err := fsm.MarshalEffect(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	golden(t, "effects.golden", b.Bytes())
}

// withZeroes adds, for each input, one of the same kind with no field set.
func withZeroes(inputs []fsm.Input) []fsm.Input {
	for _, fact := range zeroes(factsOf(inputs)) {
		inputs = append(inputs, fsm.Input{Fact: fact})
	}
	return inputs
}

func factsOf(inputs []fsm.Input) (facts []fsm.Fact) {
	for _, in := range inputs {
		facts = append(facts, in.Fact)
	}
	return facts
}

// zeroes returns, for each value, one of the same type with no field set.
func zeroes[T any](values []T) []T {
	var zero []T
	for _, v := range values {
		zero = append(zero, reflect.Zero(reflect.TypeOf(v)).Interface().(T))
	}
	return zero
}

func TestJRN15EveryKindHasAWireFormAndIsRead(t *testing.T) {
	for _, in := range withZeroes(inputs()) {
		data, err := fsm.MarshalInput(in)
		if err != nil {
			t.Fatal(err)
		}
		back, err := fsm.UnmarshalInput(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(in, back); diff != "" {
			t.Error(diff)
		}
		if !bytes.HasPrefix(data, []byte(`{"kind":"`+fsm.InputKind(in)+`"`)) {
			t.Errorf("the wire form %s does not begin with its kind", data)
		}
	}
}

func TestJRN15EveryKindOfEffectIsRead(t *testing.T) {
	for _, e := range append(effects(), zeroes(effects())...) {
		data, err := fsm.MarshalEffect(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := fsm.UnmarshalEffect(data)
		if diff := cmp.Diff(e, back); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", data, err, diff)
		}
	}
	for _, tt := range []struct{ data, want string }{
		{`{"kind":"other"}`, `unknown kind "other"`},
		{`{"kind":"reply","text":1}`, "decode effect: json: cannot unmarshal number"},
		{`[]`, "decode effect: json: cannot unmarshal array"},
		{`hello`, "decode effect: invalid character 'h'"},
	} {
		if e, err := fsm.UnmarshalEffect([]byte(tt.data)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s is read as %v, error %v", tt.data, e, err)
		}
	}
}

func TestJRN15TheGoldenFilesHaveEveryKind(t *testing.T) {
	tests := []struct {
		what       string
		want, have []string
	}{
		{"facts", typeNames(fsm.Facts()), typeNames(factsOf(inputs()))},
		{"effects", typeNames(fsm.Effects()), typeNames(effects())},
	}
	for _, tt := range tests {
		slices.Sort(tt.want)
		slices.Sort(tt.have)
		tt.have = slices.Compact(tt.have)
		if diff := cmp.Diff(tt.want, tt.have); diff != "" {
			t.Errorf("%s: %s", tt.what, diff)
		}
	}
}

func typeNames[T any](values []T) []string {
	var names []string
	for _, v := range values {
		names = append(names, reflect.TypeOf(v).Name())
	}
	return names
}

func TestJRN15WhatCannotBeReadIsAnError(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"an unknown kind", `{"kind":"dreamt"}`, `unknown kind "dreamt"`},
		{"no kind", `{}`, `unknown kind ""`},
		{"an effect", `{"kind":"reply"}`, `unknown kind "reply"`},
		{"no JSON", `hello`, "decode input: invalid character 'h'"},
		{"nothing", ``, "decode input: unexpected end"},
		{"a field of another type", `{"kind":"stored","call":"one"}`, "decode input"},
		{"a number out of range", `{"kind":"stored","call":-1}`, "decode input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, err := fsm.UnmarshalInput([]byte(tt.data))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("read as %v, error %v", in, err)
			}
		})
	}
	if _, err := fsm.MarshalInput(fsm.Input{}); err == nil {
		t.Error("an input without a fact was encoded")
	}
}

// A field is left out of the hash only if it adds nothing to the other fields.
func TestJRN6EveryFieldOfAnEffectIsInItsHash(t *testing.T) {
	derived := map[string]string{"Audit.Unknown": "from Result", "Audit.From": "from what the handle came with", "RunTool.Approved": "from what people have decided, and started without it by older builds", "RunTool.Source": "MSG-3", "ToolDecl.Effects": "from Offer.Own"}
	for n, e := range effects() {
		full := fsm.HashEffects([]fsm.Effect{e})
		for _, field := range reflect.VisibleFields(reflect.TypeOf(e)) {
			if derived[reflect.TypeOf(e).Name()+"."+field.Name] == "" && reflect.ValueOf(e).FieldByIndex(field.Index).IsZero() {
				t.Errorf("%T has no %s here", e, field.Name)
			}
		}
		eachPart(reflect.ValueOf(e), func(v reflect.Value) reflect.Value { return v }, func(owner, field string, part func(reflect.Value) reflect.Value) {
			if derived[owner+"."+field] != "" {
				return
			}
			v := reflect.New(reflect.TypeOf(e)).Elem()
			v.Set(reflect.ValueOf(effects()[n])) // its own, since its lists are changed
			part(v).SetZero()
			if fsm.HashEffects([]fsm.Effect{v.Interface().(fsm.Effect)}) == full {
				t.Errorf("%s.%s is not hashed in %T", owner, field, e)
			}
		})
	}
}

// The number of the next result follows from the last one, which may be kept no more (TXT-4).
func TestJRN6ASessionsLastNumberIsInItsHash(t *testing.T) {
	one, other := session(), session()
	other.LastText++
	if fsm.HashEffects([]fsm.Effect{fsm.SaveSession{State: one}}) == fsm.HashEffects([]fsm.Effect{fsm.SaveSession{State: other}}) {
		t.Error("two sessions that number their next results differently have one hash")
	}
}

// eachPart calls f with each field of a struct that is set, of the structs in it, and of the first
// of each list of them. From returns v within another value of the outermost struct's type, and part the field.
func eachPart(v reflect.Value, from func(reflect.Value) reflect.Value, f func(owner, field string, part func(reflect.Value) reflect.Value)) {
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() || v.Field(i).IsZero() {
			continue
		}
		part, inner := func(root reflect.Value) reflect.Value { return from(root).Field(i) }, v.Field(i)
		f(v.Type().Name(), v.Type().Field(i).Name, part)
		first := part
		if inner.Kind() == reflect.Slice && inner.Len() > 0 {
			first, inner = func(root reflect.Value) reflect.Value { return part(root).Index(0) }, inner.Index(0)
		}
		if _, hashed := inner.Interface().(fsm.Conversation); inner.Kind() == reflect.Struct && !hashed { // a conversation has a hash of its own
			eachPart(inner, first, f)
		}
	}
}

// BenchmarkEffectsHash measures the hash of one effect of each kind. Its yardstick is encoding
// them.
func BenchmarkEffectsHash(b *testing.B) {
	all := effects()
	b.ReportAllocs()
	for b.Loop() {
		fsm.HashEffects(all)
	}
	yardstick.Of(b, "encoding", func() {
		if _, err := json.Marshal(all); err != nil {
			b.Fatal(err)
		}
	})
}

// Encoding by hand gives the same bytes as json.Marshal, because both read and write journals and
// stores.
func TestJRN15ASessionIsEncodedAsJSONDoes(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("ab\n\t\\\"<>&\u2028\x7f\x00磁é"))), rapid.Just("bad \xff utf8"), rapid.Just(""))
	rapid.Check(t, func(t *rapid.T) {
		var s fsm.Session
		s.Version = rapid.SampledFrom([]uint64{0, 1, 1 << 60}).Draw(t, "version")
		s.Ratio = rapid.IntRange(0, 1).Draw(t, "ratio")
		s.Memory = text.Draw(t, "memory")
		for range rapid.IntRange(0, 4).Draw(t, "messages") {
			m := fsm.Message{
				Role: fsm.Role(text.Draw(t, "role")), Text: text.Draw(t, "text"), Thinking: text.Draw(t, "thinking"), Tool: text.Draw(t, "tool"),
				ToolCall: text.Draw(t, "id"), Aside: rapid.Bool().Draw(t, "aside"), Source: fsm.Source(rapid.Byte().Draw(t, "source")),
			}
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				m.Calls = append(m.Calls, fsm.ToolCall{ID: text.Draw(t, "call"), Name: text.Draw(t, "name"), Args: text.Draw(t, "args"), Text: rapid.Bool().Draw(t, "as text")})
			}
			switch rapid.IntRange(0, 5).Draw(t, "rare") {
			case 0:
				m.Images = [][]byte{{1, 2}}
			case 1:
				m.Used = []string{text.Draw(t, "used")}
			case 2:
				m.Part = fsm.Part{Result: 1, From: 2, To: 3}
			case 3:
				m.Calls, m.Used = []fsm.ToolCall{}, []string{}
			}
			s.History = append(s.History, m)
		}
		want, err := json.Marshal(s)
		got, failed := fsm.AppendSession(nil, s)
		if err != nil || failed != nil || string(got) != string(want) {
			t.Fatalf("the session is\n%s, %v; want\n%s, %v", got, failed, want, err)
		}
		fact := fsm.SessionLoaded{Answered: fsm.To(7), Session: s, Error: text.Draw(t, "error")}
		want, err = json.Marshal(fact)
		got, failed = fsm.MarshalInput(fsm.Input{At: 3, Fact: fact})
		if whole := `{"kind":"session_loaded","at":3,` + string(want[1:]); err != nil || failed != nil || string(got) != whole {
			t.Fatalf("the input is\n%s, %v; want\n%s, %v", got, failed, whole, err)
		}
	})
}

// Each effect that names a handle is of that one, and each kind of call has its answers.
func TestEachEffectKnowsItsHandle(t *testing.T) {
	for _, e := range effects() {
		want := fsm.HandleID(2)
		if f := reflect.ValueOf(e).FieldByName("Handle"); !f.IsValid() {
			want = 0
		}
		if got := fsm.HandleOf(e); got != want {
			t.Errorf("%T is of handle %d", e, got)
		}
		if kind := fsm.CallKindOf(e); kind != "" {
			for _, f := range []fsm.Fact{fsm.PlainAnswer(7, kind), fsm.FailedAnswer(7, kind, "broken")} {
				if !fsm.AnswersKind(f, kind) {
					t.Errorf("%T answers a call of kind %s", f, kind)
				}
			}
		}
	}
}

func TestAListIsHashedByItsTexts(t *testing.T) {
	sum := func(list ...string) uint64 {
		x := fsm.NewHasher(0)
		x.Strs(list)
		return x.Sum()
	}
	if sum("a") == sum("b") || sum("ab") == sum("a", "b") || sum() == sum("") {
		t.Error("two lists have one hash")
	}
}

// Also a session with little or nothing in it, and one with a call whose arguments are much longer
// than all else, is encoded as json.Marshal does it.
func TestJRN15ASessionOfOddSizeIsEncodedAsJSONDoes(t *testing.T) {
	long := []fsm.Message{{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "write_file", Args: strings.Repeat("x", 5000)}}}}
	for _, s := range []fsm.Session{{}, {Version: 3}, {Ratio: 1}, {Version: 3, Ratio: 1}, {History: long}, {Version: 3, History: long}, {History: long, Ratio: 1}} {
		want, err := json.Marshal(s)
		if got, failed := fsm.AppendSession(nil, s); err != nil || failed != nil || string(got) != string(want) {
			t.Errorf("the session is\n%s, %v; want\n%s, %v", got, failed, want, err)
		}
	}
}

// What older builds had not is in a hash only where it is there, each value as another, so that
// their records are replayed without a divergence.
func TestJRN6WhatOlderBuildsHadNotIsHashedWhereItIsThere(t *testing.T) {
	for _, tt := range []struct {
		name string
		old  uint64 // the hash of an older build
		is   []fsm.Effect
	}{
		{"no limit of thinking", 0x4597a041278f26d7, []fsm.Effect{fsm.AskBrain{}, fsm.AskBrain{ThinkTokens: 50}, fsm.AskBrain{NoThinking: true}, fsm.AskBrain{ThinkTokens: 50, NoThinking: true}}},
		{"nothing that contained a tool", 0x1b9512646a7e292f, []fsm.Effect{fsm.Audit{}, fsm.Audit{Contained: "namespaces"}, fsm.Audit{Contained: "landlock"}}},
		{"no start that is only waited for", 0xd5287c7769988ab0, []fsm.Effect{fsm.RunTool{}, fsm.RunTool{Waits: true}}},
		{"no kept text", 0xbdca771eadf568d, []fsm.Effect{fsm.SaveSession{}, fsm.SaveSession{State: fsm.Session{LastText: 1}}, fsm.SaveSession{State: fsm.Session{LastText: 2}}}},
	} {
		seen := map[uint64]bool{}
		for n, e := range tt.is {
			hash := fsm.HashEffects([]fsm.Effect{e})
			if n == 0 && hash != tt.old {
				t.Errorf("with %s the hash is %#x, not %#x", tt.name, hash, tt.old)
			}
			if seen[hash] {
				t.Errorf("%+v has the hash of another", e)
			}
			seen[hash] = true
		}
	}
}
