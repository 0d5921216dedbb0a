package machine_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/machine"
)

// start is a phase in which a property begins.
type start struct {
	name    string
	profile string
	to      func(*driver)
}

// machine returns a machine in the phase.
func (s start) machine(t testing.TB) *machine.Machine {
	d := driverOf(t, s.profile)
	d.config.Switches.HoldUnknown = true
	s.to(d)
	return d.m
}

// group is a set of starts with something in common.
type group struct {
	name   string
	starts []start
}

// Beginnings of the starts.
func asked(d *driver) { d.boot(); d.ask("hello"); d.ask("waits") }
func initial(d *driver) {
	d.config.Init = fsm.InitEveryStart
	d.boot()
	d.ask("waits")
}
func turn(d *driver) { asked(d); d.loads(fsm.Session{Version: 1, History: talk(4)}) }
func alone(d *driver) {
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{})
}

// starts returns machines in each of their phases.
func starts() []group {
	return append(turnStarts(), []group{
		{"the epoch", []start{
			{"down", "shelly", func(d *driver) {}},
			{"initial inference", "shelly", initial},
			{"initial inference with a tool", "shelly", func(d *driver) { initial(d); d.calls("send_mail", "list_dir") }},
			{"initial inference with a subagent", "countbot", func(d *driver) { initial(d); d.asksFor(fsm.ToolSpawn, `{"task":"look"}`) }},
			{"draining", "shelly", func(d *driver) { asked(d); d.signal() }},
			{"draining a turn", "default", func(d *driver) { turn(d); d.signal() }},
			{"farewell", "shelly", func(d *driver) { asked(d); d.signal(); d.graceUp() }},
			{"stopped", "shelly", func(d *driver) { asked(d); d.signal(); d.signal() }},
		}},
		{"inference", []start{
			{"cognition", "shelly", asked},
			{"cognition with a tool", "shelly", func(d *driver) { asked(d); d.calls("send_mail", "list_dir") }},
			{"recalling", "shelly", func(d *driver) { asked(d); d.answer("NEED: more") }},
			{"execution", "shelly", func(d *driver) { asked(d); untilExecution(d) }},
			{"execution with a tool", "shelly", func(d *driver) { asked(d); untilExecution(d); d.calls("list_dir") }},
		}},
		{"memory", []start{
			{"summarizing", "shelly", func(d *driver) { asked(d); d.answer("good day") }},
			{"embedding", "shelly", func(d *driver) { asked(d); d.answer("good day"); d.answer("a summary") }},
			{"storing", "shelly", func(d *driver) { asked(d); d.answer("good day"); d.answer("a summary"); d.embeds() }},
			{"while nobody waits", "default", func(d *driver) { alone(d); d.answer("good day"); d.saves() }},
		}},
	}...)
}

// turnStarts returns the starts in phases that the profile shelly does not have.
func turnStarts() []group {
	return []group{
		{"a session", []start{
			{"loading", "default", asked},
			{"compacting", "nanobot", func(d *driver) { asked(d); d.loads(fsm.Session{Version: 1, History: talk(60)}) }},
			{"starting over", "nanobot", func(d *driver) { d.boot(); d.ask("/new"); d.loads(fsm.Session{History: talk(4)}) }},
			{"saving", "default", func(d *driver) { turn(d); d.answer("good day") }},
			{"saving before memory", "default", func(d *driver) {
				d.config.Switches.Remember, d.config.Switches.ReplyFirst = fsm.RememberEach, false
				turn(d)
				d.answer("good day")
			}},
		}},
		{"a turn", []start{
			{"thinking", "default", turn},
			{"needing something", "default", func(d *driver) { turn(d); d.answer("NEED: more") }},
			{"with a tool", "default", func(d *driver) { turn(d); d.calls("list_dir", "send_mail") }},
			{"loading a skill", "countbot", func(d *driver) { turn(d); d.asksFor(fsm.ToolLoadSkill, `{"name":"flights"}`) }},
			{"backing off", "default", func(d *driver) { turn(d); d.brainFails(fsm.BrainBusy, "queue full") }},
			{"retrying", "default", func(d *driver) { turn(d); d.calls("list_dir"); d.toolFails("busy") }},
			{"shortening its conversation", "default", func(d *driver) {
				d.config.Limits.ContextTokens, d.config.Limits.KeepMessages = 400, 2
				asked(d)
				d.loads(fsm.Session{History: talk(80)})
			}},
		}},
		{"a person", []start{
			{"approves", "default", func(d *driver) { approve(d, "send_mail"); turn(d); d.calls("send_mail", "list_dir") }},
			{"approves beyond cognition", "countbot", func(d *driver) { approve(d, "list_dir"); turn(d); d.calls("list_dir") }},
			{"says what came of it", "default", func(d *driver) { turn(d); d.calls("send_mail", "list_dir"); d.boot() }},
			{"says what came of it beyond cognition", "countbot", func(d *driver) { turn(d); d.calls("send_mail"); d.boot() }},
			{"looks at what crashed", "default", func(d *driver) { turn(d); d.boot(); d.boot(); d.boot() }},
		}},
		{"an end", []start{
			{"stopping", "shelly", func(d *driver) { asked(d); d.calls("send_mail"); d.timeUp() }},
			{"stopping in a turn", "default", func(d *driver) { turn(d); d.calls("list_dir"); d.timeUp() }},
			{"stopping a request that was cancelled", "shelly", func(d *driver) {
				d.config.Switches.Cancel = fsm.CancelImmediate
				d.boot()
				key := d.ask("hello")
				d.calls("send_mail")
				d.cancels(key)
			}},
			{"at a checkpoint", "countbot", func(d *driver) {
				d.boot()
				key := d.ask("hello")
				d.loads(fsm.Session{})
				d.calls("send_mail", "list_dir")
				d.cancels(key)
			}},
			{"after crashes", "default", func(d *driver) { turn(d); d.calls("send_mail"); d.boot(); d.boot() }},
		}},
		{"work of its own", []start{
			{"a subagent beside its parent", "countbot", func(d *driver) { turn(d); d.asksFor(fsm.ToolSpawn, `{"task":"look"}`) }},
			{"a subagent alone", "nanobot", func(d *driver) {
				alone(d)
				d.asksFor(fsm.ToolSpawn, `{"task":"look"}`)
				d.answer("it is at work")
				d.saves()
			}},
			{"a schedule", "nanobot", func(d *driver) {
				turn(d)
				d.asksFor(fsm.ToolCron, `{"action":"add","message":"tick","every_seconds":60}`)
			}},
		}},
	}
}

// talk returns a history of n messages.
func talk(n int) []fsm.Message {
	var msgs []fsm.Message
	for i := range n {
		m := fsm.Message{Role: fsm.RoleUser, Text: "question " + strconv.Itoa(i/2)}
		if i%2 == 1 {
			m = fsm.Message{Role: fsm.RoleAssistant, Text: "answer " + strconv.Itoa(i/2)}
		}
		msgs = append(msgs, m)
	}
	return msgs
}

// approve makes a person decide about each call of a tool.
func approve(d *driver, tool string) {
	for i := range d.config.Tools {
		if d.config.Tools[i].Name == tool {
			d.config.Tools[i].Approve = true
		}
	}
}

// eachStart runs a property from machines in each of their phases, so that rare phases are
// covered often.
func eachStart(t *testing.T, property func(*rapid.T, *machine.Machine)) {
	for _, g := range starts() {
		t.Run(g.name, func(t *testing.T) {
			machines := map[string]*machine.Machine{}
			var names []string
			for _, s := range g.starts {
				names = append(names, s.name)
				machines[s.name] = s.machine(t)
			}
			rapid.Check(t, func(t *rapid.T) {
				property(t, machines[rapid.SampledFrom(names).Draw(t, "start")].Clone())
			})
		})
	}
}
