//go:build browser_e2e

package runs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/browser"
	"shelly/cmd/shelly/internal/runs"
	"shelly/sim"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

// hostile is a case that fails, with markup in every text that a scenario can have.
const hostile = `scenario: 1
name: 'a look <img src=x onerror="window.__pwned=1"> & </title><script>window.__pwned=1</script>'
tags: [hostile]
profile: default
tools:
  look: [{returns: '</pre><script>window.__pwned=2</script>', effects: idempotent, takes: 2s, times: 2}, {fails: {code: boom, message: '<img src=x onerror=window.__pwned=6>'}}]
brain:
  - {calls: [{tool: look, args: {path: '"><svg onload=window.__pwned=3>'}}], takes: 1s}
  - {calls: [{tool: '<b onclick=window.__pwned=7>', args: {x: '<img src=y onerror=window.__pwned=8>'}}], takes: 1s}
  - {thinks: '<svg/onload=window.__pwned=9>', says: '</script></style><script>window.__pwned=4</script> Done.', takes: 30s}
  - {fails: {code: error, message: '<iframe src="javascript:parent.__pwned=10">'}}
timeline:
  - {user: 'Look </details><iframe srcdoc="<script>parent.__pwned=5</script>">', session: '<svg onload=window.__pwned=11>', id: '<img src=z onerror=window.__pwned=12>'}
  - {at: 5m, user: 'Again?'}
faults: {crash: {at: effect.after, effect: run_tool}}
expect:
  replies: ["</pre><img src=x onerror=window.__pwned=13>", {text: "x"}]
  trace: [{in_order: [{input: requested}, {tool: look}]}]
never: ["tools['look'] == 2"]
`

const holds = `scenario: 1
name: one that holds
profile: shelly
brain: [{says: "It is fine."}]
timeline: [{user: "How is the disk?"}]
expect: {replies: ["It is fine."]}
`

// file writes the report of cases and returns its URL.
func file(t *testing.T, cases ...string) string {
	t.Helper()
	rec := &runs.Recorder{HTML: true, Cases: len(cases)}
	var run report.Run
	for i, yaml := range cases {
		f, err := scenario.Parse("a<b>&"+string(rune('a'+i))+".scenario.yaml", []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		out := f.Run(sim.Options{})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		rec.Take(f, &out)
		out.Result = nil
		run.Cases = append(run.Cases, report.Case{Outcome: out})
	}
	name := filepath.Join(t.TempDir(), "report.html")
	to, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Write(to, &run); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

// clean checks that no part of a transcript ran, and that the browser reports no errors.
func clean(t *testing.T, b *browser.Browser) {
	t.Helper()
	var pwned any
	b.Script(&pwned, "return window.__pwned === undefined ? 'no' : window.__pwned")
	if pwned != "no" {
		t.Errorf("markup in the transcript ran: %v", pwned)
	}
	if said := b.Console(); said != "" {
		t.Errorf("the browser says:\n%s", said)
	}
	var outside int
	b.Script(&outside, "return performance.getEntriesByType('resource').length")
	if outside != 0 {
		t.Errorf("the page loaded %d resources", outside)
	}
}

// text returns the value of an expression in the page.
func text(b *browser.Browser, expression string) (s string) {
	b.Script(&s, "return String("+expression+")")
	return s
}

// SIM-32: a person clicks through a report of a hostile transcript, and no part of it runs.
func TestSIM32AReportIsClickedThrough(t *testing.T) {
	b := browser.Open(t)
	b.Look(1280, 900, false)
	b.Go(file(t, hostile, holds))
	b.See("h1", "shelly test")
	b.See(".status.failed", "failed")
	b.See(".frame", "19 | never: ")

	// From a failure to the step that shows it, and from there with the keys.
	b.Click(".failures a", "step")
	b.See(".step.current .body h4", "Input")
	at := text(b, "location.hash")
	if !strings.HasPrefix(at, "#c1-s") {
		t.Errorf("the address ends in %q", at)
	}
	before := text(b, "document.querySelector('.current').id")
	b.Press("k")
	if now := text(b, "document.querySelector('.current').id"); now == before {
		t.Errorf("k stays at %s", now)
	}
	b.Press("j")
	if now := text(b, "document.querySelector('.current').id"); now != before {
		t.Errorf("after k and j the step is not %s but %s", before, now)
	}
	if tag, _, seen := b.Focused(); tag != "summary" || !seen {
		t.Errorf("the focus is on %s, seen: %v", tag, seen)
	}
	if text(b, "document.querySelector('.cursor').getAttribute('visibility')") != "visible" {
		t.Error("the lanes do not show where the step is")
	}

	// A bar leads to its step.
	b.Script(new(any), "document.querySelector('.lanes rect.model').parentElement.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))")
	b.See(".step.current .effects summary", "sent: ")

	// Filters.
	b.Type(".step-filter", "answered")
	b.Await("fewer steps", func() bool {
		return strings.HasSuffix(text(b, "document.querySelector('.step-count').textContent"), " shown")
	})
	b.Click(".case-status[value=passed]", "")
	b.Gone(".index td", "one that holds")
	b.Type("#case-filter", "nothing has this")
	b.Await("no case", func() bool { return text(b, "document.getElementById('case-count').textContent") == "0 shown" })
	clean(t, b)

	// The target of a link is opened, even in a case that is closed.
	b.Go(strings.TrimSuffix(text(b, "location.href"), text(b, "location.hash")) + "#c2-s3")
	b.Reload()
	b.See("#c2-s3 .body h4", "Input")
	clean(t, b)
}

func TestSIM32AReportIsReadWithoutScripts(t *testing.T) {
	b := browser.Open(t)
	b.Protocol("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	b.Go(file(t, hostile))
	b.See("h1", "shelly test: a look <img")
	b.Click("#c1-s2 summary", "it was accepted")
	b.See("#c1-s2 .body h4", "Transitions")
	if n := b.Count(".script-only", ""); n > 0 {
		t.Errorf("%d controls that need scripts are shown", n)
	}
	b.Picture("report-no-scripts")
}

// SIM-32: a report of ten thousand steps can be opened and stepped through.
func TestSIM32AReportOfTenThousandStepsOpens(t *testing.T) {
	b := browser.Open(t)
	b.Look(1280, 900, false)
	at := file(t, long(1400))
	begin := time.Now()
	b.Go(at)
	b.Await("all steps", func() bool { return text(b, "document.querySelectorAll('.step').length") == "9801" })
	opened := time.Since(begin)
	begin = time.Now()
	for range 50 {
		b.Press("j")
	}
	stepped := time.Since(begin) / 50
	b.Press(browser.Enter)
	b.See(".step.current .body h4", "Input")
	b.Go(at + "#c1-s9000")
	b.See("#c1-s9000 .body h4", "Input")
	clean(t, b)
	b.Picture("report-10000")
	t.Logf("opened in %s, a step in %s", opened.Round(time.Millisecond), stepped.Round(time.Millisecond))
}

// long is a case of n requests, each of seven steps.
func long(n int) string {
	var s strings.Builder
	s.WriteString("scenario: 1\nname: ten thousand steps\nprofile: shelly\ntools: {look: [{returns: a line of a result, effects: none, times: 3000}]}\nbrain:\n")
	for range n {
		s.WriteString("  - {calls: [{tool: look, args: {path: notes}}], takes: 900ms}\n  - {says: \"This is the answer, of a sentence or two.\", takes: 700ms}\n")
	}
	s.WriteString("timeline:\n")
	for i := range n {
		s.WriteString("  - {at: " + (time.Duration(i) * 20 * time.Second).String() + ", user: \"What is in this folder, and why?\"}\n")
	}
	return s.String() + "expect: {replies: [x]}\n"
}

// Screenshots of the report for a person to look at.
func TestSIM32PicturesOfAReport(t *testing.T) {
	b := browser.Open(t)
	at := file(t, hostile, holds)
	for _, look := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 1280, 2400, false}, {"dark", 1280, 2400, true}, {"phone", 390, 2400, false}, {"phone-dark", 390, 2400, true}} {
		b.Look(look.width, look.height, look.dark)
		b.Go(at)
		b.See(".case", "What did not hold")
		b.Picture("report-" + look.name)
		b.Click("#c1-s2 summary", "")
		b.Picture("report-" + look.name + "-step")
		b.Script(new(any), "document.getElementById('graphs').scrollIntoView()")
		b.Picture("report-" + look.name + "-graphs")
		var wide int
		b.Script(&wide, "return document.documentElement.scrollWidth - innerWidth")
		if wide > 0 {
			t.Errorf("%s: the page is %d px wider than the window", look.name, wide)
		}
	}
	clean(t, b)
}
