package scenario

import (
	"fmt"
	"io"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/explore"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Found is a counterexample, and where it was found.
type Found struct {
	*explore.Counterexample
	World   string // its name
	Command string // that found it
	Case    *File  // whose world it was; nil: an abstract one
}

// Write writes the counterexample as a scenario that fails for the same reason
// (SIM-14): a replay, with words beside each entry.
func (c *Found) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# What does not hold: %s\n", wording.OneLine(c.Violation.String()))
	fmt.Fprintf(&b, "# World %s, found by: %s\n", wording.OneLine(c.World), wording.OneLine(c.Command))
	b.WriteString("# In words:\n")
	for i, words := range c.Path {
		fmt.Fprintf(&b, "# %3d. %s\n", i+1, wording.OneLine(words))
	}
	fmt.Fprintf(&b, "scenario: %d\nname: %s\ntags: [counterexample]\n", format.FormatVersion, named(c.title()))
	if err := writeTold(&b, c.Told, 0); err != nil {
		return err
	}
	if c.Stuck {
		b.WriteString("expect: {rests: true}\n")
	}
	c.claim(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

const nameBytesMax = 160

func (c *Found) title() string {
	return c.Invariant + " in the world " + c.World + ": " + c.Text
}

// claim writes what of the case's always and never does not hold.
func (c *Found) claim(b *strings.Builder) {
	if c.Case == nil {
		return
	}
	for _, list := range []struct {
		key    string
		claims []format.Claim
	}{{"always", c.Case.Always}, {"never", c.Case.Never}} {
		for i := range list.claims {
			if strict.Element(list.key, i) != c.Invariant {
				continue
			}
			text := "that: " + list.claims[i].That.YAML()
			if when := list.claims[i].When; when != nil {
				text += ", when: " + when.YAML()
			}
			fmt.Fprintf(b, "%s: [{%s}]\n", list.key, strings.ReplaceAll(text, "${", "$${"))
		}
	}
}
