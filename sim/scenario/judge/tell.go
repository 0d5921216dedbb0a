package judge

import (
	"fmt"
	"slices"
	"strings"
)

// String is the failure as people read it, over several lines (SCN-10).
func (f Failure) String() string { return Tell(f.Name, []Failure{f}) }

// Tell is what failed in a case as people read it. Steps and a command that belong to
// several failures in a row stand once, after the last of them.
func Tell(name string, failures []Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "FAIL %s\n", name)
	for i, f := range failures {
		if i > 0 {
			b.WriteByte('\n')
		}
		f.what(&b)
		next := Failure{}
		if i+1 < len(failures) {
			next = failures[i+1]
		}
		if len(f.Trace) > 0 && !slices.Equal(f.Trace, next.Trace) {
			b.WriteString("  the last steps before it:\n")
			for _, line := range f.Trace {
				b.WriteString("    " + line + "\n")
			}
		}
		if f.Again != "" && f.Again != next.Again {
			b.WriteString("  again: " + f.Again + "\n")
		}
	}
	return b.String()
}

// what tells the place, what was wanted there and what was got.
func (f *Failure) what(b *strings.Builder) {
	b.WriteString("  " + f.Pos.Of(f.File) + ":")
	for _, part := range []string{f.Path, f.Text} {
		if part != "" {
			b.WriteString(" " + part)
		}
	}
	b.WriteString("\n" + f.Frame)
	if f.Want != "" {
		fmt.Fprintf(b, "  - want %s\n  + got  %s\n", f.Want, f.Got)
	}
	if f.Hint != "" {
		b.WriteString("  " + f.Hint + "\n")
	}
	if f.Diff != "" {
		b.WriteString("  " + strings.ReplaceAll(strings.TrimSuffix(f.Diff, "\n"), "\n", "\n  ") + "\n")
	}
}
