package htmlreport_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/trace"
)

// hostile is markup that would run or load something wherever it is not escaped.
const hostile = `"'></pre></script></style></title><script>window.__pwned=1</script><img src="http://evil.example/x" onerror="window.__pwned=2"><svg onload=window.__pwned=3><a href="javascript:window.__pwned=4">{{.}}` + "`${1}`"

// filled is a value of a type in which each text is s, and each list has two members.
func filled[T any](s string) T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), s)
	return v
}

func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), s)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), s)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), s)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	}
}

// document has s wherever a text can be; steps are numbered.
func document(s string, steps int) *htmlreport.Document {
	d := filled[htmlreport.Document](s)
	d.Visits = trace.Sum{trace.Key("handle", "queued", "start"): 3}
	d.Cases = d.Cases[:1]
	c := &d.Cases[0]
	c.Steps = nil
	for n := range steps {
		step := filled[trace.Step](s)
		step.N, step.At = n+1, fsm.Millis(n*n)
		for i := range step.Effects {
			step.Effects[i].Call = fsm.CallID(n + 1)
			step.Effects[i].Sent.BaseStep = 1
		}
		c.Steps = append(c.Steps, step)
	}
	c.Ran = steps
	return &d
}

func written(t *testing.T, d *htmlreport.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := htmlreport.Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// each calls visit for each element of a page.
func each(t *testing.T, page string, visit func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			visit(n)
		}
	}
}

// SIM-32: nothing that was said becomes markup, in the page and in the details that a
// script shows, and nothing is loaded from anywhere.
func TestSIM32AHostileTranscriptStaysText(t *testing.T) {
	for _, steps := range []int{3, 401} {
		page := written(t, document(hostile, steps))
		scripts, styles := 0, 0
		check := func(n *html.Node) {
			switch n.Data {
			case "script":
				scripts++
			case "style":
				styles++
			case "img", "iframe", "object", "embed", "link", "base", "video", "audio", "source":
				t.Errorf("there is an element %s", n.Data)
			}
			for _, a := range n.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "src", a.Key == "srcdoc":
					t.Errorf("%s has an attribute %s", n.Data, a.Key)
				case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
					t.Errorf("%s leads to %s", n.Data, a.Val)
				}
			}
		}
		each(t, page, check)
		wanted := 1
		if steps > 400 {
			wanted = 2 // the data
			body := regexp.MustCompile(`(?s)<script type="application/json" id="details">(.*?)</script>`).FindStringSubmatch(page)
			if len(body) == 0 || strings.Contains(body[1], "<") {
				t.Fatal("the data are not there, or have markup")
			}
			for _, details := range unpacked(t, body[1]) {
				each(t, details, check)
			}
		}
		if scripts != wanted || styles != 1 {
			t.Errorf("%d steps: %d scripts and %d styles", steps, scripts, styles)
		}
		if !strings.Contains(page, "window.__pwned") {
			t.Error("what was said is not there")
		}
		policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-[^"]*&#39;; script-src &#39;sha256-[^"]*&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">`)
		if !policy.MatchString(page) {
			t.Error("there is no such policy")
		}
	}
}

// What turns the direction of text round, or controls a terminal, is seen, in the page and in the
// details that a script shows.
func TestAPR22AReportShowsWhatIsNotSeen(t *testing.T) {
	for _, steps := range []int{3, 401} {
		page := written(t, document("rm \u202ecod.txt\x1b[2J\rיום\n\tend", steps))
		texts := []string{page}
		if steps > 400 {
			body := regexp.MustCompile(`(?s)<script type="application/json" id="details">(.*?)</script>`).FindStringSubmatch(page)
			texts = append(texts, unpacked(t, body[1])...)
		}
		for _, text := range texts {
			if strings.ContainsAny(text, "\u202e\x1b\r") || !strings.Contains(text, `rm \u202ecod.txt\x1b[2J\r`+"יום\n\tend") {
				t.Fatalf("%d steps: of the text is left:\n%.2000s", steps, text)
			}
		}
	}
}

// unpacked are the details of the steps in the data of a page.
func unpacked(t *testing.T, data string) (all []string) {
	t.Helper()
	var packed map[string][]string
	if err := json.Unmarshal([]byte(data), &packed); err != nil {
		t.Fatal(err)
	}
	for _, part := range packed["c1"] {
		b, err := base64.StdEncoding.DecodeString(part)
		if err != nil {
			t.Fatal(err)
		}
		var details []string
		if err := json.NewDecoder(flate.NewReader(bytes.NewReader(b))).Decode(&details); err != nil {
			t.Fatal(err)
		}
		all = append(all, details...)
	}
	if len(all) != 401 {
		t.Errorf("the details of %d steps", len(all))
	}
	return all
}

// SIM-32: each link leads to something, and no two things have one name.
func TestSIM32LinksLeadSomewhere(t *testing.T) {
	ids, links := map[string]bool{}, map[string]bool{}
	d := document("x", 5)
	d.Cases = append(d.Cases, d.Cases[0])
	each(t, written(t, d), func(n *html.Node) {
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("two elements are %s", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "href" || a.Key == "aria-labelledby":
				links[strings.TrimPrefix(a.Val, "#")] = true
			}
		}
	})
	for to := range links {
		if !ids[to] {
			t.Errorf("nothing is %s", to)
		}
	}
	if len(links) < 10 {
		t.Errorf("%d links", len(links))
	}
}

// SIM-32: without scripts all of a small file is there, of a large one a line of each step.
func TestSIM32AReportIsReadWithoutScripts(t *testing.T) {
	for _, steps := range []int{3, 401} {
		lines, bodies := 0, 0
		each(t, written(t, document("what was said", steps)), func(n *html.Node) {
			for _, a := range n.Attr {
				if a.Key == "class" && a.Val == "w" && n.LastChild != nil && strings.Contains(n.LastChild.Data, "what was said") {
					lines++
				}
				if a.Key == "class" && a.Val == "changes" {
					bodies++
				}
			}
		})
		if lines != steps || (bodies == steps) != (steps <= 400) {
			t.Errorf("%d steps: %d lines, %d details", steps, lines, bodies)
		}
	}
}

// SIM-33: an idle gap is folded, and marked with what was left out.
func TestSIM33IdleGapsAreFolded(t *testing.T) {
	d := document("x", 6)
	for i, at := range []fsm.Millis{0, 100, 200, 300, 3_600_300, 3_600_400} {
		d.Cases[0].Steps[i].At = at
	}
	d.Cases[0].Start = 0
	page := written(t, d)
	if !strings.Contains(page, "1h00m in which nothing happened, folded") {
		t.Error("the gap is not marked")
	}
	x := regexp.MustCompile(`data-x="([0-9.]+)"`).FindAllStringSubmatch(page, -1)
	var xs []float64
	for _, m := range x {
		var f float64
		fmt.Sscan(m[1], &f)
		xs = append(xs, f)
	}
	if len(xs) != 6 || xs[4]-xs[3] > 5*(xs[1]-xs[0]) || xs[4]-xs[3] <= xs[1]-xs[0] {
		t.Errorf("the steps stand at %v", xs)
	}
}

// SIM-33: a handle has its first state from its first step on, and after a start the one that it still has.
func TestSIM33AHandleIsInAStateBeforeItsFirstTransition(t *testing.T) {
	d := document("x", 7)
	steps := d.Cases[0].Steps
	for i := range steps {
		steps[i] = trace.Step{N: i + 1, At: fsm.Millis(100 * i), Input: trace.Input{Kind: "stored"}}
	}
	move := func(from, to fsm.State) []trace.Move {
		return []trace.Move{{Table: state.HandleTable.Name, Handle: 4, Kind: fsm.KindUser, From: from, To: to}}
	}
	steps[1].Handle = 4
	steps[2].Moves = move(state.Queued, state.Parked)
	steps[3].Input.Kind = "boot"
	steps[4].Moves = move(state.Parked, state.Queued)
	steps[5].Moves = move(state.Queued, state.Done)
	page := written(t, d)
	for _, want := range []string{"step 2: user 4: queued<", "step 3: user 4: parked<", "step 4: user 4: parked<", "step 5: user 4: queued<", "step 6: done<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the lanes have no %q", want)
		}
	}
}

func TestSIM34WhatWasNeverTakenSaysSo(t *testing.T) {
	page := written(t, document("x", 1))
	for _, want := range []string{"queued → loading on start: taken 3×", "loading: visited 3×", "→ cancelled on cancel", ": never taken", "Never visited: ", "<td class=\"num\">never</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q", want)
		}
	}
}

// SIM-35: two texts stand beside each other, line by line.
func TestSIM35TwoTextsStandSideBySide(t *testing.T) {
	d := document("x", 1)
	d.Cases[0].Pairs = []htmlreport.Pair{{Title: "T", Left: htmlreport.Side{Title: "L", Text: "a\nb\nc\n"}, Right: htmlreport.Side{Title: "R", Text: "a\nB\nd\nc\n"}}}
	page := written(t, d)
	want := `<tr class="same"><td>a</td><td>a</td></tr><tr class="other"><td>b</td><td>B</td></tr><tr class="other"><td class="nothing"></td><td>d</td></tr><tr class="same"><td>c</td><td>c</td></tr>`
	if !strings.Contains(page, want) {
		t.Errorf("no %s", want)
	}
	long := strings.Repeat("x\n", 1000)
	d.Cases[0].Pairs[0].Left.Text, d.Cases[0].Pairs[0].Right.Text = long+"last", long+"end"
	if page = written(t, d); !strings.Contains(page, `<tr class="other"><td>last</td><td>end</td></tr>`) {
		t.Error("the end of two long texts is not shown")
	}
	d.Cases[0].Seeds = []htmlreport.Seed{{N: 7, Holds: true, Steps: 3}, {N: 8, Steps: 1}}
	page = written(t, d)
	for _, want := range []string{"seed 7 held, 3 steps", "seed 8 failed, 1 step"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestSIM32EqualRunsGiveEqualBytes(t *testing.T) {
	first, second := written(t, document("x", 20)), written(t, document("x", 20))
	if first != second {
		t.Error("they differ")
	}
}
