package offer_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/offer"
)

// crowd returns a configuration with some tools of shelly's own and servers with many.
func crowd(own, count, each, tokens int) *fsm.Config {
	c := &fsm.Config{Words: fsm.PresentWords(), Limits: fsm.Limits{OfferTokens: tokens}}
	for i := range own {
		c.Tools = append(c.Tools, fsm.ToolDecl{Name: fmt.Sprint("own", i), Description: "Do the thing of number " + fmt.Sprint(i) + ". " + strings.Repeat("more ", 40), Parameters: `{"type":"object"}`})
	}
	for s := range count {
		for i := range each {
			c.Tools = append(c.Tools, fsm.ToolDecl{Name: fmt.Sprintf("server%d__tool%d", s, i), Description: "Do it there. " + strings.Repeat("more ", 30), Parameters: `{"type":"object"}`})
		}
	}
	return c
}

func tokens(system string, o *fsm.Offer) int {
	n := fsm.TextTokens(system)
	for i := range o.Tools {
		n += fsm.DeclTokens(&o.Tools[i]) + 16 // with the frame of a template
	}
	return n
}

func whole(o *fsm.Offer) string {
	var list []string
	for _, t := range o.Tools {
		list = append(list, t.Name)
	}
	return strings.Join(list, " ")
}

func TestTOL60WhatIsShownFits(t *testing.T) {
	for _, test := range []struct {
		own, servers, each int
		says               string
	}{
		{30, 0, 0, "own29: Do the thing of number 29"},
		{2, 2, 16, "server1__tool15: Do it there"},
		{2, 3, 70, "server2: server2__tool0, server2__tool1"},
		{2, 10, 50, "server9: 50 tools, such as server9__tool0"},
		{20, 12, 10, "server9: 10 tools, such as server9__tool0"}, // although shelly's own could take the room
		{12, 40, 50, "server8: 50 tools\nserver9: 50 tools"},
		{12, 400, 2, "more: search for them"},
	} {
		c := crowd(test.own, test.servers, test.each, 1500)
		o := offer.Build(c, fsm.AllTools, "a system prompt", nil)
		help := o.Tools[len(o.Tools)-1]
		if n := tokens("a system prompt", &o); n > 1500 || help.Name != fsm.ToolHelp || !strings.Contains(help.Description, test.says) {
			t.Errorf("%+v: %d tokens, %s says %q", test, n, help.Name, help.Description)
		}
		if again := offer.Build(c, fsm.AllTools, "a system prompt", nil); !reflect.DeepEqual(o, again) || !offer.Holds(c, fsm.AllTools, "a system prompt", &o) {
			t.Errorf("%+v: it does not hold", test)
		}
	}
	c := crowd(5, 0, 0, 1500)
	if o := offer.Build(c, fsm.AllTools, "s", nil); o.Made() || !offer.Holds(c, fsm.AllTools, "s", &o) {
		t.Errorf("a choice was made although everything fits: %s", whole(&o))
	}
}

func TestTOL60WithoutABoundAllIsWhole(t *testing.T) {
	c := crowd(30, 2, 16, 0)
	o := offer.Build(c, fsm.AllTools, "", nil)
	if o.Made() {
		t.Errorf("an offer was made: %s", whole(&o))
	}
	if !offer.Holds(c, fsm.AllTools, "", &o) {
		t.Error("that all tools are shown does not hold")
	}
}

func TestTOL61WhatIsUsedComesFirst(t *testing.T) {
	c := crowd(3, 10, 50, 500)
	c.Whole = []string{"server2__tool2", "nothing"}
	o := offer.Build(c, fsm.AllTools, "s", []string{"server3__tool1", "unknown", "server3__tool1", "server1__tool4"})
	if got := whole(&o); got != "own0 server1__tool4 server2__tool2 server3__tool1 tool_help" {
		t.Errorf("shown whole are %s", got)
	}
}

func TestTOL61AnOfferHoldsUntilShellysOwnToolsChange(t *testing.T) {
	const system = "a system prompt"
	o := offer.Build(crowd(3, 4, 50, 600), fsm.AllTools, system, nil)
	for name, test := range map[string]struct {
		change func(*fsm.Config)
		holds  bool
	}{
		"a server is away":       {func(c *fsm.Config) { c.Tools = c.Tools[:3+3*50] }, true},
		"all are":                {func(c *fsm.Config) { c.Tools = c.Tools[:3] }, true},
		"a server has others":    {func(c *fsm.Config) { c.Tools[60].Description = "another"; c.Tools = slices.Delete(c.Tools, 70, 80) }, true},
		"a server is new":        {func(c *fsm.Config) { c.Tools = append(c.Tools, fsm.ToolDecl{Name: "x", Server: "new"}) }, false},
		"a tool of its own":      {func(c *fsm.Config) { c.Tools = append(c.Tools, fsm.ToolDecl{Name: "x"}) }, false},
		"another description":    {func(c *fsm.Config) { c.Tools[1].Description = "another" }, false},
		"others are to be whole": {func(c *fsm.Config) { c.Whole = []string{"own2"} }, false},
		"more may be":            {func(c *fsm.Config) { c.Limits.OfferTokens = 700 }, false},
		"all may be":             {func(c *fsm.Config) { c.Limits.OfferTokens = 0 }, false},
	} {
		c := crowd(3, 4, 50, 600)
		test.change(c)
		if got := offer.Holds(c, fsm.AllTools, system, &o); got != test.holds {
			t.Errorf("%s: it holds: %t", name, got)
		}
	}
}

func TestTOL62HelpFindsTools(t *testing.T) {
	c := crowd(2, 10, 50, 600)
	c.Tools = append(c.Tools, fsm.ToolDecl{Name: "bare", Description: "Look."})
	for _, test := range []struct {
		name, search, want string
		ok                 bool
	}{
		{"own1", "", "Its arguments, as a JSON schema: {\"type\":\"object\"}", true},
		{"bare", "", "Its arguments, as a JSON schema: none", true},
		{"server3", "", "server3__tool49: Do it there", true},
		{"server3", "tool17", "server3__tool17: Do it there", true},
		{"", "TOOL17 server4", "server4__tool17: Do it there", true},
		{"", "do it server4 tool17", "server4__tool17: Do it there", true},
		{"tool17", "", "server9__tool17: Do it there", true},
		{"owm1", "", "did you mean own1?", false},
		{"weather", "", "nothing is found for \"weather\"; the servers are: server0, server1", false},
		{"", "", "more: search for them", true},
	} {
		got, ok := offer.Help(c, fsm.AllTools, test.name, test.search)
		if ok != test.ok || !strings.Contains(got, test.want) || fsm.TextTokens(got) > 1100 {
			t.Errorf("%q %q: got %t %q; want %t, with %q, at most 1100", test.name, test.search, ok, got, test.ok, test.want)
		}
	}
}

func TestTOL63WhatAnOfferNamesIsMissed(t *testing.T) {
	o := offer.Build(crowd(2, 10, 50, 600), fsm.AllTools, "s", nil)
	for name, gone := range map[string]bool{"own0": true, "server3__tool9": true, "server77__tool9": false, "nothing": false} {
		if offer.Gone(&o, name) != gone {
			t.Errorf("%s: got %t; want %t", name, !gone, gone)
		}
	}
}

// TOL-62: the last line counts the lines that are left out.
func TestTOL62WhatIsLeftOutIsCounted(t *testing.T) {
	o := offer.Build(crowd(0, 400, 2, 1500), fsm.AllTools, "a system prompt", nil)
	lines := strings.Split(o.Tools[len(o.Tools)-1].Description, "\n")
	named := 0
	for _, line := range lines {
		if strings.HasPrefix(line, "server") {
			named++
		}
	}
	if want := fmt.Sprintf("and %d more: search for them", 400-named); lines[len(lines)-1] != want || named < 10 {
		t.Errorf("%d are named, then %q", named, lines[len(lines)-1])
	}
}
