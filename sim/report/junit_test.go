package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
)

// junitRules are what junit-10.xsd of Jenkins' xUnit plugin allows of the elements
// that are used here, with file and line of a test case, which it does not have.
var junitRules = map[string]struct {
	children, must, may []string
}{
	"testsuites": {[]string{"testsuite"}, nil, []string{"name", "time", "tests", "failures", "errors"}},
	"testsuite":  {[]string{"testcase"}, []string{"name", "tests", "failures", "errors"}, []string{"time", "skipped", "file"}},
	"testcase":   {[]string{"failure", "error", "skipped", "system-out"}, []string{"name"}, []string{"classname", "time", "file", "line"}},
	"failure":    {nil, nil, []string{"message", "type"}},
	"error":      {nil, nil, []string{"message", "type"}},
	"skipped":    {nil, nil, []string{"message", "type"}},
	"system-out": {nil, nil, nil},
}

// checkJUnit parses a JUnit file and holds it against the rules.
func checkJUnit(t *testing.T, text []byte) {
	t.Helper()
	var open []string
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if len(open) == 0 && name != "testsuites" || len(open) > 0 && !slices.Contains(junitRules[open[len(open)-1]].children, name) {
				t.Errorf("%s in %v", name, open)
			}
			rule := junitRules[name]
			var has []string
			for _, a := range token.Attr {
				has = append(has, a.Name.Local)
				if !slices.Contains(rule.must, a.Name.Local) && !slices.Contains(rule.may, a.Name.Local) {
					t.Errorf("%s has %s", name, a.Name.Local)
				}
				if a.Name.Local == "time" && !regexp.MustCompile(`^[0-9]+\.[0-9]*$`).MatchString(a.Value) {
					t.Errorf("time %s", a.Value)
				}
			}
			for _, must := range rule.must {
				if !slices.Contains(has, must) {
					t.Errorf("%s has no %s", name, must)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

func junit(t *testing.T, r *Run) (text string, doc junitSuites) {
	t.Helper()
	var out bytes.Buffer
	must(t, JUnit(&out, r))
	checkJUnit(t, out.Bytes())
	must(t, xml.Unmarshal(out.Bytes(), &doc))
	return out.String(), doc
}

// UnmarshalText implements [encoding.TextUnmarshaler], for the tests.
func (s *seconds) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text) + "s")
	*s = seconds(d)
	return err
}

func TestSCN42JUnitHasACaseOfEachKind(t *testing.T) {
	all := cases(t)
	all[1].Took = 61*time.Second + 1500*time.Microsecond
	text, doc := junit(t, &Run{Cases: all, Took: 2 * time.Minute})
	if doc.Tests != 6 || doc.Failures != 2 || doc.Errors != 2 || len(doc.Suites) != 6 || time.Duration(doc.Time) != 2*time.Minute {
		t.Errorf("counts: %+v", doc)
	}
	got := map[string]string{}
	var failures, errored, skipped int
	for _, s := range doc.Suites {
		failures, errored, skipped = failures+s.Failures, errored+s.Errors, skipped+s.Skipped
		for _, c := range s.Cases {
			for kind, r := range map[string]*junitResult{"failure": c.Failure, "error": c.Error, "skipped": c.Skipped} {
				if r != nil {
					got[c.Classname+" "+c.Name] = kind + " " + r.Type + " " + r.Message
				}
			}
		}
	}
	if failures != 2 || errored != 2 || skipped != 1 {
		t.Errorf("in the suites %d failures, %d errors, %d skipped", failures, errored, skipped)
	}
	want := map[string]string{
		"b fails":               `failure expectation expect.replies[0]: want "<a>", got "b" (and 1 more)`,
		"bad bad.scenario.yaml": "error load expekt: unknown key expekt; did you mean expect? (and 1 more)",
		"c breaks":              "error play c.scenario.yaml: no rest",
		"d waits":               "skipped  no model answers",
		"e varies":              "failure differs two runs gave two traces",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	failing := doc.Suites[1].Cases[0]
	if failing.File != "b.scenario.yaml" || failing.Line != 1 || !strings.Contains(text, ` time="61.001"`) || failing.Failure.Text != "\n"+prettyFailed {
		t.Errorf("got %+v %q, %q; want File %q, Line 1, text with %q, %q", failing, failing.Failure.Text, text, "b.scenario.yaml", ` time="61.001"`, "\n"+prettyFailed)
	}
}

// One file is one suite; GitLab would show one only of two cases with one name.
func TestSCN42JUnitGroupsByFile(t *testing.T) {
	one := func(file, name string) Case { return Case{Outcome: scenario.Outcome{File: file, Name: name, Line: 1}} }
	_, doc := junit(t, &Run{Cases: []Case{
		one("scenarios/v1.2/a.scenario.yaml", "twice"), one("scenarios/v1.2/a.scenario.yaml", "twice"), one("../b.scenario.yaml", "twice"),
	}})
	if len(doc.Suites) != 2 || doc.Suites[0].Tests != 2 || doc.Suites[0].Name != "scenarios/v1.2/a.scenario.yaml" {
		t.Fatalf("got %+v; want 2 Suites, Suites[0].Tests 2, Suites[0].Name %q", doc, "scenarios/v1.2/a.scenario.yaml")
	}
	a, b, other := doc.Suites[0].Cases[0], doc.Suites[0].Cases[1], doc.Suites[1].Cases[0]
	if a.Classname != "scenarios.v1_2.a" || a.Name != "twice" || b.Name != "twice (2)" || other.Classname != "__.b" || other.Name != "twice" {
		t.Errorf("got %+v\n%+v\n%+v; want Classname %q, Name %q and %q, and Classname %q, Name %q", a, b, other, "scenarios.v1_2.a", "twice", "twice (2)", "__.b", "twice")
	}
}

func TestSCN42JUnitMendsWhatXMLForbids(t *testing.T) {
	evil := "a\x00b\x1b[31m\xff\xfe ]]> <x> & \" ' \ufffe \U0001F600\ttab\nline"
	text, doc := junit(t, &Run{Cases: []Case{
		{Outcome: scenario.Outcome{File: evil + ".scenario.yaml", Name: evil, Line: 1, Failures: []judge.Failure{{Name: evil, File: evil, Text: evil, Want: evil, Got: evil}}}},
		{Outcome: scenario.Outcome{File: "x", Name: evil, Err: errors.New(evil)}},
		{Outcome: scenario.Outcome{File: "y", Name: evil, Skipped: evil}},
	}})
	for _, r := range text {
		if r < 0x20 && r != '\n' && r != '\t' {
			t.Errorf("%U is in the file", r)
		}
	}
	got := doc.Suites[0].Cases[0].Failure.Text
	if !strings.Contains(got, "a\ufffdb\ufffd[31m\ufffd ]]> <x> & \" ' \ufffd \U0001F600") {
		t.Errorf("got %q; want one with %q", got, "a\ufffdb\ufffd[31m\ufffd ]]> <x> & \" ' \ufffd \U0001F600")
	}
}
