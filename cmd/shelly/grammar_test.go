package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/exhaustive"
)

// CLI-1: a command that is parsed alone has the same help, and the same errors for a wrong
// line, as among all commands.
func TestCLI1ACommandAloneIsWhatItIsAmongAll(t *testing.T) {
	exhaustive.Test(t)
	all, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range all.Model.Children {
		if command.Hidden {
			continue
		}
		if reflect.TypeOf(grammar([]string{command.Name})) == reflect.TypeFor[*cli]() {
			t.Errorf("%s is parsed among all", command.Name)
		}
		lines := [][]string{{command.Name, "--help"}, {command.Name, "--help-all"}, {command.Name, "--none"}, {command.Name, "--version"}}
		for _, verb := range command.Children {
			lines = append(lines, []string{command.Name, verb.Name, "--help-all"})
		}
		for _, line := range lines {
			var alone, among bytes.Buffer
			code := execute(line, &terminal.Terminal{Out: &alone, Err: &alone})
			if whole := executeBy(&cli{}, line, &terminal.Terminal{Out: &among, Err: &among}); code != whole || alone.String() != among.String() {
				t.Errorf("%s: alone\n%s\namong all\n%s", strings.Join(line, " "), &alone, &among)
			}
		}
	}
}

// CLI-155: what a command prints in a chat is as wide as the chat shows.
func TestCLI155TheHelpIsAsWideAsItsSheet(t *testing.T) {
	for _, columns := range []int{50, 77, 200} {
		for _, line := range [][]string{{"schedule", "add", "--help"}, {"ask", "--help-all"}} {
			out := terminal.Sheet{Columns: columns}
			if code := execute(line, &terminal.Terminal{Out: &out, Err: &out}); code != exit.OK {
				t.Fatalf("%q: ended with %d: %s", line, code, &out)
			}
			for l := range strings.Lines(out.String()) {
				if l = strings.TrimRight(l, " \n"); len(l) > min(columns, 80) {
					t.Errorf("%q for %d columns has a line of %d: %s", line, columns, len(l), l)
				}
			}
		}
	}
}

// CLI-3: an argument or flag that is given as an empty text is refused, whatever leaving it out
// would mean; a text may be empty.
func TestCLI3AnEmptyArgumentIsRefused(t *testing.T) {
	for _, test := range []struct {
		line []string
		want string
	}{
		{[]string{"schedule", "pause", ""}, "shelly: <id> is empty; see shelly schedule pause --help\n"},
		{[]string{"request", "approve", ""}, "shelly: <id> is empty; see shelly request approve --help\n"},
		{[]string{"memory", "forget", "m1", ""}, "shelly: <id> is empty; see shelly memory forget --help\n"},
		{[]string{"channel", "try", "jabber", ""}, "shelly: <chat> is empty; see shelly channel try --help\n"},
		{[]string{"journal", "verify", ""}, "shelly: <file> is empty; see shelly journal verify --help\n"},
		{[]string{"tool", "undo", "--session", ""}, "shelly: --session is empty; see shelly tool undo --help\n"},
		{[]string{"config", "--data="}, "shelly: --data is empty; see shelly config --help\n"},
		{[]string{"ask", "--image", "", "hello"}, "shelly: --image is empty; see shelly ask --help\n"},
		{[]string{"memory", "add", ""}, "shelly: nothing to remember: give a text\n"},
		{[]string{"session", "search", "", " "}, "shelly: nothing to search for: give a text\n"},
	} {
		var said bytes.Buffer
		if code := execute(test.line, &terminal.Terminal{Out: &said, Err: &said}); code != exit.Usage || said.String() != test.want {
			t.Errorf("%q: ended with %d: %s", test.line, code, &said)
		}
	}
}

// CLI-3: what an error quotes, such as the name of a file that somebody else has made, cannot control
// the terminal.
func TestCLI3AnErrorControlsNoTerminal(t *testing.T) {
	const hostile = "a\x1b[2J"
	for _, line := range [][]string{{hostile}, {"--" + hostile}, {"memory", hostile}, {"journal", "verify", hostile}, {"test", hostile}, {"ask", "--image", hostile, "hi"}, {"doctor", "--config", hostile}} {
		var said bytes.Buffer
		if code := execute(line, &terminal.Terminal{Out: &said, Err: &said}); code == exit.OK || strings.Contains(said.String(), "\x1b") || !strings.Contains(said.String(), `a\x1b[2J`) {
			t.Errorf("%q: ended with %d: %q", line, code, &said)
		}
	}
}
