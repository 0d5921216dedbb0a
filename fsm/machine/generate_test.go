package machine_test

import (
	"reflect"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// genConfig draws a profile with a few things changed, some of them absurdly. It changes
// only a few, because most of what a machine does needs a configuration that leaves room
// for it.
func genConfig(t *rapid.T) fsm.Config {
	c, _ := profile.Named(rapid.SampledFrom(profile.Names()).Draw(t, "profile"))
	c.Init = rapid.SampledFrom([]fsm.InitMode{fsm.InitOff, fsm.InitEveryStart, fsm.InitFirstStart, "", "sometimes"}).Draw(t, "init")
	for range rapid.IntRange(0, 6).Draw(t, "limits") {
		drawLimit(t, &c.Limits)
	}
	for range rapid.IntRange(0, 3).Draw(t, "switches") {
		drawSwitch(t, &c.Switches)
	}
	c.Switches.HoldUnknown = rapid.Bool().Draw(t, "hold_unknown")
	if rapid.IntRange(0, 7).Draw(t, "prompts") == 0 {
		c.Prompts = fsm.Prompts{}
	}
	c.Tools = append(drawTools(t), c.Tools...)
	if rapid.IntRange(0, 3).Draw(t, "grants") == 0 {
		c.Grants = []fsm.Grant{{Tool: "send_mail", Any: true}, {Tool: "write_note", Match: []fsm.ArgMatch{{Argument: "action", Like: "l*"}}}}
	}
	c.Skills = skills()
	return c
}

// drawLimit changes one limit, or sets a token budget that is soon used up.
func drawLimit(t *rapid.T, l *fsm.Limits) {
	v := reflect.ValueOf(l).Elem()
	switch n := rapid.IntRange(0, v.NumField()).Draw(t, "limit"); {
	case n == v.NumField():
		l.ContextTokens, l.KeepMessages = rapid.IntRange(1, 400).Draw(t, "context_tokens"), 1
	case v.Field(n).Type() == reflect.TypeFor[fsm.Millis]():
		v.Field(n).SetInt(int64(rapid.SampledFrom([]fsm.Millis{-fsm.Second, 0, 1, 1500, 300 * fsm.Second}).Draw(t, "time")))
	case v.Field(n).CanInt():
		v.Field(n).SetInt(int64(rapid.IntRange(-1, 4).Draw(t, "bound")))
	default:
		l.Backoff = rapid.SampledFrom([][]fsm.Millis{nil, {-1}, {1000, 1}}).Draw(t, "backoff")
	}
}

// drawSwitch changes one switch.
func drawSwitch(t *rapid.T, s *fsm.Switches) {
	v := reflect.ValueOf(s).Elem()
	f := v.Field(rapid.IntRange(0, v.NumField()-1).Draw(t, "switch"))
	if f.Kind() == reflect.Bool {
		f.SetBool(!f.Bool())
		return
	}
	modes := map[reflect.Type][]string{
		reflect.TypeFor[fsm.HistoryMode]():  {"", "answers", "all"},
		reflect.TypeFor[fsm.OverflowMode](): {"", "summarize", "consolidate"},
		reflect.TypeFor[fsm.RememberMode](): {"", "idle", "off"},
		reflect.TypeFor[fsm.SideMode]():     {"", "appended"},
		reflect.TypeFor[fsm.ReadingMode]():  {"", "careful"},
		reflect.TypeFor[fsm.CancelMode]():   {"", "checkpoint", "immediate"},
		reflect.TypeFor[fsm.EndMode]():      {"", "notice", "state"},
	}
	f.SetString(rapid.SampledFrom(modes[f.Type()]).Draw(t, "mode"))
}

// drawTools draws some of the tests' tools and how they are declared.
func drawTools(t *rapid.T) []fsm.ToolDecl {
	var drawn []fsm.ToolDecl
	for _, tool := range tools() {
		switch rapid.IntRange(0, 9).Draw(t, tool.Name) {
		case 0:
			continue
		case 1:
			tool.Effects = fsm.EffectsNone
		case 2:
			tool.Effects = fsm.EffectsUnsafe
		case 3:
			tool.Effects = "odd"
		case 4, 5:
			tool.Approve = true
		case 6:
			tool.Rules = []fsm.ApproveRule{{Match: []fsm.ArgMatch{{Argument: "content", Like: "*"}}, Ask: true}, {Match: []fsm.ArgMatch{{Argument: "task", Like: "*"}}}}
			tool.Approve, tool.Subject = rapid.Bool().Draw(t, "approve"), []string{"action"}
		}
		tool.Probe = rapid.Bool().Draw(t, "probe")
		drawn = append(drawn, tool)
	}
	return drawn
}

var genText = rapid.SampledFrom([]string{
	"", " \n", "fine", "/new", "/stop", "/help", "/status", `{"history_entry":"it was so","memory_update":"facts"}`,
	`<tool_call>{"name":"list_dir","arguments":{}}</tool_call>`, "Action: list_dir\nAction Input: .", "two\nlines", "NEED: a name", "NEED:", "NEED: NEED: x", " NEED:NEED:", "need: it", "error: no", "日本語",
})

// genKey draws the key of a request; half of the time it is that of an unfinished one.
func genKey(t *rapid.T, s *state.Snapshot) fsm.RequestKey {
	if len(s.Handles) > 0 && rapid.Bool().Draw(t, "here") {
		return rapid.SampledFrom(s.Handles).Draw(t, "handle").Request
	}
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

// genAnswer draws an answer to a call of a kind.
func genAnswer(t *rapid.T, at fsm.Millis, call fsm.CallID, kind fsm.CallKind) fsm.Input {
	broken := rapid.SampledFrom([]string{"", "", "broken"}).Draw(t, "error")
	switch kind {
	case fsm.CallBrain:
		if broken != "" {
			class := rapid.SampledFrom([]fsm.BrainClass{fsm.BrainTimeout, fsm.BrainContextTruncated, fsm.BrainMissingModel, ""}).Draw(t, "class")
			return fsm.Input{At: at, Fact: fsm.BrainFailed{Answered: fsm.To(call), Class: class, Reason: "slow"}}
		}
		stop := rapid.SampledFrom([]fsm.Stop{fsm.StopToolUse, fsm.StopToolUse, fsm.StopEndTurn, fsm.StopEndTurn, fsm.StopMaxTokens, ""}).Draw(t, "stop")
		in := fsm.BrainAnswered{Answered: fsm.To(call), Stop: stop, Text: genText.Draw(t, "text"), Thinking: "hm"}
		if in.AsText = rapid.IntRange(0, 4).Draw(t, "as text") == 0; in.AsText {
			in.Text = rapid.SampledFrom([]string{
				`<tool_call>{"name":"list_dir","arguments":{}}</tool_call>`, `{"name":"send_mail","arguments":{"to":"a"}}`, "<tool_call>",
				`[write_note(text="a"), write_note(text="a")]`, `{"name":"list_dir","arguments":{"a":1,"a":2}}`, "Need: a fact", "So. NEED: a fact",
			}).Draw(t, "written")
		}
		in.Tokens.Prompt = rapid.IntRange(0, 500).Draw(t, "tokens")
		if stop == fsm.StopToolUse || rapid.IntRange(0, 9).Draw(t, "calls anyway") == 0 {
			in.Calls = genCalls(t)
		}
		return fsm.Input{At: at, Fact: in}
	case fsm.CallTool:
		if rapid.IntRange(0, 5).Draw(t, "asks") == 0 {
			return fsm.Input{At: at, Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "why", Failed: broken != "", Asks: "why"}}
		}
		return fsm.Input{At: at, Fact: fsm.ToolAnswered{
			Answered: fsm.To(call), Text: genText.Draw(t, "text"), Failed: broken != "",
			Nothing: rapid.Bool().Draw(t, "nothing"), Invalid: rapid.IntRange(0, 4).Draw(t, "invalid") == 0,
		}}
	case fsm.CallProbe:
		answer := rapid.SampledFrom([]fsm.ProbeAnswer{fsm.ProbeDone, fsm.ProbeNever, fsm.ProbeWorking, fsm.ProbeUnsure, ""}).Draw(t, "probe")
		return fsm.Input{At: at, Fact: fsm.Probed{Answered: fsm.To(call), Answer: answer, Text: genText.Draw(t, "text"), Failed: broken != ""}}
	case fsm.CallStop:
		if broken != "" {
			return fsm.Input{At: at, Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "late"}}
		}
		return fsm.Input{At: at, Fact: fsm.ToolStopped{Answered: fsm.To(call)}}
	case fsm.CallRecall:
		in := fsm.Recalled{Answered: fsm.To(call), Error: broken}
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			in.Entries = append(in.Entries, fsm.Memory{ID: "h1", Summary: genText.Draw(t, "summary")})
		}
		return fsm.Input{At: at, Fact: in}
	case fsm.CallEmbed:
		return fsm.Input{At: at, Fact: fsm.Embedded{Answered: fsm.To(call), Vector: []byte{1, 2, 3, 4}, Model: "embedder", Error: broken}}
	case fsm.CallLoad:
		return fsm.Input{At: at, Fact: fsm.SessionLoaded{Answered: fsm.To(call), Session: genSession(t), Error: broken}}
	case fsm.CallSave:
		in := fsm.SessionSaved{Answered: fsm.To(call), Error: broken, Conflict: rapid.IntRange(0, 3).Draw(t, "conflict") == 0}
		if in.Conflict {
			in.Session = genSession(t)
		}
		return fsm.Input{At: at, Fact: in}
	case fsm.CallSkill:
		return fsm.Input{At: at, Fact: fsm.SkillLoaded{Answered: fsm.To(call), Text: genText.Draw(t, "skill"), Error: broken}}
	default:
		return fsm.Input{At: at, Fact: fsm.Stored{Answered: fsm.To(call), Error: broken}}
	}
}

// genSession draws a session as a store may hold it, with a history that may be broken.
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
// unknown, in flight as something else, or zero.
func genStray(t *rapid.T, s *state.Snapshot) fsm.Input {
	id := rapid.Uint64Range(0, s.LastID+2).Draw(t, "id")
	kinds := []fsm.CallKind{
		fsm.CallBrain, fsm.CallTool, fsm.CallStop, fsm.CallRecall, fsm.CallEmbed, fsm.CallStore,
		fsm.CallLoad, fsm.CallSave, fsm.CallSkill,
	}
	switch n := rapid.IntRange(0, len(kinds)+2).Draw(t, "stray"); n {
	case len(kinds):
		return fsm.Input{}
	case len(kinds) + 1:
		return fsm.Input{Fact: (*fsm.Boot)(nil)}
	case len(kinds) + 2:
		return fsm.Input{At: s.Now, Fact: fsm.TimerFired{Timer: fsm.TimerID(id)}}
	default:
		return genAnswer(t, s.Now, fsm.CallID(id), kinds[n])
	}
}

// genInput draws what may happen next: mostly an answer to a call in flight.
func genInput(t *rapid.T, s *state.Snapshot) fsm.Input {
	at := s.Now + fsm.Millis(rapid.IntRange(-10, 5000).Draw(t, "later"))
	var waiting []state.Await
	var timers []fsm.TimerID
	if s.GraceTimer != 0 {
		timers = append(timers, s.GraceTimer)
	}
	for _, h := range s.Handles {
		waiting = append(waiting, h.InFlight()...)
		for _, timer := range []fsm.TimerID{h.Timer, h.Wait} {
			if timer != 0 {
				timers = append(timers, timer)
			}
		}
	}
	if s.Lifecycle == state.Down || s.Lifecycle == state.Stopped {
		if rapid.Bool().Draw(t, "boot") {
			return fsm.Input{At: at, Fact: fsm.Boot{Config: genConfig(t)}}
		}
	}
	switch n := rapid.IntRange(0, 47).Draw(t, "what"); {
	case n < 22 && len(waiting) > 0:
		a := rapid.SampledFrom(waiting).Draw(t, "await")
		if a.Kind == fsm.CallBrain && rapid.IntRange(0, 3).Draw(t, "progress") == 0 {
			stage := rapid.SampledFrom([]fsm.Stage{fsm.StageLoading, fsm.StageAccepted, fsm.StageWriting, ""}).Draw(t, "stage")
			return fsm.Input{At: at, Fact: fsm.BrainProgress{Call: a.Call, Stage: stage}}
		}
		return genAnswer(t, at, a.Call, a.Kind)
	case n < 27:
		in := fsm.Requested{
			Request: genKey(t, s), Text: genText.Draw(t, "text"),
			Session: rapid.SampledFrom([]string{"s", "s", "t", ""}).Draw(t, "session"),
		}
		if rapid.IntRange(0, 4).Draw(t, "own history") == 0 {
			in.Context = genMessages(t, 3)
		}
		return fsm.Input{At: at, Fact: in}
	case n < 30:
		return fsm.Input{At: at, Fact: fsm.EventRaised{Source: "disk", Event: genText.Draw(t, "event")}}
	case n < 33 && len(timers) > 0:
		return fsm.Input{At: at, Fact: fsm.TimerFired{Timer: rapid.SampledFrom(timers).Draw(t, "timer")}}
	case n < 35:
		return fsm.Input{At: at, Fact: fsm.Signalled{Name: "SIGTERM"}}
	case n < 37:
		return fsm.Input{At: at, Fact: fsm.Boot{Config: genConfig(t)}}
	case n < 45:
		return genWord(t, s, at)
	default:
		return genStray(t, s)
	}
}

// genWord draws an input of a person or a clock that fits the present state.
func genWord(t *rapid.T, s *state.Snapshot, at fsm.Millis) fsm.Input {
	var handle fsm.HandleID
	if len(s.Handles) > 0 {
		handle = rapid.SampledFrom(s.Handles).Draw(t, "handle").ID
	}
	switch rapid.IntRange(0, 9).Draw(t, "word") {
	case 9:
		return fsm.Input{At: at, Fact: fsm.Typing{Session: rapid.SampledFrom([]string{"s", "t", ""}).Draw(t, "session"), Unloaded: rapid.Bool().Draw(t, "unloaded")}}
	case 7:
		return fsm.Input{At: at, Fact: fsm.CancelRequested{Handle: handle}}
	case 8:
		return fsm.Input{At: at, Fact: fsm.ScheduleChanged{
			Change:   rapid.SampledFrom([]fsm.ScheduleChange{fsm.ScheduleAdd, fsm.ScheduleAdd, fsm.ScheduleRemove, fsm.SchedulePause, fsm.ScheduleResume, fsm.ScheduleRun, "?"}).Draw(t, "change"),
			Schedule: rapid.SampledFrom([]string{"s1", "s2", "s9"}).Draw(t, "schedule"),
			Text:     genText.Draw(t, "text"), Every: fsm.Millis(rapid.IntRange(-1, 2).Draw(t, "every")) * fsm.Second,
			Cron: rapid.SampledFrom([]string{"", "@daily", "61 * * * *"}).Draw(t, "cron"),
		}}
	case 6:
		id := "none"
		if all := slices.Concat(s.Grants, s.Config.Grants); len(all) > 0 {
			g := rapid.SampledFrom(all).Draw(t, "grant")
			id = grant.ID(&g)
		}
		return fsm.Input{At: at, Fact: fsm.Revoked{Grant: id}}
	case 0:
		return fsm.Input{At: at, Fact: fsm.Configured{Config: genConfig(t)}}
	case 1:
		return fsm.Input{At: at, Fact: fsm.Resolved{Handle: handle, Text: genText.Draw(t, "text")}}
	case 2:
		return fsm.Input{At: at, Fact: fsm.Decided{
			Handle: handle, Key: state.PersonKey(s, handle), Approve: rapid.Bool().Draw(t, "approve"), By: "ada",
			Grant:  rapid.SampledFrom([]fsm.GrantScope{fsm.GrantOnce, fsm.GrantSession, fsm.GrantAlways}).Draw(t, "for"),
			Reason: rapid.SampledFrom([]string{"", "too late"}).Draw(t, "reason"),
		}}
	case 3:
		return fsm.Input{At: at, Fact: fsm.ScheduleDue{
			Schedule: rapid.SampledFrom([]string{"s1", "s2", "s9"}).Draw(t, "schedule"),
			Slot:     s.Now + fsm.Millis(rapid.IntRange(-5000, 5000).Draw(t, "slot")),
		}}
	default:
		return fsm.Input{At: at, Fact: fsm.CancelRequested{Request: genKey(t, s)}}
	}
}
