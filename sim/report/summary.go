package report

import (
	"fmt"
	"strings"

	"shelly/fsm/wording"
)

// StepSummary is the page on a run that GitHub shows after the jobs, in Markdown: the
// counts, a table of what did not pass, and the whole text of each (SCN-43). It has at
// most bytesMax bytes: what has no room is left out, and the page says so. It is empty
// where not even that has room.
func StepSummary(r *Run, path func(file string) string, bytesMax int) string {
	p := page{bytesMax: bytesMax - summaryNoteBytes}
	if !p.add("### shelly test: " + markdown(Summary(r)) + "\n\n") {
		return ""
	}
	if r.Coverage != nil && !p.add("<pre>\n"+html(r.Coverage.String())+"</pre>\n\n") {
		p.note("There is no room here for the coverage: the log has it.\n\n")
	}
	var wrong []*Case
	for i := range r.Cases {
		if c := &r.Cases[i]; c.Status().Fails() {
			wrong = append(wrong, c)
		}
	}
	if len(wrong) == 0 {
		return p.String()
	}
	rows, texts := 0, 0
	if p.add("| case | place | what is wrong |\n| --- | --- | --- |\n") {
		half := page{bytesMax: (p.bytesMax - p.Len()) / 2} // the texts need room, too
		for rows < len(wrong) && half.add(tableRow(wrong[rows], path)) {
			rows++
		}
		p.add(half.String())
	}
	for texts < rows && p.add(details(wrong[texts])) {
		texts++
	}
	if texts < len(wrong) {
		p.note(fmt.Sprintf("\nThere is no room here for %d of %d rows and %d of %d texts: the log has them all.\n",
			len(wrong)-rows, len(wrong), len(wrong)-texts, len(wrong)))
	}
	return p.String()
}

// cellBytesMax is how much of what is wrong a row of the table shows.
const cellBytesMax = 300

// summaryNoteBytes is room for what the page says of what it leaves out.
const summaryNoteBytes = 200

// page is a text that takes parts as long as they have room.
type page struct {
	strings.Builder
	bytesMax int
}

func (p *page) add(part string) bool {
	if p.Len()+len(part) > p.bytesMax {
		return false
	}
	p.WriteString(part)
	return true
}

// note adds what the page says of what it leaves out, for which room is kept.
func (p *page) note(text string) {
	p.WriteString(text)
	p.bytesMax += len(text)
}

func tableRow(c *Case, path func(string) string) string {
	file, at := c.place()
	place := path(file)
	if at.Line > 0 {
		place += fmt.Sprintf(":%d", at.Line)
	}
	return fmt.Sprintf("| %s | %s | %s |\n", markdown(c.Title()), markdown(place), markdown(wording.Clip(c.headline(), cellBytesMax)))
}

func details(c *Case) string {
	return "\n<details><summary>" + html(wording.OneLine(c.Title())) + "</summary>\n\n<pre>\n" + html(c.text()) + "</pre>\n\n</details>\n\n" // the next page in the same file begins after an empty line
}

// html is a text with nothing in it that is a tag, or that is not seen (APR-22).
func html(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(wording.Visible(xmlText(text)))
}

// markdown is a text on one line with nothing in it that Markdown or a table reads
// in another way: such characters become numbers.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range xmlText(wording.OneLine(text)) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~@&$^", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
