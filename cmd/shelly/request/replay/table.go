package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/history/regression"
)

// decisionRunesMax is how many characters of a decision its row shows.
const decisionRunesMax = 36

// Table writes a report for people: the cases, the differences first, then the totals. With
// verbose it shows both decisions of a difference in full.
func Table(w io.Writer, r *regression.Report, verbose bool) {
	rows := [][]string{{"REQUEST", "STEP", "PURPOSE", held(r), r.Model.Name, "CLASS"}}
	for _, c := range r.Cases {
		rows = append(rows, row(c))
	}
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for i, cells := range rows {
		if len(r.Cases) > 0 {
			line := ""
			for n, cell := range cells {
				line += cell + strings.Repeat(" ", widths[n]-len([]rune(cell))+2)
			}
			fmt.Fprintln(w, strings.TrimRight(line, " "))
		}
		if i > 0 && verbose && r.Cases[i-1].Differs() {
			both(w, held(r), r.Model.Name, r.Cases[i-1])
		}
	}
	totals(w, r)
}

// held names what the model is compared with.
func held(r *regression.Report) string {
	if r.Against != nil {
		return r.Against.Name
	}
	return "recorded"
}

func row(c regression.Case) []string {
	name, step := c.Request, fmt.Sprintf("%d", c.Step)
	if name == "" {
		name = fmt.Sprintf("(%s %d)", c.Kind, c.Handle)
	}
	if c.Step == 0 {
		step = fmt.Sprintf("record %d", c.Record)
	}
	return []string{wording.OneLine(name), step, string(c.Purpose), short(c.Against), short(shown(c).Decision), classWords(c)}
}

// shown returns the run that represents a case: the first of its class.
func shown(c regression.Case) regression.Run {
	for _, run := range c.Runs {
		if run.Class == c.Class {
			return run
		}
	}
	return c.Runs[0]
}

func classWords(c regression.Case) string {
	run := shown(c)
	words := string(c.Class)
	if len(run.Keys) > 0 {
		words += " " + wording.OneLine(strings.Join(run.Keys, " "))
	}
	if run.Alike != nil {
		words += fmt.Sprintf(" (%d %% of the words)", *run.Alike)
	}
	if len(c.Runs) > 1 {
		words += fmt.Sprintf(", %d of %d same", c.Same, len(c.Runs))
	}
	if c.Differs() && !c.First {
		words += ", after a difference"
	}
	return words
}

func short(d regression.Decision) string {
	text := []rune(wording.OneLine(d.String()))
	if len(text) > decisionRunesMax {
		return string(text[:decisionRunesMax-1]) + "…"
	}
	return string(text)
}

// both prints the decisions of a difference in full.
func both(w io.Writer, against, model string, c regression.Case) {
	whole(w, against, c.Against)
	for _, run := range c.Runs {
		if run.Class != regression.Same {
			whole(w, model, run.Decision)
		}
	}
}

func whole(w io.Writer, name string, d regression.Decision) {
	fmt.Fprintf(w, "    %s: %s\n", name, verdict(d))
	for _, call := range d.Calls {
		fmt.Fprintf(w, "      %s %s\n", wording.OneLine(call.Name), wording.OneLine(call.Args))
	}
	for line := range strings.Lines(d.Text) {
		fmt.Fprintf(w, "      | %s\n", wording.OneLine(strings.TrimRight(line, "\n")))
	}
}

func verdict(d regression.Decision) string {
	if d.Class != "" {
		return string(d.Verdict) + ", " + string(d.Class)
	}
	return string(d.Verdict)
}

// totals prints the totals of the cases.
func totals(w io.Writer, r *regression.Report) {
	t := r.Totals
	fmt.Fprintf(w, "\n%d of %d answers decide the same, %d %%", t.Same, t.Answers, t.Percent())
	for _, c := range t.Classes {
		if c.Class != regression.Same {
			fmt.Fprintf(w, "; %s %d", c.Class, c.Answers)
		}
	}
	fmt.Fprintf(w, "\n%d of %d requests differ", t.Parted, t.Requests)
	for i, c := range t.First {
		fmt.Fprintf(w, "%s %s %d", []string{", their first difference:", ";"}[min(i, 1)], c.Class, c.Answers)
	}
	fmt.Fprintln(w)
	if t.Alike != nil {
		fmt.Fprintf(w, "texts have %d %% of their words in common (median)\n", t.Alike.Median)
	}
	for _, c := range t.Tools {
		if c.Against != c.Now {
			fmt.Fprintf(w, "  %s → %s: %d\n", wording.OneLine(c.Against), wording.OneLine(c.Now), c.Answers)
		}
	}
	shares(w, "purpose", t.Purposes)
	shares(w, "session", t.Sessions)
	for _, d := range t.Spent {
		fmt.Fprintf(w, "%s: prompt %d tokens, answer %d, time %d ms (median); %d, %d, %d ms (95 %%)\n", d.Model,
			d.Prompt.Median, d.Answer.Median, d.Took.Median, d.Prompt.P95, d.Answer.P95, d.Took.P95)
	}
	for _, note := range notes(r) {
		fmt.Fprintln(w, note)
	}
}

// shares prints a list of shares if it has more than one.
func shares(w io.Writer, what string, list []regression.Share) {
	if len(list) < 2 {
		return
	}
	for _, s := range list {
		fmt.Fprintf(w, "  %s %s: %d of %d the same\n", what, wording.OneLine(s.Name), s.Same, s.Answers)
	}
}

// notes lists what the figures leave out.
func notes(r *regression.Report) []string {
	var list []string
	var models []string
	for _, c := range r.Cases {
		if c.Model != (fsm.Model{}) && !slices.Contains(models, c.Model.String()) {
			models = append(models, c.Model.String())
		}
	}
	if len(models) > 0 {
		list = append(list, "the recorded answers come from "+strings.Join(models, ", "))
	}
	if r.Unanswered > 0 {
		list = append(list, fmt.Sprintf("not asked, because they have no recorded answer: %s", wording.Count(r.Unanswered, "question")))
	}
	for _, u := range r.Unasked {
		list = append(list, fmt.Sprintf("not asked: record %d: %s", u.Record, u.Reason))
	}
	if r.Left > 0 {
		list = append(list, fmt.Sprintf("left: %s; run it again to continue", wording.Count(r.Left, "question")))
	}
	return list
}
