package machine_test

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// breach is one violation: what the machine did with one input is changed before the
// monitor sees it.
type breach struct {
	invariant string
	text      string // part of what the monitor must say
	to        func(*driver)
	in        func(*driver) fsm.Input
	effects   func([]fsm.Effect) []fsm.Effect
	state     func(*state.Snapshot)
}

// change applies f to each effect of a type.
func change[E fsm.Effect](f func(*E)) func([]fsm.Effect) []fsm.Effect {
	return func(effects []fsm.Effect) []fsm.Effect {
		for i, e := range effects {
			if e, ok := e.(E); ok {
				f(&e)
				effects[i] = e
			}
		}
		return effects
	}
}

// drop removes the effects of a type.
func drop[E fsm.Effect](effects []fsm.Effect) []fsm.Effect {
	return slices.DeleteFunc(effects, func(e fsm.Effect) bool { _, ok := e.(E); return ok })
}

// add appends an effect.
func add(e fsm.Effect) func([]fsm.Effect) []fsm.Effect {
	return func(effects []fsm.Effect) []fsm.Effect { return append(effects, e) }
}

// twice repeats the last effect.
func twice(effects []fsm.Effect) []fsm.Effect { return append(effects, effects[len(effects)-1]) }

// The inputs of the breaches.
func asks(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "new"}, Session: "s", Text: "hello"}}
}
func signals(d *driver) fsm.Input { return fsm.Input{At: d.now(), Fact: fsm.Signalled{}} }
func boots(d *driver) fsm.Input   { return fsm.Input{At: d.now(), Fact: fsm.Boot{Config: d.config}} }
func loadsTalk(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.SessionLoaded{Answered: fsm.To(d.call(fsm.CallLoad)), Session: fsm.Session{Version: 1, History: talk(4)}}}
}
func keepsSent(d *driver) { d.config.Switches.History = fsm.HistorySent }

// compresses makes the machine ask for the summary of long(10) after the conversation
// (CTX-20).
func compresses(d *driver) {
	keepsSent(d)
	d.config.Switches.Compress, d.config.Switches.SideCalls = true, fsm.SideAppended
	d.config.Limits.ContextTokens, d.config.Limits.CompressPercent, d.config.Limits.KeepMessages = 880, 70, 4
}
func loadsLong(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.SessionLoaded{Answered: fsm.To(d.call(fsm.CallLoad)), Session: fsm.Session{Version: 1, History: long(10)}}}
}
func listsLong(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.call(fsm.CallTool)), Text: strings.Repeat("a.txt ", 100)}}
}

// remembers saves a turn that is summed up after its session's conversation once nothing
// waits (HND-49).
func remembers(d *driver) {
	keepsSent(d)
	d.config.Switches.Remember, d.config.Switches.SideCalls = fsm.RememberIdle, fsm.SideAppended
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{Version: 1, History: talk(2)})
	d.answer("good day")
}
func savesIt(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.SessionSaved{Answered: fsm.To(d.call(fsm.CallSave))}}
}

// reword changes the second message of a side call.
var reword = change(func(a *fsm.AskBrain) {
	if a.Purpose != fsm.PurposeCompact && a.Purpose != fsm.PurposeSummary {
		return
	}
	msgs := slices.Clone(a.Conversation.Messages)
	msgs[1].Text = "Good day!"
	a.Conversation = fsm.Conversation{}.Add(msgs...)
})

func timesOut(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: d.active().Timer}}
}
func says(text string) func(*driver) fsm.Input {
	return func(d *driver) fsm.Input {
		return fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: text}}
	}
}
func callsTool(name string) func(*driver) fsm.Input {
	return func(d *driver) fsm.Input {
		return fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Calls: []fsm.ToolCall{{Name: name}}}}
	}
}
func storesIt(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.Stored{Answered: fsm.To(d.call(fsm.CallStore))}}
}
func storeBreaks(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.Stored{Answered: fsm.To(d.call(fsm.CallStore)), Error: "disk full"}}
}
func embedsIt(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.Embedded{Answered: fsm.To(d.call(fsm.CallEmbed)), Model: "embedder"}}
}
func toolAnswers(d *driver) fsm.Input {
	return fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.call(fsm.CallTool)), Text: "a.txt"}}
}
func stale(d *driver) fsm.Input { return fsm.Input{At: d.now(), Fact: fsm.Stored{Answered: fsm.To(1)}} }

// The phases from which the breaches start.
func idle(d *driver)     { d.boot() }
func thinking(d *driver) { d.boot(); d.ask("first") }
func waits(d *driver)    { thinking(d); d.ask("waits") }
func embedding(d *driver) {
	thinking(d)
	d.answer("good day")
	d.answer("a summary")
}
func storing(d *driver) { embedding(d); d.embeds() }
func acting(name string) func(*driver) {
	return func(d *driver) { thinking(d); d.calls(name, "list_dir") }
}

// probing asks a tool what became of a call; the breach boots the machine again.
func probing(d *driver) {
	d.config.Tools = tools()
	d.config.Tools[2].Probe = true
	acting("send_mail")(d)
	d.boot()
}

// together makes the model ask for tools that may run at the same time.
func together(names ...string) func(*driver) {
	return func(d *driver) {
		d.config.Limits.ReadsAtOnce, d.config.Switches.NoCognition = 4, true
		thinking(d)
		if len(names) > 0 {
			d.calls(names...)
		}
	}
}
func callsTwo(a, b string) func(*driver) fsm.Input {
	return func(d *driver) fsm.Input {
		return fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Calls: []fsm.ToolCall{{Name: a, Args: "1"}, {Name: b, Args: "2"}}}}
	}
}
func readsLast(text string) func(*driver) fsm.Input {
	return func(d *driver) fsm.Input {
		return fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.active().InFlight()[0].Call), Text: text}}
	}
}
func stopped(d *driver) { d.boot(); d.signal(); d.signal() }

func breaches() []breach {
	var used fsm.RunTool
	var probe fsm.RunProbe
	return []breach{
		{"INV-1", "a second reply", storing, storesIt, twice, nil},
		{"INV-1", "has ended, replied: false", storing, storesIt, drop[fsm.Reply], nil},
		{"INV-1", "gets a reply with is_error true", storing, storesIt, change(func(r *fsm.Reply) { r.IsError, r.Text = true, "error: x" }), nil},
		{"INV-1", "that does not say so", thinking, timesOut, change(func(r *fsm.Reply) { r.Text = "sorry" }), nil},
		{"INV-1", "gets a reply to", storing, storesIt, change(func(r *fsm.Reply) { r.Request.ID = "another" }), nil},
		{"INV-1", "has its reply but no outcome in cognition", thinking, asks, add(fsm.Reply{Handle: 1, Request: fsm.RequestKey{Channel: "test", ID: "r1"}, Text: "error: x", IsError: true}), func(s *state.Snapshot) { s.Handles[0].Replied = true }},
		{"INV-1", "was parked and its client not told", waits, signals, drop[fsm.Notify], nil},
		{"INV-1", "gets the notice", thinking, asks, add(fsm.Notify{Handle: 1, Request: fsm.RequestKey{Channel: "test", ID: "r1"}}), nil},
		{"INV-1", "is gone but was in", thinking, stale, nil, func(s *state.Snapshot) { s.Handles = nil }},
		{"INV-1", "was neither admitted nor refused", thinking, asks, nil, func(s *state.Snapshot) { s.Handles, s.LastHandle = s.Handles[:1], 1 }},
		{"INV-1", "was refused with 0 of 64 places", thinking, asks, nil, func(s *state.Snapshot) { s.Handles = s.Handles[:1] }},
		{"INV-1", "stays parked although the machine serves", waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].State = state.Parked }},
		{"INV-1", "has consumed an answer: true, and its measure", acting("list_dir"), toolAnswers, nil, func(s *state.Snapshot) { s.Handles[0].Inf.Next = 0 }},
		{"INV-1", "has consumed an answer: false, and its measure", acting("list_dir"), stale, nil, func(s *state.Snapshot) { s.Handles[0].Inf.Iterations = 0 }},

		{"INV-2", "while its brain call 2 is in flight", thinking, asks, add(fsm.Embed{Asked: fsm.Asked{Call: 3, Handle: 1}}), nil},
		{"INV-2", "the trace says cognition, []", thinking, callsTool("list_dir"), drop[fsm.RunTool], nil},
		{"INV-2", `awaits [{2 recall}] with timers 1 and 0, not ["brain"], wait "answer", clock true`, thinking, stale, nil, func(s *state.Snapshot) { s.Handles[0].Await.Kind = fsm.CallRecall }},
		{"INV-2", `awaits [{2 brain}] with timers 0 and 0`, thinking, stale, nil, func(s *state.Snapshot) { s.Handles[0].Timer = 0 }},
		{"INV-2", "1 refused moves", thinking, stale, nil, func(s *state.Snapshot) { s.Ignored.Moves = 1 }},
		{"INV-2", "is queued although its place is free", thinking, asks, nil, func(s *state.Snapshot) { s.Handles = s.Handles[1:] }},
		{"INV-2", "handle 2: the state says queued, calls [], timers 7 and 0", waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].Timer = 7 }},
		{"INV-2", "handle 2: the state says queued, calls [], timers 0 and 7", waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].Wait = 7 }},
		{"INV-2", "handle 2: the state says queued, calls [{9 brain}]", waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].Await = state.Await{Call: 9, Kind: fsm.CallBrain} }},
		{"INV-2", "handle 2 is queued although its place is free", waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].Session, s.Config.Limits.MaxActive = "another", 2 }},
		{"INV-1", "handle 2 replied: the state says true, the trace false", waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].Replied = true }},
		{"INV-1", "handle 2 has consumed an answer: false, and its measure", waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].Tries = -1 }},
		{"INV-11", `handle 2 answers "x" after ""; the model said ""`, waits, stale, nil, func(s *state.Snapshot) { s.Handles[1].Answer, s.Handles[1].Outcome = "x", fsm.OutcomeAnswered }},
		{"INV-2", "of kind user idles in serving although 0 others wait", thinking, stale, nil, func(s *state.Snapshot) { s.Handles[0].State = state.Idling }},
		{"INV-2", "of kind memory idles in serving although 1 others wait", waits, stale, nil, func(s *state.Snapshot) {
			s.Handles[0].State, s.Handles[0].Kind = state.Idling, fsm.KindMemory
		}},
		{"INV-2", "nothing is awaited there", thinking, stale, nil, func(s *state.Snapshot) { s.Handles[0].State = state.Done }},
		{"INV-2", "nothing is awaited there", thinking, stale, nil, func(s *state.Snapshot) { s.Handles[0].Inf.State = state.Completed }},
		{"INV-2", "the state says draining", thinking, stale, nil, func(s *state.Snapshot) { s.Lifecycle = state.Draining }},

		{"INV-3", "recalls 6 entries, not 5", thinking, says("NEED: more"), change(func(r *fsm.Recall) { r.TopK++ }), nil},
		{"INV-3", "starts with 301s, not 300s", idle, asks, change(func(s *fsm.SetTimer) { s.After += fsm.Second }), nil},
		{"INV-3", "goes on with 301s, though", thinking, boots, change(func(s *fsm.SetTimer) { s.After = 301 * fsm.Second }), nil},
		{"INV-3", "gives a tool 11s to stop", acting("list_dir"), timesOut, change(func(s *fsm.SetTimer) { s.After += fsm.Second }), nil},
		{"INV-3", "was admitted with 1 of 1 places", waits, asks, nil, func(s *state.Snapshot) { s.Config.Limits.MaxQueue = 1 }},
		{"INV-3", "runs call 2 of an answer, of 1", acting("list_dir"), toolAnswers, nil, func(s *state.Snapshot) { s.Config.Limits.MaxCallsPerAnswer = 1 }},
		{"INV-3", "stores again after 1 of 1", storing, storeBreaks, nil, func(s *state.Snapshot) { s.Config.Limits.MaxStoreAttempts = 1 }},

		{"INV-4", "have no result", func(d *driver) { thinking(d); d.calls("list_dir") }, toolAnswers, change(func(a *fsm.AskBrain) {
			a.Conversation.Messages = a.Conversation.Messages[:2]
		}), nil},
		{"INV-4", `is not the result of call "list_dir"`, func(d *driver) { thinking(d); d.calls("list_dir") }, toolAnswers, change(func(a *fsm.AskBrain) {
			a.Conversation.Messages = slices.Clone(a.Conversation.Messages)
			a.Conversation.Messages[2].ToolCall = "another"
		}), nil},
		{"INV-4", "which was not called", idle, asks, change(func(a *fsm.AskBrain) {
			a.Conversation.Messages = append(a.Conversation.Messages, fsm.Message{Role: fsm.RoleTool, Tool: "list_dir"})
		}), nil},

		{"INV-5", `handles 1 and 2 of session "s" both run`, thinking, asks, nil, func(s *state.Snapshot) { s.Handles[1].State = state.Cognition }},
		{"INV-5", "out of admission order", thinking, asks, nil, func(s *state.Snapshot) { slices.Reverse(s.Handles) }},

		{"INV-6", `starts attempt 1 of the unsafe call "send_mail" after attempt 1`, acting("send_mail"), func(d *driver) fsm.Input {
			used = one[fsm.RunTool](d)
			return stale(d)
		}, func(effects []fsm.Effect) []fsm.Effect { return append(effects, used) }, nil},
		{"INV-6", `begins a use of "list_dir" with attempt 2`, acting("list_dir"), boots, change(func(r *fsm.RunTool) { r.Key, r.Attempt = "h1.9", 2 }), nil},
		{"INV-6", "which was not started", probing, boots, change(func(p *fsm.RunProbe) { p.Key = "h1.9" }), nil},
		{"INV-6", "probed already true", func(d *driver) {
			probing(d)
			probe = one[fsm.RunProbe](d)
			d.probeSays(fsm.ProbeNever, "")
		}, stale, func(effects []fsm.Effect) []fsm.Effect { return append(effects, probe) }, nil},
		{"INV-6", "which has no probe", probing, func(d *driver) fsm.Input {
			d.config.Tools = tools()
			probe = one[fsm.RunProbe](d)
			return boots(d)
		}, func(effects []fsm.Effect) []fsm.Effect { return append(effects, probe) }, nil},
		{"INV-6", `declared with "unsafe"`, thinking, callsTool("send_mail"), change(func(r *fsm.RunTool) { r.Effects = fsm.EffectsNone }), nil},

		{"INV-7", `goes to session "another"`, idle, asks, change(func(a *fsm.AskBrain) { a.Session = "another" }), nil},
		{"INV-7", "does not hold its own input", idle, asks, change(func(a *fsm.AskBrain) {
			a.Conversation.Messages = slices.Clone(a.Conversation.Messages)
			a.Conversation.Messages[0].Text += " and that"
		}), nil},
		{"INV-7", "is not the one sent before", acting("fly"), toolAnswers, change(func(a *fsm.AskBrain) { a.Conversation.Hash++ }), nil},
		{"INV-7", "shrank from 1 messages to 0", func(d *driver) { thinking(d); d.calls("list_dir") }, toolAnswers, change(func(a *fsm.AskBrain) {
			a.Conversation.Messages = nil
		}), nil},
		{"INV-7", "stores entry h9", embedding, embedsIt, change(func(s *fsm.Store) { s.Entry.ID = "h9" }), nil},

		{"INV-8", "nobody waits for this", thinking, stale, add(fsm.Report{Handle: 1, Kind: fsm.KindUser}), nil},
		{"INV-8", "report for handle 7, which is terminal or unknown", thinking, asks, add(fsm.Report{Handle: 7}), nil},
		{"INV-8", "reply for handle 7, which is terminal or unknown", thinking, asks, add(fsm.Reply{Handle: 7}), nil},
		{"INV-8", "effects follow the exit", func(d *driver) { d.boot(); d.signal() }, signals, add(fsm.Report{}), nil},
		{"INV-8", "a ask_brain while stopped", stopped, asks, add(fsm.AskBrain{}), nil},

		{"INV-10", "is not new", thinking, callsTool("list_dir"), change(func(r *fsm.RunTool) { r.Call = 1 }), nil},
		{"INV-10", "is not new", idle, asks, change(func(s *fsm.SetTimer) { s.Timer += 100 }), nil},
		{"INV-10", "timer 77 is cleared but not armed", storing, storesIt, change(func(c *fsm.ClearTimer) { c.Timer = 77 }), nil},
		{"INV-10", "has ended with timers 1 and 0 armed", storing, storesIt, drop[fsm.ClearTimer], nil},
		{"INV-10", "has ended with its brain call 2 in flight", thinking, timesOut, drop[fsm.AbortCall], nil},
		{"INV-10", "call 77 is aborted but not in flight", thinking, timesOut, change(func(a *fsm.AbortCall) { a.Call = 77 }), nil},
		{"INV-10", "while timer 1 is armed", acting("list_dir"), toolAnswers, add(fsm.SetTimer{Timer: 5, Handle: 1, Purpose: fsm.TimerHandle}), nil},

		{"INV-11", `its reply is "NEED: tea"`, storing, storesIt, change(func(r *fsm.Reply) { r.Text = "NEED: tea" }), nil},
		{"INV-11", "is not whole", embedding, embedsIt, change(func(s *fsm.Store) { s.Entry.Summary = "" }), nil},
		{"INV-11", "is not whole", embedding, embedsIt, change(func(s *fsm.Store) { s.Entry.Text = "Input: first" }), nil},
		{"INV-11", "a summary with the marker", embedding, embedsIt, change(func(s *fsm.Store) { s.Entry.Summary = "NEED: tea" }), nil},
		{"INV-11", `the model said "good day"`, thinking, says("good day"), nil, func(s *state.Snapshot) { s.Handles[0].Answer = "let me see" }},

		{"INV-13", "does not begin with what its session keeps", func(d *driver) { keepsSent(d); asked(d) }, loadsTalk, change(func(a *fsm.AskBrain) {
			msgs := slices.Clone(a.Conversation.Messages)
			msgs[1].Text = "Good day!"
			a.Conversation = fsm.Conversation{}.Add(msgs...)
		}), nil},
		{"INV-13", "does not begin with what its session keeps", func(d *driver) { compresses(d); asked(d) }, loadsLong, reword, nil},
		{"INV-13", "the compaction of handle 1 does not begin with what the model was sent", func(d *driver) {
			compresses(d)
			asked(d)
			d.loads(fsm.Session{Version: 1, History: long(7)})
			d.calls("list_dir")
		}, listsLong, reword, nil},
		{"INV-13", "the summary of handle 2 does not begin with what its session keeps", remembers, savesIt, reword, nil},
		{"INV-13", "the summary of handle 3 does not begin with what its session keeps", func(d *driver) { // two turns, gathered
			remembers(d)
			d.ask("again")
			d.saves()
			d.loads(fsm.Session{Version: 2, History: talk(3)})
			d.answer("good evening")
		}, savesIt, reword, nil},
		{"INV-13", "keeps something other than what the model was sent", func(d *driver) { keepsSent(d); turn(d); d.answer("NEED: tea"); d.recalls() }, says("it is green"), change(func(s *fsm.SaveSession) {
			s.State.History = slices.Delete(slices.Clone(s.State.History), 1, 3)
		}), nil},

		{"INV-2", "in execution with its inference acting awaits [{3 tool}]", together("list_dir", "list_dir"), stale, nil, func(s *state.Snapshot) { s.Handles[0].Inf.Batch[1].Done, s.Handles[0].Inf.Batch[1].Call = false, 0 }},
		{"INV-14", `beside 1 other calls`, together(), callsTwo("list_dir", "list_dir"), change(func(r *fsm.RunTool) { r.Effects = fsm.EffectsUnsafe }), nil},
		{"INV-14", `of at most 1 at once`, together(), callsTwo("list_dir", "list_dir"), nil, func(s *state.Snapshot) { s.Config.Limits.ReadsAtOnce = 1 }},
		{"INV-14", "out of the order asked", func(d *driver) { together("list_dir", "list_dir")(d); d.reads(0, "a") }, readsLast("b"), func(effects []fsm.Effect) []fsm.Effect {
			effects[0], effects[1] = effects[1], effects[0]
			return effects
		}, nil},
		{"INV-14", "does not record it", together("list_dir", "list_dir"), timesOut, drop[fsm.Audit], nil},
		{"INV-14", "does not record it", func(d *driver) { d.boot(); d.ask("hello"); untilExecution(d); d.calls("send_mail") }, timesOut, drop[fsm.Audit], nil},
		{"INV-14", "does not record it", func(d *driver) { d.config.Init = fsm.InitEveryStart; d.boot(); d.calls("send_mail") }, boots, drop[fsm.Audit], nil},
		{"INV-14", "the result of call", func(d *driver) { together("list_dir", "list_dir")(d); d.reads(1, "b") }, readsLast("a"), change(func(a *fsm.AskBrain) {
			msgs := slices.Clone(a.Conversation.Messages)
			n := len(msgs)
			msgs[n-2].Text, msgs[n-1].Text = msgs[n-1].Text, msgs[n-2].Text
			a.Conversation = fsm.Conversation{}.Add(msgs...)
		}), nil},

		{"INV-12", "told to exit 0 times, not 1", func(d *driver) { d.boot(); d.signal() }, signals, drop[fsm.Exit], nil},
		{"INV-12", "told to exit 1 times, not 0", thinking, asks, add(fsm.Exit{}), nil},
		{"INV-12", "nothing can go on while draining", thinking, stale, nil, func(s *state.Snapshot) { s.Lifecycle, s.Handles = state.Draining, nil }},
		{"INV-12", "a handle is active while stopped", thinking, stale, nil, func(s *state.Snapshot) { s.Lifecycle = state.Stopped }},
	}
}

func TestTheMonitorSeesEveryBreach(t *testing.T) {
	for _, tt := range breaches() {
		t.Run(tt.invariant+" "+tt.text, func(t *testing.T) {
			d := newDriver(t)
			tt.to(d)
			in := tt.in(d)
			effects := d.m.Step(in)
			if tt.effects != nil {
				effects = tt.effects(effects)
			}
			if tt.state != nil {
				tt.state(d.m.View())
			}
			seen(t, d.monitor.Step(d.m, in, effects), tt.invariant, tt.text)
		})
	}
}

// seen fails the test unless a violation of the invariant contains text.
func seen(t *testing.T, found []check.Violation, invariant, text string) {
	t.Helper()
	if !slices.ContainsFunc(found, func(v check.Violation) bool {
		return v.Invariant == invariant && strings.Contains(v.Text, text)
	}) {
		t.Errorf("the monitor says %v", found)
	}
}

func TestTheMonitorSeesWrongMoves(t *testing.T) {
	tests := []struct {
		invariant string
		text      string
		to        func(*driver)
		in        func(*driver) fsm.Input
		wrong     func([]state.Move, *state.Snapshot)
	}{
		{"INV-2", "no row of table handle goes from cognition on answer to done", thinking, says("good day"),
			func(moves []state.Move, _ *state.Snapshot) { moves[1].To = state.Done }},
		{"INV-2", "no row of table lifecycle", idle, signals,
			func(moves []state.Move, _ *state.Snapshot) { moves[0].On = "sleep" }},
		{"INV-2", "no row of table inference", thinking, says("good day"),
			func(moves []state.Move, _ *state.Snapshot) { moves[0].From = state.Aborted }},
		{"INV-2", "the lifecycle leaves draining but was in serving", idle, signals,
			func(moves []state.Move, _ *state.Snapshot) { moves[0] = moves[1] }},
		{"INV-2", "handle 1 leaves summarizing but was in cognition", thinking, says("good day"),
			func(moves []state.Move, _ *state.Snapshot) { moves[1].From = state.Summarizing }},
		{"INV-3", "begins another cognition round after 1 of 1", func(d *driver) { thinking(d); d.answer("NEED: more") },
			func(d *driver) fsm.Input {
				return fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(d.call(fsm.CallRecall))}}
			},
			func(_ []state.Move, s *state.Snapshot) { s.Config.Limits.MaxCognitionRounds = 1 }},
		{"INV-3", "goes on tools_asked beyond its limits: round 1", thinking, callsTool("list_dir"),
			func(_ []state.Move, s *state.Snapshot) { s.Config.Limits.MaxToolRounds = 0 }},
		{"INV-5", "handle 3 starts before handle 2, which is older",
			func(d *driver) { storing(d); d.ask("second"); d.ask("third") }, storesIt,
			func(moves []state.Move, s *state.Snapshot) {
				started := moves[len(moves)-2:] // start and ask
				started[0].Handle, started[1].Handle = 3, 3
				s.Handles[0].State = state.Queued
			}},
		{"INV-8", "handle 7 moves to summarizing but is terminal", thinking, says("good day"),
			func(moves []state.Move, _ *state.Snapshot) { moves[1].Handle = 7 }},
		{"INV-8", "the inference of handle 7", thinking, says("good day"),
			func(moves []state.Move, _ *state.Snapshot) { moves[0].Handle = 7 }},
	}
	for _, tt := range tests {
		t.Run(tt.invariant+" "+tt.text, func(t *testing.T) {
			d := newDriver(t)
			tt.to(d)
			in := tt.in(d)
			effects := d.m.Step(in)
			tt.wrong(d.m.Moves(), d.m.View())
			seen(t, d.monitor.Step(d.m, in, effects), tt.invariant, tt.text)
		})
	}
}

func TestEveryInvariantHasABreach(t *testing.T) {
	for _, doc := range check.Invariants() {
		if doc.ID == "INV-9" {
			continue // checkRestore
		}
		if !slices.ContainsFunc(breaches(), func(b breach) bool { return b.invariant == doc.ID }) {
			t.Errorf("no breach of %s is tried: %s", doc.ID, doc.Text)
		}
	}
}

func TestINV9WhatDoesNotSurviveASnapshotIsSeen(t *testing.T) {
	m := machine.New()
	m.Step(fsm.Input{Fact: fsm.Boot{Config: fsm.Config{Init: fsm.InitOff}}})
	m.Step(fsm.Input{Fact: fsm.Requested{Text: "no UTF-8: \xff"}}) // JSON cannot carry it; the boundary mends it
	if err := checkRestore(m); err == nil || !strings.Contains(err.Error(), "INV-9") {
		t.Errorf("the check says %v", err)
	}
}

func TestAMonitorKeepsNothingOfEndedHandles(t *testing.T) {
	d := serving(t)
	once := func() {
		d.ask("hello")
		d.calls("list_dir")
		d.toolSays("a.txt")
		d.answer("good day")
		d.remember()
	}
	once()
	if !check.Resting(d.m.View()) {
		t.Fatal("a machine with nothing to do is not at rest")
	}
	// A monitor that knows only the state continues like one that has seen everything.
	d.monitor = check.MonitorFrom(d.m)
	once()
}

func TestRestIsIdlenessOrNoService(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
		want bool
	}{
		{"down", func(d *driver) {}, true},
		{"initializing", func(d *driver) { d.config.Init = fsm.InitEveryStart; d.boot() }, false},
		{"idle", idle, true},
		{"thinking", thinking, false},
		{"draining", func(d *driver) { thinking(d); d.signal() }, false},
		{"farewell", func(d *driver) { d.boot(); d.signal() }, false},
		{"stopped", stopped, true},
		{"stopped with a parked handle", func(d *driver) { thinking(d); d.signal(); d.signal() }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDriver(t)
			tt.to(d)
			if got := check.Resting(d.m.View()); got != tt.want {
				t.Errorf("at rest: %t, want %t", got, tt.want)
			}
		})
	}
}
