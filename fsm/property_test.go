package fsm_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// genConfig draws a configuration, absurd ones among them.
func genConfig(t *rapid.T) fsm.Config {
	c, _ := fsm.Profile(rapid.SampledFrom(fsm.ProfileNames()).Draw(t, "profile"))
	c.Init = rapid.SampledFrom([]fsm.InitMode{fsm.InitOff, fsm.InitEveryStart, fsm.InitFirstStart, "", "sometimes"}).Draw(t, "init")
	drawLimits(t, &c.Limits)
	if rapid.IntRange(0, 2).Draw(t, "switches") == 0 {
		drawSwitches(t, &c.Switches)
	}
	if rapid.IntRange(0, 3).Draw(t, "prompts") == 0 {
		c.Prompts = fsm.Prompts{}
	}
	for _, tool := range tools() {
		if rapid.Bool().Draw(t, tool.Name) {
			tool.Effects = rapid.SampledFrom([]fsm.ToolEffects{tool.Effects, fsm.EffectsNone, fsm.EffectsUnsafe, "odd"}).Draw(t, "effects")
			tool.Approve = rapid.IntRange(0, 4).Draw(t, "approve") == 0
			c.Tools = append(c.Tools, tool)
		}
	}
	c.Skills = []fsm.SkillDecl{{Name: "flights", Summary: "books flights"}, {Name: "manners", Always: true, Text: "be kind"}}
	return c
}

// drawLimits draws small and absurd limits, half of them left as they are.
func drawLimits(t *rapid.T, l *fsm.Limits) {
	v := reflect.ValueOf(l).Elem()
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case !f.CanInt() || rapid.Bool().Draw(t, name+" as it is"):
		case f.Type() == reflect.TypeFor[fsm.Millis]():
			f.SetInt(int64(rapid.SampledFrom([]fsm.Millis{-fsm.Second, 0, 1, 1500, 300 * fsm.Second}).Draw(t, name)))
		default:
			f.SetInt(int64(rapid.IntRange(-1, 4).Draw(t, name)))
		}
	}
	if rapid.Bool().Draw(t, "tokens") {
		l.ContextTokens = rapid.IntRange(1, 400).Draw(t, "context_tokens")
	}
	l.Backoff = nil
	if waits := rapid.SliceOfN(rapid.SampledFrom([]fsm.Millis{-1, 1, 1000}), 0, 2).Draw(t, "backoff"); len(waits) > 0 {
		l.Backoff = waits
	}
}

// drawSwitches draws any combination of switches.
func drawSwitches(t *rapid.T, s *fsm.Switches) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Bool {
			f.SetBool(rapid.Bool().Draw(t, v.Type().Field(i).Name))
		}
	}
	s.History = rapid.SampledFrom([]fsm.HistoryMode{fsm.HistoryNone, fsm.HistoryAnswers, fsm.HistoryAll}).Draw(t, "history")
	s.Overflow = rapid.SampledFrom([]fsm.OverflowMode{fsm.OverflowKeep, fsm.OverflowSummarize, fsm.OverflowConsolidate}).Draw(t, "overflow")
	s.Remember = rapid.SampledFrom([]fsm.RememberMode{fsm.RememberEach, fsm.RememberIdle, fsm.RememberOff}).Draw(t, "remember")
	s.Cancel = rapid.SampledFrom([]fsm.CancelMode{fsm.CancelRefused, fsm.CancelCheckpoint, fsm.CancelImmediate}).Draw(t, "cancel")
	ends := rapid.SampledFrom([]fsm.EndMode{fsm.EndError, fsm.EndNotice, fsm.EndState})
	s.AtLimit, s.AtLength = ends.Draw(t, "at_limit"), ends.Draw(t, "at_length")
}

var genText = rapid.SampledFrom([]string{
	"", " \n", "fine", "/new", "/stop", "/help", "/status", `{"history_entry":"it was so","memory_update":"facts"}`,
	`<tool_call>{"name":"list_dir","arguments":{}}</tool_call>`, "two\nlines", "NEED: a name", "NEED:", "NEED: NEED: x", " NEED:NEED:", "need: it", "error: no", "日本語",
})

func genKey(t *rapid.T) fsm.RequestKey {
	return fsm.RequestKey{Channel: "test", ID: "r" + strconv.Itoa(rapid.IntRange(0, 5).Draw(t, "request"))}
}

func genCalls(t *rapid.T) []fsm.ToolCall {
	var calls []fsm.ToolCall
	for i := range rapid.IntRange(0, 4).Draw(t, "calls") {
		name := rapid.SampledFrom([]string{
			"list_dir", "write_note", "send_mail", "mystery", "fly", "", "functions.list_dir",
			fsm.ToolSpawn, fsm.ToolMessage, fsm.ToolCron, fsm.ToolLoadSkill, fsm.ToolLoadReference,
		}).Draw(t, "tool")
		args := rapid.SampledFrom([]string{
			"{}", "", "broken", `{"task":"look","label":"a look"}`, `{"content":"hello","chat_id":"c"}`, `{"name":"flights","reference":"codes.md"}`,
			`{"action":"add","message":"tick","every_seconds":60}`, `{"action":"add","message":"tick","at":"2026-01-31T09:00:00Z"}`,
			`{"action":"list"}`, `{"action":"remove","job_id":"s1"}`,
		}).Draw(t, "args")
		calls = append(calls, fsm.ToolCall{ID: strconv.Itoa(i), Name: name, Args: args})
	}
	return calls
}

// genAnswer draws an answer of the kind that a call waits for.
func genAnswer(t *rapid.T, at fsm.Millis, call fsm.CallID, kind fsm.CallKind) fsm.Input {
	broken := rapid.SampledFrom([]string{"", "", "broken"}).Draw(t, "error")
	switch kind {
	case fsm.CallBrain:
		if broken != "" {
			class := rapid.SampledFrom([]fsm.BrainClass{fsm.BrainTimeout, fsm.BrainContextTruncated, fsm.BrainMissingModel, ""}).Draw(t, "class")
			return fsm.BrainFailed{At: at, Call: call, Class: class, Reason: "slow"}
		}
		stop := rapid.SampledFrom([]fsm.Stop{fsm.StopToolUse, fsm.StopToolUse, fsm.StopEndTurn, fsm.StopEndTurn, fsm.StopMaxTokens, ""}).Draw(t, "stop")
		in := fsm.BrainAnswered{At: at, Call: call, Stop: stop, Text: genText.Draw(t, "text"), Thinking: "hm"}
		in.Tokens.Prompt = rapid.IntRange(0, 500).Draw(t, "tokens")
		if stop == fsm.StopToolUse || rapid.IntRange(0, 9).Draw(t, "calls anyway") == 0 {
			in.Calls = genCalls(t)
		}
		return in
	case fsm.CallTool:
		return fsm.ToolAnswered{
			At: at, Call: call, Text: genText.Draw(t, "text"), Failed: broken != "",
			Nothing: rapid.Bool().Draw(t, "nothing"), Invalid: rapid.IntRange(0, 4).Draw(t, "invalid") == 0,
		}
	case fsm.CallStop:
		if broken != "" {
			return fsm.ToolAnswered{At: at, Call: call, Text: "late"}
		}
		return fsm.ToolStopped{At: at, Call: call}
	case fsm.CallRecall:
		in := fsm.Recalled{At: at, Call: call, Error: broken}
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			in.Entries = append(in.Entries, fsm.Memory{ID: "h1", Summary: genText.Draw(t, "summary")})
		}
		return in
	case fsm.CallEmbed:
		return fsm.Embedded{At: at, Call: call, Vector: []byte{1, 2, 3, 4}, Model: "embedder", Error: broken}
	case fsm.CallLoad:
		return fsm.SessionLoaded{At: at, Call: call, Session: genSession(t), Error: broken}
	case fsm.CallSave:
		in := fsm.SessionSaved{At: at, Call: call, Error: broken, Conflict: rapid.IntRange(0, 3).Draw(t, "conflict") == 0}
		if in.Conflict {
			in.Session = genSession(t)
		}
		return in
	case fsm.CallSkill:
		return fsm.SkillLoaded{At: at, Call: call, Text: genText.Draw(t, "skill"), Error: broken}
	default:
		return fsm.Stored{At: at, Call: call, Error: broken}
	}
}

// genSession draws a session as a store may have it, with a history that may be
// broken.
func genSession(t *rapid.T) fsm.Session {
	s := fsm.Session{Version: rapid.Uint64Range(0, 3).Draw(t, "version"), Memory: genText.Draw(t, "memory"), MemoryHash: genText.Draw(t, "hash")}
	s.History, s.Pending = genMessages(t, 8), genMessages(t, 2)
	if rapid.Bool().Draw(t, "skill") {
		s.Skills = []fsm.LoadedSkill{{Name: "flights", Text: "book them"}}
	}
	return s
}

func genMessages(t *rapid.T, most int) []fsm.Message {
	var msgs []fsm.Message
	for range rapid.IntRange(0, most).Draw(t, "messages") {
		m := fsm.Message{
			Role: rapid.SampledFrom([]fsm.Role{fsm.RoleUser, fsm.RoleAssistant, fsm.RoleTool, fsm.RoleSystem, "odd"}).Draw(t, "role"),
			Text: genText.Draw(t, "text"),
		}
		if m.Role == fsm.RoleAssistant && rapid.Bool().Draw(t, "with calls") {
			m.Calls = genCalls(t)
		}
		if m.Role == fsm.RoleTool {
			m.Tool, m.ToolCall = "list_dir", rapid.SampledFrom([]string{"", "0", "1"}).Draw(t, "id")
		}
		msgs = append(msgs, m)
	}
	return msgs
}

// genStray draws a fact of any kind about a call or timer that may be stale,
// unknown, in flight as something else, or none at all.
func genStray(t *rapid.T, s *fsm.Snapshot) fsm.Input {
	id := rapid.Uint64Range(0, s.LastID+2).Draw(t, "id")
	kinds := []fsm.CallKind{
		fsm.CallBrain, fsm.CallTool, fsm.CallStop, fsm.CallRecall, fsm.CallEmbed, fsm.CallStore,
		fsm.CallLoad, fsm.CallSave, fsm.CallSkill,
	}
	switch n := rapid.IntRange(0, len(kinds)+2).Draw(t, "stray"); n {
	case len(kinds):
		return nil
	case len(kinds) + 1:
		return (*fsm.Boot)(nil)
	case len(kinds) + 2:
		return fsm.TimerFired{At: s.Now, Timer: fsm.TimerID(id)}
	default:
		return genAnswer(t, s.Now, fsm.CallID(id), kinds[n])
	}
}

// genInput draws what may happen next: mostly an answer to a call in flight.
func genInput(t *rapid.T, s *fsm.Snapshot) fsm.Input {
	at := s.Now + fsm.Millis(rapid.IntRange(-10, 5000).Draw(t, "later"))
	var waiting []fsm.Await
	var timers []fsm.TimerID
	if s.GraceTimer != 0 {
		timers = append(timers, s.GraceTimer)
	}
	for _, h := range s.Handles {
		if h.Await.Call != 0 {
			waiting = append(waiting, h.Await)
		}
		for _, timer := range []fsm.TimerID{h.Timer, h.Wait} {
			if timer != 0 {
				timers = append(timers, timer)
			}
		}
	}
	if s.Lifecycle == fsm.Down || s.Lifecycle == fsm.Stopped {
		if rapid.Bool().Draw(t, "boot") {
			return fsm.Boot{At: at, Config: genConfig(t)}
		}
	}
	switch n := rapid.IntRange(0, 47).Draw(t, "what"); {
	case n < 22 && len(waiting) > 0:
		a := rapid.SampledFrom(waiting).Draw(t, "await")
		return genAnswer(t, at, a.Call, a.Kind)
	case n < 27:
		in := fsm.Requested{
			At: at, Request: genKey(t), Text: genText.Draw(t, "text"),
			Session: rapid.SampledFrom([]string{"s", "s", "t", ""}).Draw(t, "session"),
		}
		if rapid.IntRange(0, 4).Draw(t, "own history") == 0 {
			in.Context = genMessages(t, 3)
		}
		return in
	case n < 30:
		return fsm.EventRaised{At: at, Source: "disk", Event: genText.Draw(t, "event")}
	case n < 33 && len(timers) > 0:
		return fsm.TimerFired{At: at, Timer: rapid.SampledFrom(timers).Draw(t, "timer")}
	case n < 35:
		return fsm.Signalled{At: at, Name: "SIGTERM"}
	case n < 37:
		return fsm.Boot{At: at, Config: genConfig(t)}
	case n < 45:
		return genWord(t, s, at)
	default:
		return genStray(t, s)
	}
}

// genWord draws what a person or a clock may say about what is there.
func genWord(t *rapid.T, s *fsm.Snapshot, at fsm.Millis) fsm.Input {
	var handle fsm.HandleID
	if len(s.Handles) > 0 {
		handle = rapid.SampledFrom(s.Handles).Draw(t, "handle").ID
	}
	switch rapid.IntRange(0, 4).Draw(t, "word") {
	case 0:
		return fsm.Configured{At: at, Config: genConfig(t)}
	case 1:
		return fsm.Resolved{At: at, Handle: handle, Text: genText.Draw(t, "text")}
	case 2:
		return fsm.Decided{At: at, Handle: handle, Key: fsm.PersonKey(s, handle), Approve: rapid.Bool().Draw(t, "approve"), By: "ada"}
	case 3:
		return fsm.ScheduleDue{
			At: at, Schedule: rapid.SampledFrom([]string{"s1", "s2", "s9"}).Draw(t, "schedule"),
			Slot: s.Now + fsm.Millis(rapid.IntRange(-5000, 5000).Draw(t, "slot")),
		}
	default:
		return fsm.CancelRequested{At: at, Request: genKey(t)}
	}
}

// check fails the property where a step breaks an invariant.
func check(t *rapid.T, w *fsm.Monitor, m *fsm.Machine, in fsm.Input, effects []fsm.Effect) {
	for _, v := range w.Step(m, in, effects) {
		t.Errorf("after %T %+v: %s", in, in, v)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// throughWire returns an input as it is read back from its wire form.
func throughWire(t *rapid.T, in fsm.Input) fsm.Input {
	switch in.(type) {
	case nil, *fsm.Boot:
		return in
	}
	data, err := fsm.MarshalInput(in)
	if err != nil {
		t.Fatal(err)
	}
	back, err := fsm.UnmarshalInput(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in, back) {
		t.Fatalf("the wire form of %T loses something: %s", in, cmp.Diff(in, back))
	}
	return back
}

// throughSnapshot returns the machine restored from m's written snapshot.
func throughSnapshot(t *rapid.T, m *fsm.Machine) *fsm.Machine {
	data, err := json.Marshal(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var s fsm.Snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return fsm.Restore(s)
}

// eachStart runs a property from a machine in each of its phases, so that what
// rarely happens by itself is met often.
func eachStart(t *testing.T, property func(*rapid.T, *fsm.Machine)) {
	asked := func(d *driver) { d.boot(); d.ask("hello"); d.ask("waits") }
	init := func(d *driver) { d.config.Init = fsm.InitEveryStart; d.boot(); d.ask("waits") }
	starts := []struct {
		name string
		to   func(*driver)
	}{
		{"down", func(d *driver) {}},
		{"initial inference", init},
		{"initial inference with a tool", func(d *driver) { init(d); d.calls("send_mail", "list_dir") }},
		{"cognition", asked},
		{"cognition with a tool", func(d *driver) { asked(d); d.calls("send_mail", "list_dir") }},
		{"recalling", func(d *driver) { asked(d); d.answer("NEED: more") }},
		{"execution", func(d *driver) { asked(d); untilExecution(d) }},
		{"execution with a tool", func(d *driver) { asked(d); untilExecution(d); d.calls("list_dir") }},
		{"summarizing", func(d *driver) { asked(d); d.answer("good day") }},
		{"embedding", func(d *driver) { asked(d); d.answer("good day"); d.answer("a summary") }},
		{"storing", func(d *driver) { asked(d); d.answer("good day"); d.answer("a summary"); d.embeds() }},
		{"stopping", func(d *driver) { asked(d); d.calls("send_mail"); d.timeUp() }},
		{"draining", func(d *driver) { asked(d); d.signal() }},
		{"farewell", func(d *driver) { asked(d); d.signal(); d.graceUp() }},
		{"stopped", func(d *driver) { asked(d); d.signal(); d.signal() }},
	}
	for _, start := range starts {
		t.Run(start.name, func(t *testing.T) {
			d := newDriver(t)
			start.to(d)
			rapid.Check(t, func(t *rapid.T) { property(t, d.m.Clone()) })
		})
	}
}

// TestStepIsTotalAndDeterministic tells a machine anything at all, and a second
// one the same through the wire, that is restored from the snapshot now and then.
func TestStepIsTotalAndDeterministic(t *testing.T) {
	eachStart(t, func(t *rapid.T, m *fsm.Machine) {
		twin, w := throughSnapshot(t, m), fsm.MonitorFrom(m)
		t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
			in := genInput(t, m.View())
			effects := m.Step(in)
			check(t, w, m, in, effects)
			if got, want := fsm.HashEffects(twin.Step(throughWire(t, in))), fsm.HashEffects(effects); got != want {
				t.Fatalf("after %T the twin has other effects", in)
			}
			if m.View().Hash() != twin.View().Hash() {
				t.Fatalf("after %T the twin is in another state", in)
			}
			if rapid.IntRange(0, 60).Draw(t, "restore") == 13 {
				twin, w = throughSnapshot(t, m), fsm.MonitorFrom(m)
			}
		}})
		if a, b := m.Snapshot(), twin.Snapshot(); !reflect.DeepEqual(a, b) {
			t.Fatalf("the twin is in another state: %s", cmp.Diff(a, b))
		}
		if err := fsm.CheckRestore(m); err != nil {
			t.Fatal(err)
		}
		if n := m.View().Ignored.Moves; n != 0 {
			t.Fatalf("a table refused %d moves", n)
		}
	})
}

// TestAClonesLifeIsItsOwn lets clones of one machine go different ways.
func TestAClonesLifeIsItsOwn(t *testing.T) {
	eachStart(t, func(t *rapid.T, m *fsm.Machine) {
		w := fsm.MonitorFrom(m)
		walk := func(m *fsm.Machine, w *fsm.Monitor, steps int) (inputs []fsm.Input, hashes []uint64) {
			for range steps {
				in := genInput(t, m.View())
				effects := m.Step(in)
				check(t, w, m, in, effects)
				inputs, hashes = append(inputs, in), append(hashes, fsm.HashEffects(effects))
			}
			return inputs, hashes
		}
		walk(m, w, rapid.IntRange(0, 8).Draw(t, "before"))
		fork, other, before := m.Clone(), m.Clone(), m.Snapshot()
		steps := rapid.IntRange(1, 8).Draw(t, "after")
		walk(fork, w.Clone(), steps)
		forked := throughSnapshot(t, fork).Snapshot()
		inputs, hashes := walk(m, w.Clone(), steps)
		if a := fork.Snapshot(); !reflect.DeepEqual(forked, a) {
			t.Fatalf("a clone has changed with its original: %s", cmp.Diff(forked, a))
		}
		if a := other.Snapshot(); !reflect.DeepEqual(before, a) {
			t.Fatalf("a clone that was left alone has changed: %s", cmp.Diff(before, a))
		}
		for i, in := range inputs {
			effects := other.Step(in)
			check(t, w, other, in, effects)
			if fsm.HashEffects(effects) != hashes[i] {
				t.Fatalf("after %T a clone has other effects than its original", in)
			}
		}
		if a, b := m.Snapshot(), other.Snapshot(); !reflect.DeepEqual(a, b) {
			t.Fatalf("a clone ends in another state than its original: %s", cmp.Diff(a, b))
		}
	})
}

// TestEffectsStayAsTheyWereGiven: effects share messages with the machine, which
// must never write to what it has given away.
func TestEffectsStayAsTheyWereGiven(t *testing.T) {
	eachStart(t, func(t *rapid.T, m *fsm.Machine) {
		var given []fsm.Effect
		var as []string
		write := func(e fsm.Effect) string {
			data, err := fsm.MarshalEffect(e)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
			for _, e := range m.Step(genInput(t, m.View())) {
				if ask, ok := e.(fsm.AskBrain); ok && cap(ask.Conversation.Messages) > len(ask.Conversation.Messages) {
					t.Fatal("whoever appends to the messages of an effect writes into the machine")
				}
				given, as = append(given, e), append(as, write(e))
			}
		}})
		for i, e := range given {
			if now := write(e); now != as[i] {
				t.Fatalf("an effect was given as %s and is now %s", as[i], now)
			}
		}
	})
}

// TestINV12RestIsReachable leaves a machine alone with a world that answers, in
// whatever way, after anything at all has happened.
func TestINV12RestIsReachable(t *testing.T) {
	eachStart(t, func(t *rapid.T, m *fsm.Machine) {
		w := fsm.MonitorFrom(m)
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			in := genInput(t, m.View())
			check(t, w, m, in, m.Step(in))
		}
		const enough = 20_000 // for some handles, each within 4 inferences of 20 rounds of 4 calls
		for n := 0; !fsm.Resting(m.View()); n++ {
			s := m.View()
			i := slices.IndexFunc(s.Handles, func(h fsm.Handle) bool { return h.Await.Call != 0 })
			var in fsm.Input
			if i >= 0 {
				in = genAnswer(t, s.Now+1, s.Handles[i].Await.Call, s.Handles[i].Await.Kind)
			} else if i = slices.IndexFunc(s.Handles, func(h fsm.Handle) bool { return h.Wait != 0 }); i >= 0 {
				in = fsm.TimerFired{At: s.Now + 1, Timer: s.Handles[i].Wait} // nobody decides, or the model is asked again
			}
			if in == nil || n == enough {
				t.Fatalf("no rest after %d answers: %+v", n, s)
			}
			check(t, w, m, in, m.Step(in))
		}
	})
}

// sink is a world in which nothing comes of an effect.
type sink struct{ performed []fsm.Effect }

func (s *sink) Perform(e fsm.Effect) error {
	s.performed = append(s.performed, e)
	return nil
}

// TestINV9BatchesSplitAnyhowCauseTheSameEffects gives an engine the same inputs
// one by one and in turns of any size.
func TestINV9BatchesSplitAnyhowCauseTheSameEffects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := []fsm.Input{fsm.Boot{Config: genConfig(t)}}
		m := fsm.New()
		m.Step(inputs[0])
		t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
			in := genInput(t, m.View())
			m.Step(in)
			inputs = append(inputs, in)
		}})
		run := func(sizes *rapid.Generator[int]) (*engine.MemoryJournal, []fsm.Effect) {
			journal, world := engine.NewMemoryJournal(), &sink{}
			e, err := engine.Open(journal, world)
			if err != nil {
				t.Fatal(err)
			}
			for rest := inputs; len(rest) > 0; {
				n := min(sizes.Draw(t, "turn"), len(rest))
				if err := e.Turn(rest[:n]...); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			return journal, world.performed
		}
		oneByOne, want := run(rapid.Just(1))
		inTurns, got := run(rapid.IntRange(1, 8))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the effects differ: %s", diff)
		}
		if diff := cmp.Diff(oneByOne.Records(), inTurns.Records()); diff != "" {
			t.Fatalf("the journals differ: %s", diff)
		}
	})
}
