package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

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
