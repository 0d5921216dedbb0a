package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
)

func below(file string) string { return "repo/" + file }

const wantAnnotations = `::error file=repo/b.scenario.yaml,line=7,col=13,title=fails (seed 7)::expect.replies[0]: want "<a>", got "b" (and 1 more)%0Ashelly test b.scenario.yaml:1 --seed 7
::error file=repo/bad.scenario.yaml,line=3,col=1,title=bad.scenario.yaml::expekt: unknown key expekt; did you mean expect? (and 1 more)%0Ashelly test bad.scenario.yaml
::error file=repo/c.scenario.yaml,line=2,title=breaks::c.scenario.yaml: no rest%0Ashelly test c.scenario.yaml:2
::error file=repo/e.scenario.yaml,line=1,title=varies::two runs gave two traces%0Ashelly test e.scenario.yaml:1 --twice
`

func TestSCN43AnnotationsStandAtTheFirstFailure(t *testing.T) {
	var out bytes.Buffer
	must(t, Annotations(&out, &Run{Cases: cases(t)}, below))
	if diff := cmp.Diff(wantAnnotations, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSCN43AnnotationsAreEscapedAndFew(t *testing.T) {
	evil := Case{Outcome: scenario.Outcome{
		File: "a,b:c%\n.yaml", Line: 3, Name: "50%: a, b\r\n::error::x", Err: errors.New("100%\n::warning::y\r"),
	}}
	r := &Run{}
	for range annotationsMax + 5 {
		r.Cases = append(r.Cases, evil)
	}
	var out bytes.Buffer
	must(t, Annotations(&out, r, func(f string) string { return f }))
	want := "::error file=a%2Cb%3Ac%25%0A.yaml,line=3,title=50%25%3A a%2C b  %3A%3Aerror%3A%3Ax::100%25 (and 1 more)%0Ashelly test 'a,b:c%25%0A.yaml:3'\n"
	if got := out.String(); got != strings.Repeat(want, annotationsMax) {
		t.Errorf("got\n%s; want %d times\n%s", got, annotationsMax, want)
	}
}

// commands returns the workflow commands that the runner would take from a log: a
// line that begins, after blanks, with "::", or that holds "##[".
func commands(log string) []string {
	var taken []string
	token := ""
	for line := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		trimmed := strings.TrimSpace(line)
		switch {
		case token != "" && trimmed == "::"+token+"::":
			token = ""
		case token != "":
		case strings.HasPrefix(trimmed, "::stop-commands::"):
			token = strings.TrimPrefix(trimmed, "::stop-commands::")
		case strings.HasPrefix(trimmed, "::"), strings.Contains(line, "##["):
			taken = append(taken, line)
		}
	}
	if token != "" {
		taken = append(taken, "stop-commands without an end")
	}
	return taken
}

func TestSCN43NothingThatACaseSaysIsACommand(t *testing.T) {
	for _, evil := range []string{
		"::error::x", " \t::set-env name=PATH::x", "text\n::error::x", "text ##[error]x", "::stop-commands::mine",
		"::stop-commands::mine\n::mine::\n::error::x",
	} {
		failing := Case{Outcome: scenario.Outcome{Name: evil, File: evil, Failures: []judge.Failure{{
			Name: evil, File: evil, Text: "\n" + evil, Want: evil, Got: "\n" + evil, Trace: []string{evil}, Frame: evil + "\n",
		}}}}
		broken := Case{Outcome: scenario.Outcome{Name: evil, File: evil, Err: errors.New(evil)}}
		r := &Run{Cases: []Case{failing, broken, failing, broken}}
		var open, out bytes.Buffer
		must(t, errors.Join(pretty(&open, r, Options{Broken: true}), pretty(Guard(&out), r, Options{Broken: true})))
		if len(commands(open.String())) == 0 {
			t.Errorf("%q is not a command even without a guard", evil)
		}
		if taken := commands(out.String()); len(taken) > 0 {
			t.Errorf("%q: the runner takes %q", evil, taken)
		}
	}
	var out bytes.Buffer
	if _, err := Guard(&out).Write([]byte("text\r::error::x\n")); err != nil || len(commands(out.String())) > 0 {
		t.Errorf("got %q, %v; want no command", out.String(), err)
	}
	out.Reset()
	if n, err := Guard(&out).Write([]byte("4 passed\n")); n != 9 || err != nil || out.String() != "4 passed\n" {
		t.Errorf("got %d, %v, %q; want 9 and %q", n, err, out.String(), "4 passed\n")
	}
}

func TestSCN43TheStepSummaryHasATableAndTheTexts(t *testing.T) {
	got := StepSummary(&Run{Cases: cases(t)}, below, 1<<20)
	for _, want := range []string{
		"### shelly test: 1 passed, 1 failed, 1 with two traces, 2 not judged, 1 skipped\n\n| case | place |",
		"| fails &#40;seed 7&#41; | repo/b.scenario.yaml:7 | expect.replies&#91;0&#93;: want \"&#60;a&#62;\", got \"b\" &#40;and 1 more&#41; |\n",
		"<details><summary>fails (seed 7)</summary>\n\n<pre>\nFAIL fails (seed 7)\n",
		"  - want \"&lt;a&gt;\"\n",
		"<details><summary>varies</summary>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "no room") || strings.Count(got, "<pre>") != strings.Count(got, "</details>") {
		t.Errorf("got\n%s; want no %q, and as many <pre> as </details>", got, "no room")
	}
	got = StepSummary(&Run{Cases: cases(t)[:1], Coverage: &Coverage{NoRules: "none"}}, below, 1<<20)
	if !strings.HasPrefix(got, "### shelly test: 1 passed, 0 failed\n\n<pre>\ncoverage:\n") || strings.Contains(got, "| case") {
		t.Errorf("got\n%s; want its beginning with the coverage, and no table", got)
	}
}

// A name or a text cannot become markup.
// Several runs of a step write one page: what comes after a text is Markdown again, which a line
// right after </details> is not.
func TestSCN43APageCanFollowAPage(t *testing.T) {
	one := StepSummary(&Run{Cases: cases(t)}, below, 1<<20)
	if !strings.Contains(one+one, "</details>\n\n### shelly test") {
		t.Errorf("the page ends with %q", one[max(0, len(one)-40):])
	}
}

func TestSCN43TheStepSummaryIsEscaped(t *testing.T) {
	evil := "a|b </pre></details><script> [x](y) @me #1 `c` *d*\n| e |"
	got := StepSummary(&Run{Cases: []Case{{Outcome: scenario.Outcome{Name: evil, File: evil, Err: errors.New(evil)}}}}, below, 1<<20)
	for _, bad := range []string{"<script>", "[x]", "@me", "a|b", "*d*"} {
		table, rest, _ := strings.Cut(got, "<details>")
		if strings.Contains(table, bad) || strings.Contains(rest, "<script>") {
			t.Errorf("%q in\n%s", bad, got)
		}
	}
	if strings.Count(got, "</details>") != 1 || strings.Count(got, "</pre>") != 1 {
		t.Errorf("got\n%s; want 1 </details> and 1 </pre>", got)
	}
}

func TestSCN43APageWithoutRoomForTheCoverageSaysSo(t *testing.T) {
	r := &Run{Cases: cases(t), Coverage: &Coverage{NoRules: strings.Repeat("no rules ", 1000)}}
	const note = "There is no room here for the coverage: the log has it.\n"
	for bytesMax, without := range map[int]bool{300: true, 5000: true, 1 << 20: false} {
		got := StepSummary(r, below, bytesMax)
		if len(got) > bytesMax || strings.Contains(got, note) != without || strings.Contains(got, "<pre>\n") != strings.Contains(got, "</pre>") {
			t.Errorf("at most %d: %d bytes; want the note: %v\n%.400s", bytesMax, len(got), without, got)
		}
	}
}

func TestSCN43TheStepSummaryIsBounded(t *testing.T) {
	r := &Run{}
	for n := range 3000 {
		r.Cases = append(r.Cases, Case{Outcome: scenario.Outcome{
			Name: fmt.Sprintf("case %d", n), File: "a.scenario.yaml", Line: n + 1, Err: errors.New(strings.Repeat("long ", 200)),
		}})
	}
	for _, bytesMax := range []int{0, 100, 300, 5000, 100_000, 1 << 20} {
		got := StepSummary(r, below, bytesMax)
		if len(got) > bytesMax || bytesMax >= 300 && !strings.Contains(got, "There is no room here for ") {
			t.Errorf("at most %d: %d bytes, ending in %q", bytesMax, len(got), got[max(0, len(got)-300):])
		}
		if rows, texts := strings.Count(got, "| case "), strings.Count(got, "<details>"); bytesMax >= 5000 && (rows < 5 || texts == 0) {
			t.Errorf("at most %d: %d rows, %d texts", bytesMax, rows, texts)
		}
		if strings.Count(got, "<details>") != strings.Count(got, "</details>") {
			t.Errorf("at most %d: a text is cut", bytesMax)
		}
	}
}
