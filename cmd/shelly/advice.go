package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/wording"
)

// advised adds to an error that advises a command line the flags that this one names its data folder and its
// configuration with: without them the advice would be for another daemon (CLI-217).
func advised(err error, line []*kong.Path) error {
	coded, ok := errors.AsType[exit.Error](err)
	if !ok || coded.Err == nil || !advises(coded.Err.Error()) {
		return err
	}
	var flags []string
	for _, p := range line {
		if p.Flag != nil && (p.Flag.Name == "data" || p.Flag.Name == "config") {
			flags = append(flags, "--"+p.Flag.Name+" "+wording.ShellPath(p.Flag.Target.String()))
		}
	}
	if len(flags) == 0 {
		return err
	}
	return exit.Errorf(coded.Code, "%w; add %s, as here", coded.Err, strings.Join(flags, " "))
}

// advises reports whether a text names a command line that finds a daemon, and not only its help.
func advises(text string) bool {
	help := regexp.MustCompile(`\bshelly [a-z ]+ --help\b`)
	command := regexp.MustCompile(`\bshelly (run|ask|chat|status|page|logs|messages|schedule|event|channel|session|request|approval|token|memory|journal|tool|service|doctor)\b`)
	return command.MatchString(help.ReplaceAllString(text, "")) && !strings.Contains(text, "--data")
}
