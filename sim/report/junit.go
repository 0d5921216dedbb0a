package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"shelly/fsm/wording"
)

// The JUnit file is the one that the readers of GitHub, GitLab and Jenkins have in
// common: the schema junit-10.xsd of Jenkins' xUnit plugin, with file and line of a
// test case, which GitLab and the readers of GitHub take for its place and Jenkins'
// JUnit plugin passes over.

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     seconds      `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

// junitSuite is one file.
type junitSuite struct {
	Name     string      `xml:"name,attr"`
	File     string      `xml:"file,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     seconds     `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string       `xml:"name,attr"`
	Classname string       `xml:"classname,attr"`
	File      string       `xml:"file,attr"`
	Line      int          `xml:"line,attr,omitempty"`
	Time      seconds      `xml:"time,attr"`
	Failure   *junitResult `xml:"failure"` // all failures in one element: most readers look at the first alone
	Error     *junitResult `xml:"error"`
	Skipped   *junitResult `xml:"skipped"`
	Output    string       `xml:"system-out,omitempty"` // of a live case, what it was played against
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// seconds is a time as JUnit writes it: seconds with three decimals, never with an
// exponent.
type seconds time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (s seconds) MarshalText() ([]byte, error) {
	ms := time.Duration(s).Milliseconds()
	return fmt.Appendf(nil, "%d.%03d", ms/1000, ms%1000), nil
}

// JUnit writes a report as JUnit XML (SCN-42): a test suite for each file, a test case
// for each case. It has times, so no two are the same.
func JUnit(w io.Writer, r *Run) error {
	n := r.Count()
	doc := junitSuites{
		Name: "shelly test", Tests: len(r.Cases), Failures: n.Failed + n.Differ, Errors: n.Errors, Time: seconds(r.Took),
	}
	for first := 0; first < len(r.Cases); {
		end := first + 1
		for end < len(r.Cases) && r.Cases[end].File == r.Cases[first].File {
			end++
		}
		doc.Suites = append(doc.Suites, junitFile(r.Cases[first:end]))
		first = end
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// junitFile is the suite of one file's cases.
func junitFile(cases []Case) junitSuite {
	n := count(cases)
	file := xmlText(slashed(cases[0].File))
	s := junitSuite{Name: file, File: file, Tests: len(cases), Failures: n.Failed + n.Differ, Errors: n.Errors, Skipped: n.Skipped}
	named := map[string]int{}
	for i := range cases {
		c := junitOf(&cases[i])
		// GitLab shows the first only of cases with one class and name.
		if named[c.Name]++; named[c.Name] > 1 {
			c.Name = fmt.Sprintf("%s (%d)", c.Name, named[c.Name])
		}
		s.Time += c.Time
		s.Cases = append(s.Cases, c)
	}
	return s
}

func junitOf(c *Case) junitCase {
	out := junitCase{
		Name: xmlText(wording.OneLine(c.Name)), Classname: xmlText(classname(c.File)), File: xmlText(slashed(c.File)),
		Line: c.Line, Time: seconds(c.Took),
	}
	if c.Name == "" {
		out.Name = path.Base(out.File)
	}
	if at, pos := c.place(); out.Line == 0 && at == c.File {
		out.Line = pos.Line // of what is wrong with a file that does not load
	}
	if c.Live != nil {
		out.Output = xmlText(wording.OneLine(c.Live.String()))
	}
	result := &junitResult{Message: xmlText(wording.OneLine(c.headline())), Text: xmlText("\n" + c.text())}
	switch c.Status() {
	case Errored:
		out.Error, result.Type = result, "play"
		if c.loadError() != nil {
			result.Type = "load"
		}
	case Failed:
		out.Failure, result.Type = result, "expectation"
	case Differs:
		out.Failure, result.Type = result, "differs"
	case Skipped:
		result.Text = ""
		out.Skipped = result
	}
	return out
}

// classname is a file's path as the name of a class: Jenkins shows what is before
// the last dot as a package. Folders become its parts, and a dot of their own an
// underscore.
func classname(file string) string {
	file = strings.TrimSuffix(slashed(file), ".scenario.yaml")
	parts := strings.FieldsFunc(file, func(r rune) bool { return r == '/' })
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], ".", "_")
	}
	return strings.Join(parts, ".")
}

// xmlText is a text with nothing in it that XML 1.0 forbids: such a character and
// each run of bytes that is no UTF-8 becomes U+FFFD.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
			return r
		default:
			return '\uFFFD'
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// slashed is a path with slashes, whatever the system's own separator is.
func slashed(file string) string { return strings.ReplaceAll(file, `\`, "/") }
