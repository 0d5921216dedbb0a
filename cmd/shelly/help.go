package main

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// helpAll is --help, and shows the flags that are seldom used as well.
const helpAll = "--help-all"

// wantsAll replaces --help-all in args by --help, and reports whether it was there.
func wantsAll(args []string) ([]string, bool) {
	given := args
	if i := slices.Index(args, "--"); i >= 0 {
		given = args[:i]
	}
	i := slices.Index(given, helpAll)
	if i < 0 {
		return args, false
	}
	return slices.Concat(args[:i], []string{"--help"}, args[i+1:]), true
}

// short leaves the flags that are tagged rare out of a verb's help, so that it fits on a
// screen, and ends it with a line that says how to see them (CLI-1).
func short(o kong.HelpOptions, ctx *kong.Context) error {
	left := 0
	if ctx.Selected() == nil { // the root has no flag but --help itself
		for _, f := range ctx.Model.Flags {
			f.Hidden = true
		}
	}
	if n := ctx.Selected(); n != nil {
		for _, f := range n.Flags {
			if f.Tag.Has("rare") {
				f.Hidden, left = true, left+1
			}
		}
	}
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil || left == 0 {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\n%d more flags: %s %s\n", left, ctx.Selected().FullPath(), helpAll)
	return err
}
