package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/runtime/config"
)

func TestCFG11AProfilePrintedAndLoadedAgainChangesNothing(t *testing.T) {
	for _, name := range profile.Names() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Overrides = []config.Override{
				{Flag: "--profile", Key: "profile", Value: name}, {Flag: "--set", Key: "limits.max_queue", Value: "7"},
				{Flag: "--set", Key: "brain.timeouts.load", Value: "90s"}, {Flag: "--set", Key: "retention.bytes", Value: "3MiB"},
			}
			want := w.load()
			text := want.Print()
			w.Overrides, w.File = nil, w.write("c.yaml", text)
			got := w.load()
			if diff := cmp.Diff(want.Machine(nil, nil), got.Machine(nil, nil)); diff != "" {
				t.Errorf("the machine's part (-want +got)\n%s\n%s", diff, text)
			}
			values := func(c config.Config) (v []string) {
				for _, s := range c.Explain() {
					v = append(v, s.Key+"="+s.Value)
				}
				return v
			}
			if diff := cmp.Diff(values(want), values(got)); diff != "" {
				t.Errorf("settings (-want +got)\n%s\n%s", diff, text)
			}
			for _, s := range got.Explain() {
				if strings.HasPrefix(s.Source, "profile") && s.Key != "limits.context_tokens" {
					t.Errorf("%s is not in the file", s.Key)
				}
			}
		})
	}
}

// printed returns a profile as a configuration file.
func printed(t *testing.T, profile string) string {
	t.Helper()
	w := newWorld(t)
	w.Overrides = []config.Override{{Flag: "--profile", Key: "profile", Value: profile}}
	return w.load().Print()
}

func TestCFG11AProfileIsPrintedWithItsSectionsAndBuiltinTools(t *testing.T) {
	text := printed(t, "countbot")
	for _, part := range []string{
		"profile: countbot\n", "  temperature: 0.7 # of the sampling", "  max_iterations: 25 # answers of the model",
		"  overflow: summarize #", "  backoff: [] #", "# ## Safety\n", "# <skills>\n", "# cron (unsafe): ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// The names of states travel to the machine, also with a reload, and are printed.
func TestINF28TheNamesOfStatesAreTheProfiles(t *testing.T) {
	w := newWorld(t)
	before := w.load()
	w.Environ = []string{"SHELLY_PROFILE=omniemployee"}
	after := w.load()
	now, _ := before.Reload(after)
	for _, c := range []config.Config{after, now} {
		if got := c.Machine(nil, nil).Label(state.Acting); got != "TOOL_CALLING" {
			t.Errorf("acting is called %q", got)
		}
	}
	if got := before.Machine(nil, nil).Label(state.Acting); got != "" {
		t.Errorf("in profile default acting is called %q", got)
	}
	if text := printed(t, "omniemployee"); !strings.Contains(text, "# exhausted: MAX_ITERATIONS\n") {
		t.Errorf("no names of states in\n%s", text)
	}
}

// A new user gets the profile default.
func TestTheProfileGivesTheDefaults(t *testing.T) {
	for _, c := range []struct {
		profile, unreachable string
		restrict             bool
		result               config.Bytes
		window               int
	}{
		{"", "wait", true, config.MiB, 8192},
		{"default", "wait", true, config.MiB, 8192},
		{"shelly", "exit", true, 16 * config.KiB, 8192},
		{"countbot", "wait", true, 16 * config.KiB, 8192},
		{"nanobot", "wait", false, 10_000, 8192},
		{"omniemployee", "wait", true, 16 * config.KiB, 128_000},
	} {
		w := newWorld(t)
		if c.profile != "" {
			w.Environ = []string{"SHELLY_PROFILE=" + c.profile}
		} else {
			c.profile = "default"
		}
		got := w.load()
		want, _ := profile.Named(c.profile)
		if diff := cmp.Diff(want.Limits, got.Limits); diff != "" {
			t.Errorf("%s: limits (-want +got)\n%s", c.profile, diff)
		}
		if diff := cmp.Diff(want.Switches, got.Switches); diff != "" {
			t.Errorf("%s: switches (-want +got)\n%s", c.profile, diff)
		}
		if got.Init != want.Init || got.Brain.OnUnreachable != c.unreachable || got.Tools.RestrictToWorkspace != c.restrict ||
			got.Tools.ResultBytesMax != c.result || got.Brain.NumCtx != c.window || got.Tools.Exec.Timeout != time.Minute {
			t.Errorf("%s: init %s, %s, restricted %v, results of %v, window of %d", c.profile,
				got.Init, got.Brain.OnUnreachable, got.Tools.RestrictToWorkspace, got.Tools.ResultBytesMax, got.Brain.NumCtx)
		}
	}
}

// If the profile is named last, individual values in a file still apply.
func TestAValueGivenStandsWhateverTheProfile(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "limits: {max_iterations: 7, backoff: [1s, 2500ms]}\nswitches: {history: none}\nprofile: countbot\n")
	w.Overrides = []config.Override{{Flag: "--set", Key: "profile", Value: "nanobot"}}
	c := w.load()
	if c.Profile != "nanobot" || c.Limits.MaxIterations != 7 || c.Switches.History != fsm.HistoryNone || !c.Switches.NoCognition {
		t.Errorf("got %+v; want Profile %q, Limits.MaxIterations 7, Switches.History %q, Switches.NoCognition", c, "nanobot", fsm.HistoryNone)
	}
	if diff := cmp.Diff([]fsm.Millis{1000, 2500}, c.Limits.Backoff); diff != "" {
		t.Errorf("backoff (-want +got)\n%s", diff)
	}
	w.Environ = []string{"SHELLY_LIMITS_BACKOFF=3s, 4s"}
	if diff := cmp.Diff([]fsm.Millis{3000, 4000}, w.load().Limits.Backoff); diff != "" {
		t.Errorf("backoff of a variable (-want +got)\n%s", diff)
	}
}

func TestAContextThatIsCompressedFitsTheWindow(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "profile: omniemployee\nbrain:\n  num_ctx: 16384\n")
	c := w.load()
	if c.Limits.ContextTokens != 16384 {
		t.Errorf("context_tokens = %d, want the window", c.Limits.ContextTokens)
	}
	if got := w.setting(c, "limits.context_tokens").Source; got != "c.yaml:3" {
		t.Errorf("source = %s", got)
	}
	w.File = w.write("c.yaml", "profile: omniemployee\nbrain: {num_ctx: 16384}\nlimits: {context_tokens: 4096}\n")
	if got := w.load().Limits.ContextTokens; got != 4096 {
		t.Errorf("context_tokens = %d, want what was given", got)
	}
	w.File = w.write("c.yaml", "profile: countbot\nbrain: {num_ctx: 16384}\nlimits: {answer_percent: 0}\n")
	if got := w.load().Limits.ContextTokens; got != 8192 {
		t.Errorf("context_tokens = %d, want the profile's: it keeps no prompt within the window", got)
	}
}

func TestOptionsTravelInThousandths(t *testing.T) {
	for text, want := range map[string]int{"0": -1, "0.0": -1, "0.7": 700, "1": 1000, "2.125": 2125, "model": 0, "5": 5000} {
		w := newWorld(t)
		w.File = w.write("c.yaml", "profile: countbot\nbrain: {temperature: "+text+", max_tokens: 64}\n")
		got := w.load().Machine(nil, nil).Options
		if diff := cmp.Diff(fsm.Options{Temperature: want, MaxTokens: 64}, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

func TestTheTextsSpeakOfWhatTheConfigurationSays(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "profile: countbot\nabout: {name: Ada, user: Bo, persona: You are dry.}\nprompts: {subagent: '{name} for {user} in {workspace}'}\n")
	p := w.load().Machine(nil, nil).Prompts
	if !strings.Contains(p.Identity, "You are Ada,") || !strings.Contains(p.Identity, "as Bo. You are dry.") || p.Subagent != "Ada for Bo in "+w.Dir {
		t.Errorf("identity %q\nsubagent %q", p.Identity, p.Subagent)
	}
	if strings.Contains(p.Identity, "{") {
		t.Errorf("something is left to fill in: %q", p.Identity)
	}
}

// CFG-13 rests on what Unoffered returns.
func TestBuiltinToolsGoBeforeTheRunners(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "profile: omniemployee\ntools: {approve: [exec, load_skill, rm]}\n")
	c := w.load()
	own := []fsm.ToolDecl{{Name: "list_dir"}, {Name: "exec"}}
	m := c.Machine(own, []fsm.SkillDecl{{Name: "pdf"}})
	var got []string
	for _, tool := range m.Tools {
		name := tool.Name
		if tool.Approve {
			name += " asks"
		}
		got = append(got, name)
	}
	if diff := cmp.Diff([]string{"load_skill asks", "load_skill_reference", "read_more", "list_dir", "exec asks"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if own[1].Approve || len(m.Skills) != 1 {
		t.Errorf("%+v, skills %+v", own, m.Skills)
	}
	if again := c.Machine(own, nil); !again.Tools[0].Approve || len(again.Tools) != 5 {
		t.Errorf("the second time: %+v", again.Tools)
	}
	if diff := cmp.Diff([]string{"rm"}, c.Unoffered(own)); diff != "" {
		t.Errorf("not offered (-want +got)\n%s", diff)
	}
}

// CFG-13 rests on what Unmatched returns, too.
func TestAMatchNamesAnArgumentOfItsTool(t *testing.T) {
	own := []fsm.ToolDecl{
		{Name: "exec", Parameters: `{"properties":{"command":{}}}`}, {Name: "free", Parameters: `{"type":"object"}`},
		{Name: "open", Parameters: `{"properties":{"a":{}}}`}, {Name: "closed", Parameters: `{"properties":{"a":{}},"additionalProperties":false}`},
	}
	for match, want := range map[string]string{ // order-free
		"{tool: exec, match: {comand: x}}":                                        "exec comand [command]\n",
		"{tool: exec, match: {Command: x}}":                                       "",
		"{tool: free, match: {any: x}}":                                           "",
		"{tool: open, match: {any: x}}":                                           "",
		"{tool: closed, match: {any: x}}":                                         "closed any [a]\n",
		"{tool: load_skill, match: {nam: x}}":                                     "load_skill nam [name]\n",
		"{tool: closed, match: {any: x, a: x}}, {tool: exec, match: {comand: x}}": "closed any [a]\nexec comand [command]\n",
		"exec, {tool: other, match: {any: x}}":                                    "",
		`{tool: "ex*", match: {comand: x}}, {tool: exec}, free`:                   "",
	} {
		w := newWorld(t)
		w.File = w.write("c.yaml", "tools: {approve: ["+match+"], custom: {open: {command: [x], description: d}, closed: {command: [x], description: d}}}\n")
		got := ""
		for _, u := range w.load().Unmatched(own) {
			got += fmt.Sprintln(u.Tool, u.Argument, u.Has)
		}
		if got != want {
			t.Errorf("%s: %q, not %q", match, got, want)
		}
	}
}
