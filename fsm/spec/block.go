package spec

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"shelly/fsm/state"
)

// Blocks returns the names of the generated blocks in the order of the specification.
func Blocks() []string {
	return []string{"path", "lifecycle", "handle", "inference", "failures", "effects", "limits", "switches", "profiles", "prompts", "invariants"}
}

// Render returns the text of a generated block, ending with a newline.
func Render(block string) (string, error) {
	for _, t := range state.Tables() {
		if t.Name == block {
			return renderTable(t), nil
		}
	}
	switch block {
	case "path":
		return renderPath()
	case "invariants":
		return renderInvariants(), nil
	case "limits":
		return renderLimits()
	case "failures":
		return renderFailures(), nil
	case "switches":
		return renderSwitches()
	case "profiles":
		return renderProfiles(), nil
	case "effects":
		return renderEffects(), nil
	case "prompts":
		return renderPrompts()
	default:
		return "", fmt.Errorf("there is no generated block %q; the blocks are: %s", block, strings.Join(Blocks(), ", "))
	}
}

// placed is a generated block of a document: its text is Text[from:to].
type placed struct {
	name     string
	line     int // of the opening comment
	from, to int
}

const (
	blockOpen = "<!-- generated: "
	blockEnd  = "<!-- end -->\n"
)

// blocks returns the generated blocks of a document in order.
func (d Document) blocks() ([]placed, error) {
	md := d.Text
	opening := regexp.MustCompile(`(?m)^<!-- generated: ([a-z]+) -->\n`)
	var blocks []placed
	done := 0
	for _, at := range opening.FindAllSubmatchIndex(md, -1) {
		b := placed{name: string(md[at[2]:at[3]]), line: lineOf(md, at[0]), from: at[1]}
		if at[0] < done {
			return nil, fmt.Errorf("%s:%d: block %s begins inside another", d.File, b.line, b.name)
		}
		length := bytes.Index(md[b.from:], []byte(blockEnd))
		if length < 0 {
			return nil, fmt.Errorf("%s:%d: block %s has no end: write %q after it", d.File, b.line, b.name, strings.TrimSpace(blockEnd))
		}
		b.to = b.from + length
		if inner := bytes.Index(md[b.from:b.to], []byte(blockOpen)); inner >= 0 {
			return nil, fmt.Errorf("%s:%d: block %s has no end before the next one begins", d.File, b.line, b.name)
		}
		done = b.to
		blocks = append(blocks, b)
	}
	return blocks, nil
}
