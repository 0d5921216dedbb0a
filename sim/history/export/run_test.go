package export

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/history"
	"shelly/sim/history/redact"
	"shelly/sim/scenario"
)

// runOf plays a case and reads its nth run of a kind.
func runOf(t *testing.T, text string, kind fsm.Kind, nth int) *Record {
	t.Helper()
	f, err := scenario.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	result, err := sim.Run(f.Plan(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := lived(t, result)
	all, err := history.Runs(j, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range all {
		if run.Kind != kind {
			continue
		}
		if nth--; nth > 0 {
			continue
		}
		h, err := history.OfRun(j, run)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadOf(j, h)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatalf("no such run of %s", kind)
	return nil
}

// holds wants an export in which some texts stand, and which fails where one of them is another.
func holds(t *testing.T, r *Record, texts []string, changed map[string][2]string) {
	t.Helper()
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	doubtless(t, r.Name(), file)
	holdsUnderSeeds(t, file)
	for _, text := range texts {
		if !strings.Contains(string(file.Source), text) {
			t.Errorf("got\n%s; want in it %s", file.Source, text)
		}
	}
	for path, change := range changed { // order-free: each is a case of its own
		if n := strings.Count(string(file.Source), change[0]); n != 1 {
			t.Fatalf("%d times %q in\n%s", n, change[0], file.Source)
		}
		if _, err := played([]byte(strings.Replace(string(file.Source), change[0], change[1], 1))); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v with %q", path, err, change[1])
		}
	}
}

// The run of an event is a case of its own: what it did is expected in place of a reply.
func TestSCN70TheRunOfAnEventIsExported(t *testing.T) {
	const file = `
scenario: 1
name: x
profile: default
config: {unattended: true}
tools: {clean: [{returns: "6G freed", approve: true}], look: [{optional: true}]}
brain:
  - {session: a, says: "Hello.", takes: 20s}
  - calls: [{tool: clean, args: {path: /var}}]
  - says: "I freed 6G of /var."
timeline:
  - {at: 0s, user: "hi", session: a}
  - {at: 5s, event: {kind: disk.full, subject: /var, detail: "96%", do: "Free some.", channel: web, chat: "7"}}
  - {at: 60s, approve: {by: ann}}
expect: {replies: {$any: true}}
`
	holds(t, runOf(t, file, fsm.KindEvent, 1), []string{
		"  - {event: {source: disk, kind: full, subject: \"/var\", detail: \"96%\", do: Free some., channel: web, chat: \"7\"}}\n", "approve: {by: ann}}", "look: []", "kind: event, path: [queued, loading, ",
	}, map[string][2]string{
		"expect.messages":  {"says: I freed 6G of /var.", "says: I freed nothing."},
		"expect.questions": {"{tool: clean, args: {path: \"/var\"}}\n  - {says", "{tool: clean, args: {path: \"/srv\"}}\n  - {says"},
		"tools.clean[0]":   {"approve: {by: ann}", "deny: true"},
	})
}

// The run of a schedule is one of a schedule that is added and run at once, with its own session.
func TestSCN70TheRunOfAScheduleIsExported(t *testing.T) {
	const file = `
scenario: 1
name: x
profile: default
clock: {until: 3h}
tools: {look: [{returns: "42 mails"}, {returns: "43 mails", takes: 30s, effects: none}]}
brain:
  - {session: a, calls: [{tool: cron, args: {action: add, message: "count the mails", every_seconds: 3600}}]}
  - {session: a, says: "I will."}
  - {session: "schedule:s2", calls: [{tool: look}]}
  - {session: "schedule:s2", says: "42 mails."}
  - {session: "schedule:s2", calls: [{tool: look}]}
  - {session: "schedule:s2", says: "43 mails."}
  - {optional: true, times: 9, says: "Done."}
timeline:
  - {at: 0s, schedule: {add: "do nothing", every: 24h}}
  - {at: 1s, user: "hi", session: a}
faults: {tool: {name: look, nth: 2, fails: busy}}
expect: {replies: {$any: true}}
`
	holds(t, runOf(t, file, fsm.KindSchedule, 2), []string{
		"{schedule: {add: count the mails, every: \"8760h\", session: a, channel: cli, chat: direct}}", "schedule: {run: s1}}", "  schedule:s1:\n", "text: \"42 mails.\"", "kind: schedule, path: [queued, loading, ",
	}, map[string][2]string{
		"expect.messages": {"says: \"43 mails.\"", "says: No mails."},
	})
}

// What waited for its turn over a stop, what another event joined and other runs are replays alone.
func TestSCN70OtherRunsAreRefused(t *testing.T) {
	for _, test := range []struct {
		kind       fsm.Kind
		file, want string
	}{
		{fsm.KindEvent, `
config: {coalesce: true}
brain: [{says: "Hello.", takes: 20s}, {says: "Two."}]
timeline: [{user: "hi"}, {at: 1s, event: {kind: disk.full}}, {at: 2s, event: {kind: disk.full}}]
`, "another event joined it"},
		{fsm.KindEvent, `
brain: [{says: "Hello.", takes: 20s}]
timeline: [{user: "hi"}, {at: 1s, event: {kind: disk.full}}, {at: 2s, cancel: h2}]
`, "was cancelled or parked before its turn came"},
		{fsm.KindSchedule, `
config: {heartbeat: {every: 1h, do: "Look."}}
clock: {until: 90m}
brain: [{says: "Well.", times: 2, optional: true}]
`, "only a request and the run of an event or a schedule"},
		{fsm.KindSubagent, `
brain: [{calls: [{tool: spawn, args: {task: "look"}}]}, {says: "I let it look."}, {says: "It has."}]
brain_for: {subagent: [{says: "I looked."}]}
timeline: [{user: "hi"}]
`, "only a request and the run of an event or a schedule"},
	} {
		r := runOf(t, "scenario: 1\nname: x\nprofile: default\nexpect: {ends: serving}\n"+test.file, test.kind, 1)
		if _, err := r.Scenario(); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "use --as replay") {
			t.Errorf("%s: got %v; want %s", test.file, err, test.want)
		}
		replays(t, test.file, r)
	}
}

// A secret in what a schedule is to do is replaced (SCN-48).
func TestSCN70ASecretOfAScheduleIsReplaced(t *testing.T) {
	r := runOf(t, `
scenario: 1
name: x
profile: default
brain: [{says: "Done."}]
timeline: [{at: 0s, schedule: {add: "log in with opensesame-1", every: 24h}}, {at: 1s, schedule: {run: s1}}]
expect: {ends: serving}
`, fsm.KindSchedule, 1)
	by := redact.New(redact.Secret{Kind: "password", Text: "opensesame-1"})
	if err := r.Redact(by, false); err != nil {
		t.Fatal(err)
	}
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(file.Source), "opensesame") || !strings.Contains(string(file.Source), "add: \"log in with ") {
		t.Errorf("%s", file.Source)
	}
}

// The input of a compression is a placeholder, which tells nobody anything.
func TestCLI211ACompressionSaysWhatItIs(t *testing.T) {
	r := runOf(t, `
scenario: 1
name: long talk
profile: default
config: {init: off, context_tokens: 1400, compress_percent: 50, keep_messages: 2}
server: {reads: 25/s, writes: 8/s, window: 1400}
brain_for:
  compact: [{says: "They talked."}]
brain: [{says: "`+strings.Repeat("A heat pump moves heat. ", 12)+`"}]
timeline: [{at: 0s, user: "How does a heat pump work?"}]
expect: {replies: {$len: 1}}
`, fsm.KindMemory, 2)
	if text := r.Request.Text; text != "compress the conversation" {
		t.Errorf("a compression is shown as %q", text)
	}
}

// SES-23: what was said in a chat before a request is part of the session with which its case begins.
func TestSCN47ARequestAfterAReminderIsExported(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
profile: default
config: {tell_time: false}
brain:
  - {session: schedule:s1, says: "Look after the pizza!", times: 2}
  - {says: "In ten minutes, then."}
timeline:
  - {schedule: {add: "Remind me of the pizza.", every: 10m, channel: web, chat: "7"}}
  - {at: 15m, user: "Ten minutes later, please.", channel: web, chat: "7"}
expect: {handles: [{kind: schedule, path: {$any: true}}, {kind: user, path: {$any: true}}]}
`)
	holds(t, r, []string{"Look after the pizza!", "[schedule:s1, not the person] Remind me of the pizza."}, nil)
}

// HND-70: a run in the conversation in which its schedule was made is a case of the schedule.
func TestSCN70ARunInAConversationIsExported(t *testing.T) {
	r := runOf(t, `
scenario: 1
name: x
profile: default
config: {tell_time: false}
brain:
  - {says: "Hello."}
  - {says: "Look after the pizza!"}
timeline:
  - {user: "Hello.", channel: web, chat: "7"}
  - {at: 1m, schedule: {add: "Remind me of the pizza.", at: "2026-01-05T09:10:00Z", channel: web, chat: "7"}}
clock: {until: 20m}
expect: {handles: [{kind: user, path: {$any: true}}, {kind: schedule, path: {$any: true}}]}
`, fsm.KindSchedule, 1)
	if r.Request.Session != "web:7" {
		t.Fatalf("the run is of the session %q", r.Request.Session)
	}
	holds(t, r, []string{"Look after the pizza!", "{run: s1}", "Hello."}, map[string][2]string{"messages": {"text: Look after", "text: Look before"}})
}
