package memory

import (
	"context"
	"fmt"
	"io"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/memory"
	"shelly/sim/history"
)

type searchCmd struct {
	Text         []string `arg:"" help:"Text to search for."`
	TopK         int      `short:"k" default:"5" placeholder:"N" help:"Maximum number of entries (default ${default})."`
	Mode         string   `enum:"hybrid,keyword,vector" default:"hybrid" help:"hybrid (both rankings merged), keyword or vector."`
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/memory/search."`
	chosenEntries
	flags.Place
}

// Help says what a score is.
func (searchCmd) Help() string {
	return "A score is the sum of 1/(60 + rank) over both rankings, reduced by age if memory.half_life is set. For keywords the shared words " +
		"and their BM25 score are shown, for vectors the cosine, which must be at least 0.5. Exit code 4 if nothing is found."
}

// Run implements the subcommand (CLI-20).
func (c *searchCmd) Run(t *terminal.Terminal) error {
	q := memory.Query{Text: strings.Join(c.Text, " "), TopK: c.TopK, Mode: memory.Mode(c.Mode), Filter: c.filter()}
	if c.TopK < 1 || strings.TrimSpace(q.Text) == "" {
		return exit.Errorf(exit.Usage, "give a text, and 1 or more for -k")
	}
	return use(&c.Place, searching, func(ctx context.Context, _ config.Config, m memories) error {
		r, err := m.Search(ctx, q)
		if err != nil {
			return err
		}
		text := func(out io.Writer, _ []memory.Found) error { return printFound(out, r, moment.Now()) }
		return listing.Print(t, c.JSON, r, r.Found, text, c.nothing(r))
	})
}

// nothing says that nothing was found, and what was not searched.
func (c *searchCmd) nothing(r memory.Result) string {
	switch {
	case r.Keywords == "":
		return "nothing in memory matches"
	case memory.Mode(c.Mode) == memory.Vector:
		return "nothing in memory can be found by vector: " + r.Keywords
	default:
		return "nothing in memory matches, by keyword only: " + r.Keywords
	}
}

// printFound prints the entries, each with the reasons for its rank.
func printFound(out io.Writer, r memory.Result, now fsm.Millis) error {
	for i, f := range r.Found {
		about := []string{f.ID, string(f.Kind)}
		if f.Session != "" {
			about = append(about, "session "+f.Session)
		}
		about = append(about, history.Span(now-f.At)+" ago")
		fmt.Fprintf(out, "%d. %s\n", i+1, terminal.Printable(strings.Join(about, ", ")))
		fmt.Fprintf(out, "   %s\n", terminal.Printable(explained(f)))
		fmt.Fprintf(out, "   %s\n", terminal.Printable(terminal.Cut(f.Summary, summaryShown)))
	}
	if r.Keywords != "" {
		fmt.Fprintln(out, terminal.Printable("found by keyword only: "+r.Keywords))
	}
	return nil
}

// Bounds of what is shown of a found entry.
const (
	summaryShown = 200 // characters
	termsShown   = 8
)

// explained is a score with its reasons:
//
//	0.0325 = keyword #2 (disk, web1; 4.1) + vector #1 (cos 0.82)
func explained(f memory.Found) string {
	var parts []string
	if f.Keyword != nil {
		terms := f.Keyword.Terms
		if len(terms) > termsShown {
			terms = append(terms[:termsShown:termsShown], "…")
		}
		parts = append(parts, fmt.Sprintf("keyword #%d (%s; %.1f)", f.Keyword.Rank, strings.Join(terms, ", "), f.Keyword.Score))
	}
	if f.Vector != nil {
		parts = append(parts, fmt.Sprintf("vector #%d (cos %.2f)", f.Vector.Rank, f.Vector.Cosine))
	}
	sum := strings.Join(parts, " + ")
	if f.Age != 1 {
		if len(parts) > 1 {
			sum = "(" + sum + ")"
		}
		sum += fmt.Sprintf(" × age %.2g", f.Age)
	}
	if f.Pending {
		sum += "; not embedded yet"
	}
	return fmt.Sprintf("%.4f = %s", f.Score, sum)
}
