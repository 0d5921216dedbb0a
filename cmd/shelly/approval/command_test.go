package approval

import (
	"bytes"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/grants"
)

func TestCLI121WithoutADaemonTheFileIsListedAndChanged(t *testing.T) {
	data := t.TempDir()
	cfg := config.Config{Data: data}
	if _, err := grants.Of(data).Add(fsm.Grant{Tool: "exec", Match: []fsm.ArgMatch{{Argument: "command", Like: "make"}}, By: "ann"}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	term := &terminal.Terminal{Out: &out, Err: &out}
	if err := (&listCmd{}).Run(term, cfg); err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(strings.Split(out.String(), "\n")[1], " ")
	if !strings.Contains(out.String(), "command=make") || !strings.Contains(out.String(), "always") || !strings.HasPrefix(id, "g") {
		t.Errorf("got %s with the id %q; want it with %q and %q, and an id beginning with %q", out.String(), id, "command=make", "always", "g")
	}
	if err := (&revokeCmd{ID: id[:5]}).Run(term, cfg); err != nil {
		t.Fatal(err)
	}
	if err := (&listCmd{}).Run(term, cfg); exit.Code(err, &out) != exit.NoMatch {
		t.Errorf("got %v; want the code %d", err, exit.NoMatch)
	}
}

func TestCLI121AnIDMayBeAUniqueBeginning(t *testing.T) {
	list := []comm.Approval{{ID: "gab1"}, {ID: "gab2"}, {ID: "gab"}, {ID: "gc"}}
	for text, want := range map[string]string{"gab": "gab", "gab1": "gab1", "gc": "gc", "g": "", "gx": "", "": ""} {
		if a, err := only(list, text); a.ID != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", text, a.ID, err)
		}
	}
}
