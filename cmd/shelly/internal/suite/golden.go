package suite

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/durable"
	"shelly/sim/scenario"
	"shelly/sim/scenario/golden"
	"shelly/sim/scenario/judge"
)

// goldens is what a run of cases does about their goldens (SCN-36).
type goldens struct {
	does goldenWork

	mu      sync.Mutex // guards the rest: workers settle their cases
	over    bool       // the report is printed: nothing more is done
	told    []goldenTold
	refused []error // files that could not be written or removed
	stale   int     // obsolete files under checkGoldens
}

// goldenWork is what a run may do about a golden that does not match.
type goldenWork int

const (
	keepPending    goldenWork = iota // write the actual result next to it
	renewGoldens                     // --update: write it
	writeMissing                     // --update=missing: write it if it does not exist; keep one that differs
	checkGoldens                     // --ci: write nothing, and fail on obsolete files
	compareGoldens                   // write nothing: this is not a plain run
)

// updating is the flag --update, which may have a value.
type updating string

const (
	updateAll     updating = "all"
	updateMissing updating = "missing"
)

// IsBool implements [kong.BoolMapperValue]: the flag needs no value.
func (*updating) IsBool() bool { return true }

// Decode implements [kong.MapperValue].
func (u *updating) Decode(ctx *kong.DecodeContext) error {
	*u = updateAll
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	if *u = updating(ctx.Scan.Pop().String()); *u != updateAll && *u != updateMissing {
		return fmt.Errorf("wants %s or %s, not %s", updateAll, updateMissing, wording.Word(string(*u)))
	}
	return nil
}

// goldenTold is a note about one file.
type goldenTold struct{ what, path, why string }

// goldens decides what the run does about goldens. In CI the files that a run writes are lost, so
// --ci is the default there; --update and --no-ci override it.
func (c *Command) goldens() (*goldens, error) {
	plain := !c.Twice && len(c.Vars) == 0 && c.Seed == nil && c.Seeds == nil && c.On == "sim"
	switch {
	case c.Update != "" && c.CI != nil && *c.CI:
		return nil, exit.Errorf(exit.Usage, "--update writes goldens but --ci writes nothing; give one of them")
	case c.Update != "" && !plain:
		return nil, exit.Errorf(exit.Usage, "--update writes the result of a plain run; leave out --twice, --seed, --seeds, --var and --on runtime")
	case c.Update == updateMissing:
		return &goldens{does: writeMissing}, nil
	case c.Update == updateAll:
		return &goldens{does: renewGoldens}, nil
	case !c.writes():
		return &goldens{does: checkGoldens}, nil
	case !plain:
		return &goldens{does: compareGoldens}, nil
	default:
		return &goldens{does: keepPending}, nil
	}
}

// inCI reports whether the environment is that of a CI service (SCN-52).
func inCI() bool {
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "0", "false":
		return false
	default:
		return true
	}
}

// obsolete returns the goldens that no case uses. A run that selects cases by name or tags
// cannot tell, and finds none.
func (c *Command) obsolete(all []*scenario.File) ([]string, error) {
	if c.Only != "" || c.Invert != "" || c.Tags != nil || c.LastFailed || c.OnlyChanged.given {
		return nil, nil
	}
	paths, err := golden.Obsolete(host{}, c.patterns(), all)
	return paths, exit.With(exit.Usage, err)
}

// worse returns what the run ends with: the result of the cases, unless a failed write of a
// file is worse.
func worse(cases, files error) error {
	var c, f exit.Error
	if cases == nil || errors.As(cases, &c) && c.Code == exit.Failed && errors.As(files, &f) && f.Code == exit.Usage {
		return files
	}
	return cases
}

// settle handles the golden of a judged case.
func (g *goldens) settle(f *scenario.File, out *scenario.Outcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := out.Golden
	if kept == nil || g.over {
		return
	}
	switch g.does {
	case renewGoldens:
		g.renew(kept, out)
	case writeMissing:
		if kept.Holds || !kept.Found {
			g.renew(kept, out)
			return
		}
		addToGolden(out, "it is kept, because --update=missing writes only goldens that do not exist; --update writes this one too")
	case checkGoldens:
		if kept.Holds && isFile(kept.Path+golden.PendingSuffix) {
			out.Failures = append(out.Failures, f.Blame(goldenKey, kept.Path+golden.PendingSuffix+" is waiting for a review; accept it with --update, or remove it"))
		}
		addToGolden(out, "renew it with --update, in a place where it may be written")
	case keepPending:
		g.keep(kept, out)
	}
}

// goldenKey is the key that failures of a golden are reported at.
const goldenKey = "expect.golden"

// renew writes a golden, unless the case also fails for another reason: the result of a broken
// run must not become what is expected.
func (g *goldens) renew(kept *golden.Golden, out *scenario.Outcome) {
	own := func(f judge.Failure) bool { return f.Path == goldenKey }
	switch {
	case slices.ContainsFunc(out.Failures, func(f judge.Failure) bool { return !own(f) }):
		addToGolden(out, "it is not updated, because the case also fails for another reason")
		return
	case !kept.Holds && kept.Got == nil:
		return
	case !kept.Holds:
		if err := replaceGolden(kept.Path, kept.Got); err != nil {
			g.refused = append(g.refused, err)
			return
		}
		out.Failures = slices.DeleteFunc(out.Failures, own)
		if kept.Found {
			g.tell("renewed", kept.Path, "")
		} else {
			g.tell("wrote", kept.Path, "")
		}
	}
	g.remove(kept.Path+golden.PendingSuffix, "")
}

// keep writes the actual result next to a golden that does not match, and removes such a file of
// an earlier run if the golden matches.
func (g *goldens) keep(kept *golden.Golden, out *scenario.Outcome) {
	pending := kept.Path + golden.PendingSuffix
	switch {
	case kept.Holds:
		g.remove(pending, "its golden holds")
	case kept.Got != nil:
		if err := replaceGolden(pending, kept.Got); err != nil {
			addToGolden(out, err.Error())
			return
		}
		addToGolden(out, "the actual result is in "+pending+"; look at it, and accept it with --update")
	}
}

// addToGolden adds a text to the golden's failure, if there is one.
func addToGolden(out *scenario.Outcome, text string) {
	for i := range out.Failures {
		if f := &out.Failures[i]; f.Path == goldenKey && out.Golden.Got != nil && !out.Golden.Holds {
			f.Text += "; " + text
		}
	}
}

// sweep handles the goldens and pending files that no case uses.
func (g *goldens) sweep(obsolete []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, path := range obsolete {
		switch g.does {
		case renewGoldens:
			g.remove(path, "no case uses it")
		case checkGoldens:
			g.stale++
			fallthrough
		default:
			g.tell("obsolete", path, "no case uses it; --update removes it")
		}
	}
}

// remove removes a file, if it exists.
func (g *goldens) remove(path, why string) {
	if !isFile(path) {
		return
	}
	if err := os.Remove(path); err != nil {
		g.refused = append(g.refused, fmt.Errorf("cannot remove %s: %w", path, bare(err)))
		return
	}
	g.tell("removed", path, why)
}

func (g *goldens) tell(what, path, why string) {
	g.told = append(g.told, goldenTold{what, path, why})
}

// report prints what was done, in the order of the files, and returns the error with which the
// run ends because of the goldens, if any. A case that is still running, as can happen after an
// interrupt or a first failure, is no longer settled.
func (g *goldens) report(notes, errs io.Writer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	slices.SortFunc(g.told, func(a, b goldenTold) int { return cmp.Compare(a.path, b.path) })
	for _, t := range g.told {
		line := t.what + " " + t.path
		if t.why != "" {
			line += ": " + t.why
		}
		fmt.Fprintln(notes, terminal.Printable(line))
	}
	slices.SortFunc(g.refused, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	for _, err := range g.refused {
		fmt.Fprintln(errs, "shelly:", terminal.Printable(err.Error()))
	}
	switch {
	case len(g.refused) > 0:
		return exit.Silent(exit.Usage)
	case g.stale > 0:
		return exit.Silent(exit.Failed)
	}
	return nil
}

// replaceGolden writes a whole file, or nothing.
func replaceGolden(path string, data []byte) error {
	err := durable.As{Perm: 0o644}.Text(path, data)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, bare(err))
	}
	return nil
}

// isFile reports whether a file or link of this name exists.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.IsDir()
}

// bare returns an error without its path.
func bare(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	default:
		return err
	}
}
