package export

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/scenario"
)

// rendered is a part of a scenario as JSON.
func rendered(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What differs from the profile is listed, and what the profile's texts speak of is found
// in them again (SCN-47).
func TestSCN47WhatDiffersFromTheProfile(t *testing.T) {
	c := profile.Countbot()
	c.Prompts = c.Prompts.Fill(fsm.About{Name: "Ada", User: "Joe", Workspace: "/srv (x) [1]", System: "linux/amd64"})
	c.Limits.HandleTimeout, c.Limits.Backoff, c.Limits.MaxActive = 90_500, []fsm.Millis{1000, 60_000}, 3
	c.Limits.AnswerPercent, c.Switches.Cancel, c.Options.Temperature = 12, fsm.CancelRefused, 750
	c.Prompts.Summary = "In a word?"
	r := &Record{From: state.Snapshot{Config: c}}
	var o object
	r.setting(&o, nil)
	got := rendered(t, o)
	want := `{"profile":"countbot","about":{"name":"Ada","user":"Joe","workspace":"/srv (x) [1]","system":"linux/amd64"},` +
		`"config":{"max_active":3,"answer_percent":12,"backoff":["1s","1m"],"handle_timeout":"1m30.5s","cancel":"refused","temperature":0.75,"prompts":{"summary":"In a word?"}}}`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A skill that the request did not load has a text all the same: the daemon's own loader, with which
// --on runtime plays a case, leaves out one without (SCN-12).
func TestSCN47ASkillThatWasNotLoadedHasAText(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
profile: default
skills: [{name: tides, summary: "Tells tides.", text: "Ask the sea."}, {name: weather, summary: "Tells weather.", text: "Look outside."}]
brain: [{calls: [{tool: load_skill, args: {name: tides}}]}, {says: "Done."}]
timeline: [{user: "hi"}]
expect: {replies: {$any: true}}
`)
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"text: Ask the sea.", "text: " + unloaded} {
		if !strings.Contains(string(file.Source), text) {
			t.Errorf("got\n%s; want in it %q", file.Source, text)
		}
	}
}

func TestSCN47SettingsAreReadBack(t *testing.T) {
	for thousandths, want := range map[int]string{-1: "0", 0: "0", 5: "0.005", 100: "0.1", 1000: "1", 1500: "1.5", 10_000: "10"} {
		if got := rendered(t, temperature(thousandths)); got != want {
			t.Errorf("%d is %s; want %s", thousandths, got, want)
		}
	}
	for d, want := range map[fsm.Millis]string{0: "0s", 5: "5ms", 1500: "1.5s", 60_000: "1m", 3_600_000: "1h", 3_601_000: "1h0m1s", -3: "0s"} {
		if got := span(d); got != want {
			t.Errorf("%d is %s; want %s", d, got, want)
		}
	}
	for d, want := range map[fsm.Millis]fsm.Millis{4: 0, 5: 10, 994: 990, 1049: 1000, 1050: 1100} {
		if got := rounded(d); got != want {
			t.Errorf("%d is rounded to %d; want %d", d, got, want)
		}
	}
}

// A text of an expectation matches itself, and the same with other times, ids, paths and
// numbers (SCN-47).
func TestSCN47ALoosenedTextMatchesOtherTimesAndNumbers(t *testing.T) {
	for _, tt := range []struct{ text, like, unlike string }{
		{"The disk is 92% full.", "The disk is 7.5% full.", "The disk is full."},
		{"Done at 2026-01-05T09:00:00Z (ok?)", "Done at 2027-11-30 10:11:12+02:00 (ok?)", "Done at noon (ok?)"},
		{"See /var/log/syslog.1 and ./a/b", "See /tmp/x and ../c/d/e", "See nothing and ./a/b"},
		{"Job 3f786850e387550fdab836ed7e6dc881de23001b\nended", "Job 0123456789ab\nended", "Job x\nended"},
		{"id 8d8ac610-566d-4ef0-9c22-186b2a5ed793", "id 00000000-0000-4000-8000-000000000000", "id none"},
	} {
		o, ok := loosened(tt.text, false).(object)
		if !ok {
			t.Errorf("%q stays as it is", tt.text)
			continue
		}
		pattern := regexp.MustCompile(o[0].value.(string))
		if !pattern.MatchString(tt.text) || !pattern.MatchString(tt.like) || pattern.MatchString(tt.unlike) {
			t.Errorf("%q became %s", tt.text, pattern)
		}
	}
	if got := loosened("It is done.", false); got != "It is done." {
		t.Errorf("got %v; want %v", got, "It is done.")
	}
}

// A text with ${ is no variable in what is exported.
func TestSCN47TextsStandAsTheyAre(t *testing.T) {
	o := object{{"scenario", 1}, {"name", "x"}, {"memory_file", "${HOME} and\n$${x}"}, {"expect", object{{"ends", "serving"}}}}
	text, err := o.render()
	if err != nil {
		t.Fatal(err)
	}
	f, err := scenario.Parse("f", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if f.MemoryMD != "${HOME} and\n$${x}" {
		t.Errorf("got %q; want %q", f.MemoryMD, "${HOME} and\n$${x}")
	}
}

// The name of a case and the keys of a call's arguments stand as they are, too.
func TestSCN46ATextThatLooksLikeAVariableIsExported(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
tools: {look: [{returns: "$${SHELL}"}]}
brain: [{calls: [{tool: look, args: {"${a}": "$${b}"}}]}, {says: "It is $${c}."}]
timeline: [{user: "What is $${HOME}?"}]
expect: {replies: {$any: true}}
`)
	for name, render := range map[string]func() (*File, error){"replay": r.Replay, "scenario": r.Scenario} { // order-free: each has its own file
		file, err := render()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := scenario.Parse("f", file.Source)
		if err != nil || !strings.HasSuffix(f.Name, "What is ${HOME}?") {
			t.Errorf("%s: got %v and\n%s; want a name that ends with %q", name, err, file.Source, "What is ${HOME}?")
		}
		if name == "scenario" && f.Script.Lines[0].Calls[0].Args != `{"${a}":"${b}"}` {
			t.Errorf("got\n%s; want a call with %q", file.Source, `{"${a}":"${b}"}`)
		}
	}
}

// A record that another scenario's run does not follow is refused with its step.
func TestSCN47ARecordThatGoesAnotherWayIsRefused(t *testing.T) {
	r := recorded(t, withSecret)
	for i := range r.Steps {
		if _, ok := r.Steps[i].Input.Fact.(fsm.ToolAnswered); ok {
			r.Steps[i].Moves = r.Steps[i].Moves[:0]
		}
	}
	_, err := r.Scenario()
	if err == nil || !regexp.MustCompile(`^use --as replay: at step \d+ \(record \d+\) `).MatchString(err.Error()) {
		t.Errorf("got %v; want it to name the step, and %q", err, "use --as replay")
	}
	r.Ended, r.Request.Done = false, false
	if _, err := r.Scenario(); err == nil {
		t.Error("a request without a reply is exported as a scenario")
	}
}

// The reason is that of the way to write it that came furthest: here not what a crash would have lost, but
// an answer that takes longer than a model of a scenario may take over one so short.
func TestSCN47ARefusalNamesTheFurthestStep(t *testing.T) {
	cases, err := scenario.Load(os.DirFS("../../../scenarios"), "countbot/turn-of-an-hour.scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan := cases[0].Plan()
	plan.Crashes = []sim.Crash{{Point: sim.AfterStep, Nth: 3, After: 3 * fsm.Second, Synced: true}}
	result, err := sim.Run(plan, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(lived(t, result), result.Requests[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Scenario(); err == nil || !strings.Contains(err.Error(), "brain_answered leads") || !strings.Contains(err.Error(), "use --as replay") {
		t.Errorf("got %v; want an error about brain_answered", err)
	}
}

// A daemon shows what is durable: the reply is, and what comes after it may not be yet
// (SCN-47).
func TestSCN47ARequestThatHasItsReply(t *testing.T) {
	r := recorded(t, withSecret)
	r.Steps, r.Ended = r.Steps[:len(r.Steps)-1], false // the session is being saved
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(file.Source); strings.Contains(text, "hangs") || strings.Contains(text, "path:") || !strings.Contains(text, "replies:") {
		t.Errorf("got %s; want without %q, without %q, with %q", text, "hangs", "path:", "replies:")
	}
}
