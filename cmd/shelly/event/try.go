package event

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/internal/watched"
	"shelly/fsm"
	"shelly/runtime/event"
)

type tryCmd struct {
	Source string `arg:"" optional:"" placeholder:"SOURCE|FILE.yaml" help:"Name of a source, or a configuration file whose sources to try. Default: all."`
	flags.Place
}

// Help is what follows the usage.
func (tryCmd) Help() string {
	return "Raises no event and needs no daemon. Shows each text as the model would read it."
}

// lookMax bounds the time of one look.
const lookMax = 30 * time.Second

// Run implements the subcommand (CLI-199).
func (c *tryCmd) Run(t *terminal.Terminal) error {
	name := c.Source
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
		c.ConfigFile, name = name, ""
	}
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	all := watched.Sources(cfg)
	if name != "" {
		known := all
		all = slices.DeleteFunc(slices.Clone(all), func(s event.Spec) bool { return s.Name != name })
		if len(all) == 0 && len(known) > 0 {
			return exit.Errorf(exit.NoMatch, "there is no source %s; there are: %s", terminal.Printable(name), names(known))
		}
	}
	if len(all) == 0 {
		return exit.Errorf(exit.NoMatch, "no source of events is configured; add one, such as events: {files: {inbox: {path: ~/inbox}}}")
	}
	blind := 0
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(t.Out)
		}
		if !try(t.Out, s) {
			blind++
		}
	}
	if blind > 0 {
		return exit.Errorf(exit.Failed, "%d of %d sources cannot be read", blind, len(all))
	}
	return nil
}

func names(all []event.Spec) string {
	var list []string
	for _, s := range all {
		list = append(list, s.Name)
	}
	return strings.Join(list, ", ")
}

// try shows one look at a source, and reports whether the source could be read.
func try(out io.Writer, s event.Spec) bool {
	ctx, cancel := context.WithTimeout(context.Background(), lookMax)
	defer cancel()
	fmt.Fprintf(out, "%s (%s): %s\n", s.Name, s.Kind, terminal.Printable(s.Of))
	seen, err := event.Try(ctx, s)
	if err != nil {
		fmt.Fprintf(out, "  sees nothing: %s\n", terminal.Printable(err.Error()))
		return false
	}
	fmt.Fprintf(out, "  it is now: %s\n", terminal.Printable(seen.Seen))
	if len(seen.Now) == 0 {
		example := "nothing would be raised now; an event would read, for example:"
		if s.Folder != "" { // one look shows no change, and does not know what the daemon has told
			example = "an event is raised when something changes; it would read, for example:"
		}
		fmt.Fprintf(out, "  %s\n", example)
		show(out, seen.Other)
		return true
	}
	held := ""
	if s.Hold > 0 {
		held = ", once it has been so for " + s.Hold.String()
	}
	fmt.Fprintf(out, "  this would be raised%s:\n", held)
	show(out, seen.Now)
	return true
}

// show prints events as the model reads them.
func show(out io.Writer, events []fsm.EventRaised) {
	words := fsm.PresentWords()
	for _, e := range events {
		for text := range strings.Lines(words.Event(e)) {
			if text = strings.TrimRight(text, "\n"); text != "" {
				text = "    " + terminal.Printable(text)
			}
			fmt.Fprintln(out, text)
		}
	}
}
