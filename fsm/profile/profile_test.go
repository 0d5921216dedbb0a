package profile_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
)

// eachProfile runs a test on each profile.
func eachProfile(t *testing.T, test func(*testing.T, fsm.Config)) {
	for _, name := range profile.Names() {
		t.Run(name, func(t *testing.T) {
			c, ok := profile.Named(name)
			if !ok {
				t.Fatal("there is no such profile")
			}
			test(t, c)
		})
	}
}

func TestCFG11EachProfileSaysItsName(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		if !strings.HasSuffix(t.Name(), "/"+c.Profile) {
			t.Errorf("it is called %q", c.Profile)
		}
	})
	if c, ok := profile.Named("another"); ok {
		t.Errorf("an unknown profile is %+v", c)
	}
}

func TestCFG11NoLimitOfAProfileIsLeftOut(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		v := reflect.ValueOf(c.Limits)
		for i := range v.NumField() {
			if f := v.Field(i); f.CanInt() && f.Int() < 1 && v.Type().Field(i).Name != "OfferTokens" { // 0: all tools are shown whole
				t.Errorf("%s is %d", v.Type().Field(i).Name, f.Int())
			}
		}
		if !slices.IsSorted(c.Limits.Backoff) || slices.ContainsFunc(c.Limits.Backoff, func(d fsm.Millis) bool { return d < 1 }) {
			t.Errorf("the waits are %v", c.Limits.Backoff)
		}
		if c.Limits.CompressPercent > 100 || c.Limits.KeepMessages < 2 {
			t.Errorf("compressed at %d %%, keeping %d messages", c.Limits.CompressPercent, c.Limits.KeepMessages)
		}
	})
}

// A boot that raises a limit would not run the profile that it names.
func TestCFG11ABootTakesAProfileAsItIs(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		m := machine.New()
		m.Step(fsm.Input{Fact: fsm.Boot{Config: c}})
		if got := m.View().Config; !reflect.DeepEqual(got, c) {
			t.Errorf("booted with %+v", got)
		}
	})
}

func TestCFG11EachProfileHasThePromptsThatItsSwitchesNeed(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		s, p := c.Switches, c.Prompts
		spawns := slices.ContainsFunc(c.Tools, func(t fsm.ToolDecl) bool { return t.Name == fsm.ToolSpawn })
		needs := []struct {
			name   string
			needed bool
			prompt string
		}{
			{"identity", true, p.Identity},
			{"init", c.Init != fsm.InitOff, p.Init},
			{"farewell", !s.NoFarewell, p.Farewell},
			{"summary", s.Remember != fsm.RememberOff, p.Summary},
			{"compress", s.Compress, p.Compress},
			{"overflow", s.Overflow == fsm.OverflowSummarize, p.Overflow},
			{"consolidate", s.Overflow == fsm.OverflowConsolidate, p.Consolidate},
			{"empty", c.Limits.MaxAnswerAttempts > 1, p.Empty},
			{"at_limit", s.AtLimit != fsm.EndError, p.AtLimit},
			{"at_length", s.AtLength != fsm.EndError, p.AtLength},
			{"subagent", spawns, p.Subagent},
		}
		for _, n := range needs {
			if n.needed && strings.TrimSpace(n.prompt) == "" {
				t.Errorf("the prompt %s is missing", n.name)
			}
		}
		asks := strings.Contains(p.Question, fsm.NeedMarker)
		stated := slices.ContainsFunc(p.Sections, func(s fsm.Section) bool { return strings.Contains(s.Text, fsm.NeedMarker) })
		if !s.NoCognition && asks == stated {
			t.Errorf("%s must be named in either the question or the system prompt", fsm.NeedMarker)
		}
		if s.Overflow == fsm.OverflowConsolidate && (!strings.Contains(p.Consolidate, "history_entry") || !strings.Contains(p.Consolidate, "memory_update")) {
			t.Errorf("the prompt consolidate %q does not name its keys", p.Consolidate)
		}
	})
}

func TestCFG11EachProfileShowsWhatItOffers(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		var shown []fsm.Content
		for _, s := range c.Prompts.Sections {
			if s.Title == "" || s.Text == "" && s.Of == fsm.OfText {
				t.Errorf("section %+v shows nothing", s)
			}
			shown = append(shown, s.Of)
		}
		if c.Switches.AutoLoadSkills && !slices.Contains(shown, fsm.OfSkills) && !slices.Contains(shown, fsm.OfSkillList) {
			t.Error("skills can be loaded, but none are listed")
		}
		if c.Switches.Overflow != fsm.OverflowKeep && !slices.Contains(shown, fsm.OfMemory) {
			t.Error("MEMORY.md is written, but not shown")
		}
	})
}

// A text that mentions a tool is shown only if that tool is offered. The skill tools are
// offered only if there are skills, and tools of other profiles never.
func TestSKL8APromptPromisesOnlyToolsThatAreThere(t *testing.T) {
	promises := map[string]string{
		`\bspawn\b|to a subagent`: fsm.ToolSpawn, `message tool`: fsm.ToolMessage, `\bcron\b|[Ss]chedule`: fsm.ToolCron,
		`\bload_skill\b`: fsm.ToolLoadSkill, `\bload_skill_reference\b`: fsm.ToolLoadReference,
		`\bread_file\b`: "read_file", `\blist_dir\b`: "list_dir", `\bexec\b`: "exec", `\bedit_file\b`: "edit_file",
		`\bwrite_file\b|[Ww]rite to [A-Z]+\.md`: "write_file", `\bgrep\b|[Ss]earch it|can be searched|[Ss]earch (your )?memory`: "grep",
		`\bmemory_search\b|memory tool`: "memory_search", `\bmemory_read\b`: "memory_read", `\bmemory_write\b`: "memory_write",
		`\bweb_(search|fetch)\b`: "web_search",
	}
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		parts := append([]fsm.Section{{Text: c.Prompts.Identity}, {Text: c.Prompts.Reflection}, {Text: c.Prompts.Farewell}}, c.Prompts.Sections...)
		for promise, tool := range promises {
			for _, s := range parts {
				if !regexp.MustCompile(promise).MatchString(s.Text) {
					continue
				}
				decl, declared := c.Tool(tool)
				needed := slices.Contains(strings.Fields(s.Needs), tool)
				if onDemand := tool == fsm.ToolLoadSkill || tool == fsm.ToolLoadReference; !needed && (!declared || !c.Offers(fsm.AllTools, &decl) && !onDemand || onDemand && s.Needs == "") {
					t.Errorf("%q mentions %s", s.Text, tool)
				}
				if s.Subagents {
					t.Errorf("%q mentions %s to subagents", s.Text, tool)
				}
			}
		}
	})
}

// A subagent acts with its parent's rights, and so follows its rules.
func TestSKL8ASubagentHasItsParentsSafetyRules(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		for _, s := range c.Prompts.Sections {
			if s.Title == "Safety" && !s.Subagents {
				t.Error("the safety rules do not reach subagents")
			}
		}
	})
}

func TestCFG11TheBuiltinToolsOfAProfileAreWhole(t *testing.T) {
	names := fsm.BuiltinNames()
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		seen := map[string]bool{}
		for _, tool := range c.Tools {
			if !tool.Builtin || !slices.Contains(names, tool.Name) || seen[tool.Name] {
				t.Errorf("%s is not a builtin tool, or is declared twice", tool.Name)
			}
			if tool.Description == "" || !strings.HasPrefix(tool.Parameters, `{"type":"object"`) || tool.Effects == "" || tool.Approve {
				t.Errorf("%s is declared as %+v", tool.Name, tool)
			}
			seen[tool.Name] = true
		}
		if c.Switches.AutoLoadSkills && (!seen[fsm.ToolLoadSkill] || !seen[fsm.ToolLoadReference]) {
			t.Error("skills can be loaded, but not with a tool")
		}
	})
}

// Messages that leave a history because there are too many leave it without a summary.
func TestCFG11ACompressedHistoryIsBoundedByItsBudgetAlone(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		if c.Switches.History != fsm.HistoryAll || c.Switches.Overflow != fsm.OverflowKeep || !c.Switches.Compress {
			return
		}
		least := fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleUser, Text: "q"}).Tokens
		if n := c.Limits.MaxHistory + c.Limits.MaxPending; n*least < c.Limits.ContextTokens {
			t.Errorf("%d messages may be kept, which may be fewer than %d tokens hold", n, c.Limits.ContextTokens)
		}
	})
}

// A consolidation must shrink its session, or each turn would consolidate it again.
func TestCFG11AConsolidationMakesRoom(t *testing.T) {
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		if c.Switches.Overflow == fsm.OverflowConsolidate && c.Limits.MaxHistory/2 < 2 {
			t.Errorf("max_history is %d", c.Limits.MaxHistory)
		}
	})
}

func TestCFG11WhatTheTextsSpeakOfIsFilledIn(t *testing.T) {
	about := fsm.About{Name: "Rex", User: "Ada", Persona: "You bark.", Workspace: "/srv", System: "Linux"}
	eachProfile(t, func(t *testing.T, c fsm.Config) {
		p := c.Prompts.Fill(about)
		texts := []string{p.Identity, p.Question, p.Init, p.Farewell, p.Summary, p.Reflection, p.Subagent, p.Compress, p.Overflow, p.Consolidate, p.Empty}
		for _, s := range p.Sections {
			texts = append(texts, s.Text)
		}
		for _, text := range texts {
			for _, word := range []string{"{name}", "{user}", "{persona}", "{workspace}", "{system}"} {
				if strings.Contains(text, word) {
					t.Errorf("%s is left in %q", word, text)
				}
			}
		}
		if len(p.Sections) > 0 && &p.Sections[0] == &c.Prompts.Sections[0] {
			t.Error("the sections were changed in place")
		}
		if !strings.Contains(c.Prompts.AtLimit, "{n}") && c.Switches.AtLimit == fsm.EndNotice {
			t.Errorf("the notice %q does not name the cap", c.Prompts.AtLimit)
		}
	})
}
