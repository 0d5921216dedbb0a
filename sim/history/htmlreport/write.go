package htmlreport

import (
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim/history"
	"shelly/sim/history/stategraph"
	"shelly/sim/history/trace"
)

//go:embed assets
var assets embed.FS

const (
	// inlineMax is up to how many steps in the whole file the details of each stand in
	// place. Beyond, they stand in the file as data, and a script shows them once they are
	// asked for; without scripts the line of each step is there.
	inlineMax = 400
	// dataMax bounds those data, in bytes before they are packed. The details of the steps
	// beyond are left out.
	dataMax = 64 << 20
	// packedTogether is how many steps have their details packed together: a browser
	// unpacks that many when one of them is opened, and lays out that many when one is seen.
	packedTogether = 100
)

// page is what the template is given.
type page struct {
	*Document
	Cases  []caseView
	Index  []caseView // the same, those that make the run fail first
	Graphs []graphView
	Style  template.CSS
	Script template.JS
	Policy string
	Many   bool // cases
	Inline bool
	Data   map[string][]string // the packed details of the steps, by the case's id
	Counts []count
}

type count struct {
	Status string
	N      int
}

type caseView struct {
	*Case
	ID     string
	Open   bool
	Lanes  *lanes
	Lines  []line
	Groups [][]line // the same, in lists that a browser lays out only once they are seen
	Grid   []seedView
}

// line is a step as its line has it.
type line struct {
	*trace.Step
	ID      string
	When    string
	After   string // since the step before
	Brief   string
	Bad     bool
	Met     bool
	X       string
	Details template.HTML // empty: they are data
	Start   fsm.Millis
}

type seedView struct {
	Seed
	Label string
}

// Write writes the report (SIM-32).
func Write(w io.Writer, d *Document) error {
	t, err := parsed()
	if err != nil {
		return err
	}
	style, err := assets.ReadFile("assets/report.css")
	if err != nil {
		return err
	}
	script, err := assets.ReadFile("assets/report.js")
	if err != nil {
		return err
	}
	p := &page{Document: d, Style: template.CSS(style), Script: template.JS(script), Many: len(d.Cases) > 1, Data: map[string][]string{}}
	p.Policy = "default-src 'none'; style-src '" + hashOf(style) + "'; script-src '" + hashOf(script) + "'; base-uri 'none'; form-action 'none'"
	steps := 0
	for i := range d.Cases {
		steps += len(d.Cases[i].Steps)
	}
	p.Inline = steps <= inlineMax
	room := dataMax
	for i := range d.Cases {
		v, err := p.view(t, i, &room)
		if err != nil {
			return err
		}
		p.Cases = append(p.Cases, v)
	}
	p.Index = slices.Clone(p.Cases)
	slices.SortStableFunc(p.Index, func(a, b caseView) int { return order(b.Bad()) - order(a.Bad()) })
	p.Counts = counts(d.Cases)
	if d.Visits != nil {
		for _, table := range state.Tables() {
			g := stategraph.Layout(table, func(r state.Row) int { return d.Visits[trace.Key(table.Name, r.From, string(r.On))] })
			p.Graphs = append(p.Graphs, newGraphView(g))
		}
	}
	return t.ExecuteTemplate(visible{w}, "report.tmpl", p)
}

// visible writes what a template makes of texts. Control characters, and those that turn the direction
// of text round, become escapes as in a terminal (APR-22): the templates have none themselves. A
// template writes each text whole.
type visible struct{ io.Writer }

func (v visible) Write(text []byte) (int, error) {
	if _, err := io.WriteString(v.Writer, wording.Visible(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}

// hashOf names a script or style in a policy (CSP level 3, section 2.3.1).
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func parsed() (*template.Template, error) {
	return template.New("report").Funcs(template.FuncMap{
		"count": wording.Count,
		"side":  sideOf,
		"lines": func(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") },
		"sign":  signOf,
		"none":  func(s string) string { return cmp.Or(s, "–") },
		"half":  func(n int) int { return -n / 2 },
	}).ParseFS(assets, "assets/*.tmpl")
}

// signOf is the class of a line of a unified diff.
func signOf(line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return "ok"
	case strings.HasPrefix(line, "-"):
		return "bad"
	default:
		return "same"
	}
}

// counts are how the cases ended.
func counts(cases []Case) (list []count) {
	for _, status := range []string{Failed, Errored, Differs, Skipped, Passed} {
		n := 0
		for i := range cases {
			if cases[i].Status == status {
				n++
			}
		}
		if n > 0 {
			list = append(list, count{status, n})
		}
	}
	return list
}

func (p *page) view(t *template.Template, i int, room *int) (caseView, error) {
	c := &p.Document.Cases[i]
	v := caseView{Case: c, ID: fmt.Sprintf("c%d", i+1), Open: !p.Many || c.Bad()}
	v.Lanes = newLanes(v.ID, c)
	for _, s := range c.Seeds {
		word := "held"
		if !s.Holds {
			word = "failed"
		}
		v.Grid = append(v.Grid, seedView{s, fmt.Sprintf("seed %d %s, %s", s.N, word, wording.Count(s.Steps, "step"))})
	}
	last := c.Start
	var all []string
	for k := range c.Steps {
		s := &c.Steps[k]
		l := line{
			Step: s, ID: fmt.Sprintf("%s-s%d", v.ID, s.N), When: history.Span(max(0, s.At-c.Start)), After: history.Span(max(0, s.At-last)),
			Brief: brief(s), Start: c.Start, X: v.Lanes.X[k],
		}
		last = s.At
		for _, m := range s.Marks {
			l.Bad, l.Met = l.Bad || m.Bad(), l.Met || !m.Bad()
		}
		details, err := details(t, v.ID, &l, room)
		if err != nil {
			return v, err
		}
		if p.Inline {
			l.Details = template.HTML(details) // of the same template
		} else {
			all = append(all, details)
		}
		v.Lines = append(v.Lines, l)
	}
	v.Groups = slices.Collect(slices.Chunk(v.Lines, packedTogether))
	for part := range slices.Chunk(all, packedTogether) {
		packed, err := pack(part)
		if err != nil {
			return v, err
		}
		p.Data[v.ID] = append(p.Data[v.ID], packed)
	}
	return v, nil
}

// pack is a list of texts as JSON, compressed (RFC 1951), in Base64.
func pack(texts []string) (string, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return "", err
	}
	if err := errors.Join(json.NewEncoder(w).Encode(texts), w.Close()); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// details are what is shown of a step that is opened; nothing once there is no room.
func details(t *template.Template, id string, l *line, room *int) (string, error) {
	if *room <= 0 {
		return "", nil
	}
	var b bytes.Buffer
	err := t.ExecuteTemplate(visible{&b}, "step.tmpl", struct {
		*line
		Case string
	}{l, id})
	*room -= b.Len()
	return b.String(), err
}

// brief is what came of a step on one line.
func brief(s *trace.Step) string {
	var words []string
	for _, m := range s.Moves {
		if m.From == m.To {
			continue
		}
		name := ""
		if m.Table != state.HandleTable.Name {
			name = m.Table + " "
		}
		words = append(words, name+"→ "+string(m.To))
	}
	for _, e := range s.Effects {
		if !e.Minor {
			words = append(words, wording.Clip(wording.OneLine(e.Words), 90))
		}
	}
	return wording.Clip(strings.Join(words, " · "), 280)
}
