package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCFG10AReloadTakesWhatTheMachineDecidesBy(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "profile: shelly\nworkspace: /a\n")
	first := w.load()
	w.File = w.write("c.yaml", `profile: omniemployee
workspace: /b
about: {name: Ada}
brain: {temperature: 0.3, num_ctx: 16384, max_tokens: 99}
limits: {max_queue: 3}
tools: {approve: [load_skill], exec: {allow: true}}
comm: {udp: off}
retention: {age: 24h}
`)
	next := w.load()
	now, restart := first.Reload(next)
	want := next
	want.Workspace = first.Workspace // also within the texts
	want.Limits.ContextTokens = first.Brain.NumCtx
	if diff := cmp.Diff(want.Machine(nil, nil), now.Machine(nil, nil)); diff != "" {
		t.Errorf("the machine's part (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"workspace", "brain.num_ctx", "brain.on_unreachable", "comm.udp"}, restart); diff != "" {
		t.Errorf("what waits (-want +got)\n%s", diff)
	}
	if now.Retention != next.Retention {
		t.Errorf("what is kept is %+v; want the new %+v", now.Retention, next.Retention)
	}
	if now.Comm.UDP != first.Comm.UDP || !now.Tools.Exec.Allowed() || now.Brain.NumCtx != first.Brain.NumCtx {
		t.Errorf("what waits has changed: %+v", now)
	}
	if same, restart := first.Reload(first); len(restart) > 0 {
		t.Errorf("nothing has changed, but %v waits", restart)
	} else if diff := cmp.Diff(first.Machine(nil, nil), same.Machine(nil, nil)); diff != "" {
		t.Errorf("nothing has changed (-want +got)\n%s", diff)
	}
}

func TestPrintedProfileSaysTheWordsOfASwitch(t *testing.T) {
	text := printed(t, "shelly")
	if want := "  history: none # what a session keeps of a turn: none, answers, all, sent\n"; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}

func TestCFG12AReloadKeepsTheBudgetWithinTheRunningWindow(t *testing.T) {
	for _, kept := range []string{"switches: {compress: true}\nlimits: {answer_percent: 0}\n", "switches: {compress: false}\nlimits: {answer_percent: 10}\n"} {
		w := newWorld(t)
		w.File = w.write("c.yaml", kept+"brain: {num_ctx: 4096}\n")
		first := w.load()
		w.File = w.write("c.yaml", kept+"brain: {num_ctx: 16384}\n")
		now, restart := first.Reload(w.load())
		if diff := cmp.Diff([]string{"brain.num_ctx"}, restart); diff != "" {
			t.Errorf("%s: what waits (-want +got)\n%s", kept, diff)
		}
		if now.Limits.ContextTokens != 4096 {
			t.Errorf("%s: a budget of %d tokens in a window of 4096", kept, now.Limits.ContextTokens)
		}
	}
}

func TestCFG12AReloadTakesNoLongerAnswerThanTheRunningWindow(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "brain: {num_ctx: 4096, max_tokens: 512}\n")
	first := w.load()
	for text, want := range map[string]struct {
		tokens int
		waits  []string
	}{
		"brain: {num_ctx: 16384, max_tokens: 8192}\n": {512, []string{"brain.num_ctx", "brain.max_tokens"}},
		"brain: {num_ctx: 16384, max_tokens: 4095}\n": {4095, []string{"brain.num_ctx"}},
	} {
		w.File = w.write("c.yaml", text)
		now, restart := first.Reload(w.load())
		if now.Brain.MaxTokens != want.tokens {
			t.Errorf("%s: answers of %d tokens in a window of 4096, want %d", text, now.Brain.MaxTokens, want.tokens)
		}
		if diff := cmp.Diff(want.waits, restart); diff != "" {
			t.Errorf("%s: what waits (-want +got)\n%s", text, diff)
		}
	}
}

func TestTOL24AReloadProtectsTheNewIdentityFile(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "profile: shelly\n")
	first := w.load()
	identity := w.write("identity.md", "You are a test.\n")
	w.File = w.write("c.yaml", "profile: shelly\nprompts: {identity_file: "+identity+"}\n")
	now, restart := first.Reload(w.load())
	if len(restart) > 0 || now.Prompts.Identity != "You are a test." {
		t.Fatalf("the identity is %q, and %v waits", now.Prompts.Identity, restart)
	}
	if diff := cmp.Diff([]string{w.File, identity}, now.Files()); diff != "" {
		t.Errorf("the files that no tool may change (-want +got)\n%s", diff)
	}
}

func TestHND50AReloadRunsNoMoreHandlesThanTheRunningSlots(t *testing.T) {
	for text, want := range map[string]int{
		"brain: {slots: 4}\n":                             1,
		"brain: {slots: 4}\nlimits: {max_active: 3}\n":    3,
		"brain: {slots: 4}\nlimits: {session_burst: 1}\n": 1,
	} {
		w := newWorld(t)
		first := w.load()
		w.File = w.write("c.yaml", text)
		now, restart := first.Reload(w.load())
		if diff := cmp.Diff([]string{"brain.slots"}, restart); diff != "" {
			t.Errorf("%s: what waits (-want +got)\n%s", text, diff)
		}
		if now.Limits.MaxActive != want {
			t.Errorf("%s: max_active is %d, want %d", text, now.Limits.MaxActive, want)
		}
	}
}
