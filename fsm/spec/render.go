package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// renderTable returns a transition table and its diagram.
func renderTable(t state.Table) string {
	rows := [][]string{{"from", "on", "to", "rule"}}
	for _, r := range t.Rows {
		rows = append(rows, []string{string(r.From), string(r.On), string(r.To), r.Rule})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Begins in `%s`. ", t.Initial)
	if len(t.Final) == 0 {
		b.WriteString("No state is final.\n\n")
	} else {
		fmt.Fprintf(&b, "Final: %s.\n\n", quoteAll(t.Final))
	}
	b.WriteString(grid(rows))
	b.WriteString("\n```mermaid\n" + diagram(t) + "```\n")
	return b.String()
}

func quoteAll(states []fsm.State) string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = "`" + string(s) + "`"
	}
	return strings.Join(names, ", ")
}

// diagram draws a table in Mermaid: one arrow for each pair of states, in the
// order of the first row that joins them.
func diagram(t state.Table) string {
	type pair struct{ from, to fsm.State }
	var pairs []pair
	labels := map[pair][]string{}
	for _, r := range t.Rows {
		p := pair{r.From, r.To}
		if labels[p] == nil {
			pairs = append(pairs, p)
		}
		labels[p] = append(labels[p], string(r.On)+" "+r.Rule)
	}
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	fmt.Fprintf(&b, "    [*] --> %s\n", t.Initial)
	for _, p := range pairs {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", p.from, p.to, strings.Join(labels[p], " / "))
	}
	for _, s := range t.Final {
		fmt.Fprintf(&b, "    %s --> [*]\n", s)
	}
	return b.String()
}

func renderInvariants() string {
	var b strings.Builder
	for i, d := range check.Invariants() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "**%s** %s\n", d.ID, d.Text)
	}
	return b.String()
}

// renderEffects asks the machine how it treats each kind of tool.
func renderEffects() string {
	rows := [][]string{{"effects", "started again after a crash", "its start is a barrier"}}
	for _, kind := range []fsm.ToolEffects{fsm.EffectsNone, fsm.EffectsIdempotent, fsm.EffectsUnsafe, ""} {
		name := "`" + string(kind) + "`"
		if kind == "" {
			name = "not declared"
		}
		barrier := machine.New().Barrier(fsm.Input{Fact: fsm.BrainAnswered{}}, []fsm.Effect{fsm.RunTool{Effects: kind}})
		rows = append(rows, []string{name, yesNo(kind.Repeatable()), yesNo(barrier)})
	}
	return grid(rows)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// grid returns rows as a Markdown table that reads well as it is; the first row
// is the head.
func grid(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("|")
		for j, cell := range row {
			b.WriteString(" " + cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)) + " |")
		}
		b.WriteString("\n")
		if i > 0 {
			continue
		}
		b.WriteString("|")
		for _, w := range widths {
			b.WriteString(" " + strings.Repeat("-", w) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}
