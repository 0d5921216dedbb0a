package main

import (
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shelly/cmd/shelly/run"
	"shelly/fsm"
	"shelly/fsm/offer"
	"shelly/fsm/profile"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
	"shelly/runtime/config"
	"shelly/runtime/tool/file"
	"shelly/runtime/tool/memory"
	"shelly/runtime/tool/web"
)

// promise is a row of the table in docs/tools.md.
type promise struct{ profile, says, tool string }

func promises(t *testing.T) (list []promise) {
	t.Helper()
	md, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (` + strings.Join(profile.Names(), "|") + `) +\| (.*?) +\| (\S+) +\|$`)
	for _, found := range row.FindAllStringSubmatch(string(md), -1) {
		list = append(list, promise{found[1], found[2], found[3]})
	}
	if len(list) == 0 {
		t.Fatal("the table of docs/tools.md is gone")
	}
	return list
}

// spoken are the texts of a profile that tell the model what it can do, by what they need.
func spoken(p *fsm.Prompts) []fsm.Section {
	texts := slices.Clone(p.Sections)
	for _, text := range []string{p.Identity, p.Question, p.Init, p.Farewell, p.Summary, p.Reflection, p.Subagent, p.Compress, p.Overflow, p.Consolidate, p.Empty, p.AtLimit, p.AtLength} {
		texts = append(texts, fsm.Section{Text: text})
	}
	return texts
}

// offeredBy returns the tools that a profile offers if there is a skill.
func offeredBy(t *testing.T, name string) (tools []string, p fsm.Prompts) {
	t.Helper()
	cfg := config.Builtin(name)
	cfg.Workspace, cfg.Data = t.TempDir(), t.TempDir()
	opened, err := run.OpenTools(t.Context(), cfg, slog.New(slog.NewTextHandler(io.Discard, nil)), run.NoServer)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, d := range opened.Declared {
		tools = append(tools, d.Name)
	}
	return tools, cfg.Prompts.Prompts
}

// Each tool that a prompt names is offered by its profile and needed by its section, and the
// table in docs/tools.md lists all of them.
func TestSKL8EachProfileOffersTheToolsThatItsPromptsName(t *testing.T) {
	known := slices.Concat(fsm.BuiltinNames(), file.Names(), memory.Names(), []string{"exec", web.FetchName, web.SearchName})
	for _, name := range profile.Names() {
		tools, p := offeredBy(t, name)
		for _, s := range spoken(&p) {
			for _, tool := range known {
				word := regexp.MustCompile(`(^|[^\w.])` + tool + `($|[^\w.]|\.$|\.\s)`)
				if !strings.Contains(tool, "_") || !word.MatchString(s.Text) {
					continue // a name that is a word of English says nothing; the table has those
				}
				if !slices.Contains(tools, tool) {
					t.Errorf("%s: %q names %s, which is not offered", name, s.Text, tool)
				}
				if s.Text != p.Identity && !slices.Contains(strings.Fields(s.Needs), tool) && !strings.Contains(s.Needs, fsm.ToolLoadSkill) {
					t.Errorf("%s: %q names %s and does not need it", name, s.Text, tool)
				}
				if !slices.ContainsFunc(promises(t), func(r promise) bool {
					return r.profile == name && r.tool == tool && strings.Contains(s.Text, r.says)
				}) && tool != fsm.ToolLoadReference {
					t.Errorf("%s: that %q names %s is not in the table of docs/tools.md", name, s.Text, tool)
				}
			}
		}
	}
}

func TestSKL8WhatTheTableOfPromisesSaysIsSo(t *testing.T) {
	for _, r := range promises(t) {
		tools, p := offeredBy(t, r.profile)
		if !slices.Contains(tools, r.tool) {
			t.Errorf("%s does not offer %s", r.profile, r.tool)
		}
		if !slices.ContainsFunc(spoken(&p), func(s fsm.Section) bool { return strings.Contains(s.Text, r.says) }) {
			t.Errorf("no prompt of %s says %q", r.profile, r.says)
		}
	}
}

// All tools of the profile default fit uncut: also those of memory, exec and those of skills.
func TestTOL64TheToolsOfDefaultFitWhole(t *testing.T) {
	cfg := config.Builtin("default")
	cfg.Workspace, cfg.Data = t.TempDir(), t.TempDir()
	cfg.Tools.Exec.Allow = config.Unsandboxed
	opened, err := run.OpenTools(t.Context(), cfg, slog.New(slog.NewTextHandler(io.Discard, nil)), run.NoServer)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}()
	cfg.Workspace = "/home/ann/projects/shelly"
	own := slices.DeleteFunc(slices.Clone(opened.Declared), func(d fsm.ToolDecl) bool { return d.Builtin })
	skill := fsm.SkillDecl{Name: "pdf", Summary: "Read, split, merge and fill in PDF files; use it whenever a PDF is mentioned."}
	c := cfg.Machine(own, []fsm.SkillDecl{skill})
	for _, name := range []string{"exec", memory.SearchName, fsm.ToolLoadSkill} {
		if !slices.ContainsFunc(c.Tools, func(d fsm.ToolDecl) bool { return d.Name == name }) {
			t.Fatalf("%s is not offered", name)
		}
	}
	system := prompt.System(&c, &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}})
	if o := offer.Build(&c, fsm.AllTools, system, nil); !offer.Holds(&c, fsm.AllTools, system, &fsm.Offer{}) {
		t.Errorf("not all are whole: %+v", o)
	}
}
