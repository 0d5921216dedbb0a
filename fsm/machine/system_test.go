package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
)

// prompted returns a driver whose profile has an identity and these sections.
func prompted(t testing.TB, sections ...fsm.Section) *driver {
	d := driverOf(t, "omniemployee")
	d.config.Prompts = fsm.Prompts{Identity: "I am.", Sections: sections, Subagent: "I am another."}
	d.config.Tools = []fsm.ToolDecl{{Name: "look", Description: "looks around"}}
	d.config.Tools = append(d.config.Tools, fsm.Builtins(fsm.ToolLoadSkill, fsm.ToolLoadReference, fsm.ToolSpawn)...)
	d.config.Skills = []fsm.SkillDecl{
		{Name: "manners", Always: true, Text: "be kind"}, {Name: "flights", Summary: "books flights"}, {Name: "trains", Summary: "finds trains"},
	}
	return d
}

// systemIn returns the system prompt of a request in a session.
func systemIn(d *driver, s fsm.Session) string {
	d.t.Helper()
	d.boot()
	d.ask("hello")
	d.loads(s)
	return one[fsm.AskBrain](d).System
}

func TestSKL2EachSectionOfTheSystemPromptIsRendered(t *testing.T) {
	loaded := fsm.Session{Memory: " facts\n", Skills: []fsm.LoadedSkill{
		{Name: "flights", Text: "book them"}, {Name: "flights", Reference: "codes.md", Text: "LIS is Lisbon"},
	}}
	tests := []struct {
		name    string
		section fsm.Section
		session fsm.Session
		want    string
	}{
		{"a text", fsm.Section{Title: "Safety", Text: "Beware."}, fsm.Session{}, "I am.\n\n## Safety\n\nBeware."},
		{"tools", fsm.Section{Title: "Tools", Of: fsm.OfTools}, fsm.Session{},
			"I am.\n\n## Tools\n\n- look: looks around\n- load_skill: " + fsm.Builtins(fsm.ToolLoadSkill)[0].Description +
				"\n- load_skill_reference: " + fsm.Builtins(fsm.ToolLoadReference)[0].Description + "\n- spawn: " + fsm.Builtins(fsm.ToolSpawn)[0].Description},
		{"skills that are always on", fsm.Section{Title: "Active", Of: fsm.OfAlwaysSkills}, fsm.Session{}, "I am.\n\n## Active\n\n### Skill: manners\n\nbe kind"},
		{"skills", fsm.Section{Title: "Skills", Text: "Load one.", Of: fsm.OfSkills}, fsm.Session{},
			"I am.\n\n## Skills\n\nLoad one.\n\n- [○] flights: books flights\n- [○] trains: finds trains"},
		{"skills, of which one is loaded", fsm.Section{Title: "Skills", Of: fsm.OfSkills}, loaded,
			"I am.\n\n## Skills\n\n- [✓] flights: books flights\n- [○] trains: finds trains"},
		{"loaded skills", fsm.Section{Title: "Loaded", Of: fsm.OfLoadedSkills}, loaded,
			"I am.\n\n## Loaded\n\n### Skill: flights\n\nbook them\n\n### Reference: flights/codes.md\n\nLIS is Lisbon"},
		{"no loaded skills", fsm.Section{Title: "Loaded", Text: "Use them.", Of: fsm.OfLoadedSkills}, fsm.Session{}, "I am."},
		{"memory", fsm.Section{Title: "Memory", Text: "Write to it.", Of: fsm.OfMemory}, loaded, "I am.\n\n## Memory\n\nWrite to it.\n\nMEMORY.md holds:\n\nfacts"},
		{"an empty memory", fsm.Section{Title: "Memory", Text: "Write to it.", Of: fsm.OfMemory}, fsm.Session{Memory: " \n"}, "I am.\n\n## Memory\n\nWrite to it."},
		{"an empty memory and no text", fsm.Section{Title: "Memory", Of: fsm.OfMemory}, fsm.Session{}, "I am."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			same(t, tt.want, systemIn(prompted(t, tt.section), tt.session))
		})
	}
}

func TestSKL2SectionsStandInTheirOrder(t *testing.T) {
	d := prompted(t, fsm.Section{Title: "B", Text: "b"}, fsm.Section{Title: "A", Text: "a"})
	if got := systemIn(d, fsm.Session{}); got != "I am.\n\n## B\n\nb\n\n## A\n\na" {
		t.Errorf("the system prompt is %q", got)
	}
}

func TestSKL2WithoutDeclarationsThereAreNoSectionsOfThem(t *testing.T) {
	for _, of := range []fsm.Content{fsm.OfTools, fsm.OfAlwaysSkills, fsm.OfSkills} {
		d := prompted(t, fsm.Section{Title: "X", Text: "x", Of: of})
		d.config.Tools, d.config.Skills = nil, nil
		if got := systemIn(d, fsm.Session{}); got != "I am." {
			t.Errorf("%s: the system prompt is %q", of, got)
		}
	}
}

func TestSKL2TheSystemPromptIsBuiltForEachCall(t *testing.T) {
	d := prompted(t, fsm.Section{Title: "Skills", Of: fsm.OfSkills}, fsm.Section{Title: "Loaded", Of: fsm.OfLoadedSkills})
	before := systemIn(d, fsm.Session{})
	d.asksFor(fsm.ToolLoadSkill, `{"name":"trains"}`)
	d.skillSays("find them")
	after := one[fsm.AskBrain](d).System
	if strings.Contains(before, "find them") || !strings.Contains(after, "find them") || !strings.Contains(after, "[✓] trains") {
		t.Errorf("from %q to %q", before, after)
	}
	d.config.Prompts.Identity = "I was."
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
	d.asksFor("fly", "{}")
	if got := one[fsm.AskBrain](d).System; !strings.HasPrefix(got, "I was.") {
		t.Errorf("after Configured the system prompt is %q", got)
	}
}

func TestSKL2ASubagentHasASystemPromptOfItsOwn(t *testing.T) {
	for _, subagent := range []string{"I am another.", ""} {
		d := prompted(t, fsm.Section{Title: "Safety", Text: "Beware."})
		d.config.Prompts.Subagent = subagent
		systemIn(d, fsm.Session{})
		d.asksFor(fsm.ToolSpawn, `{"task":"look"}`)
		want := subagent
		if want == "" {
			want = "I am.\n\n## Safety\n\nBeware."
		}
		ask := only(d, func(a fsm.AskBrain) bool { return a.Purpose == fsm.PurposeSubagent })
		if ask.System != want {
			t.Errorf("the system prompt is %q, want %q", ask.System, want)
		}
	}
}

func TestSKL1WhenTheSkillToolsAreOffered(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fsm.Config)
		set    fsm.Toolset
		want   []string
	}{
		{"all", func(c *fsm.Config) {}, fsm.AllTools, []string{"look", "load_skill", "load_skill_reference", "spawn"}},
		{"of a subagent", func(c *fsm.Config) {}, fsm.SubagentTools, []string{"look"}},
		{"none", func(c *fsm.Config) {}, fsm.NoTools, nil},
		{"switched off", func(c *fsm.Config) { c.Switches.AutoLoadSkills = false }, fsm.AllTools, []string{"look", "spawn"}},
		{"without skills", func(c *fsm.Config) { c.Skills = nil }, fsm.AllTools, []string{"look", "spawn"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := prompted(t).config
			tt.change(&c)
			var got []string
			for _, tool := range c.Offered(tt.set) {
				got = append(got, tool.Name)
			}
			same(t, tt.want, got)
		})
	}
}
