package scenario

import (
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/sim"
	"shelly/sim/scenario/casetest"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/golden"
)

// goldenAspects are the parts of what a case did that a golden can hold.
func goldenAspects() []string {
	field, _ := reflect.TypeFor[format.Expect]().FieldByName("Golden")
	return strings.Split(field.Tag.Get("enum"), ",")
}

// everyAspect asks for every aspect, not in the order of a golden.
func everyAspect() string {
	names := goldenAspects()
	slices.Reverse(names)
	return "expect: {golden: [" + strings.Join(names, ", ") + "]}\n"
}

// goldenOf is what the golden of a case in memory should hold.
func goldenOf(t *testing.T, yaml string) string {
	t.Helper()
	f, err := Parse("office.scenario.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	out := f.Run(sim.Options{})
	if out.Golden == nil || out.Golden.Path != "office.golden.yaml" || out.Golden.Holds || len(out.Failures) != 1 {
		t.Fatalf("got %+v, %v; want not nil, Path %q, not Holds, 1 of them", out.Golden, out.Failures, "office.golden.yaml")
	}
	return string(out.Golden.Got)
}

// What the aspects of a busy case look like; testdata/golden.golden is for reading.
func TestSCN35AGoldenHoldsWhatTheCaseDid(t *testing.T) {
	yaml := strings.Replace(casetest.Office, "scenario: 1\n", "scenario: 1\nworld: {lamp: \"on\"}\n", 1)
	got := goldenOf(t, yaml+everyAspect())
	casetest.SameAsFile(t, "golden", got)
	for _, name := range goldenAspects() {
		if name == "prompt" || name == "estimates" {
			continue // parts of others (SCN-59)
		}
		if !strings.Contains(got, "\n"+name+":") {
			t.Errorf("has no %s", name)
		}
	}
	if again := goldenOf(t, yaml+everyAspect()); again != got {
		t.Error("two runs gave two goldens")
	}
}

// SCN-59: other words and other estimates of shelly's change no golden, unless it asks for
// them.
func TestSCN59AGoldenHoldsNeitherPromptNorEstimatesUnlessAsked(t *testing.T) {
	const base = "scenario: 1\nname: x\ntools: {look: [{returns: \"92%\", effects: none}]}\n" +
		"brain: [{calls: [{tool: look}]}, {says: \"NEED: the disk\"}, {says: Full.}]\nmemory: [{summary: The disk is vda1.}]\n" +
		"timeline: [{user: How full is it?}, {at: 20m, shutdown: true}]\n"
	for _, profile := range []string{"default", "shelly", "countbot"} {
		t.Run(profile, func(t *testing.T) {
			head := base + "profile: " + profile + "\n"
			if profile == "countbot" {
				head = strings.Replace(head, "NEED: the disk", "Full.", 1)
				head = strings.Replace(head, ", {says: Full.}]", "]", 1)
			}
			longer := head + "config: {prompts: {identity: \"You are another agent, of many more words than before.\", summary: Say in short what was., farewell: The end is near. Say one word.}}\n"
			plain := "expect: {golden: [asked, trace, replies]}\n"
			if a, b := goldenOf(t, head+plain), goldenOf(t, longer+plain); a != b {
				t.Errorf("other prompts change the golden:\n%s\n%s", a, b)
			} else if !strings.Contains(a, "{role: user, text: How full is it?}") || !strings.Contains(a, `text: "92%"`) {
				t.Errorf("what the person or the tool says is missing:\n%s", a)
			}
			for _, part := range []string{"prompt", "estimates"} {
				asks := "expect: {golden: [asked, trace, replies, " + part + "]}\n"
				if a, b := goldenOf(t, head+asks), goldenOf(t, longer+asks); a == b {
					t.Errorf("with %s other prompts do not change the golden", part)
				}
			}
		})
	}
}

// SCN-59: a short text of the case that a sentence of shelly's holds by chance is not what the
// case says there.
func TestSCN59AWordInASentenceOfShellysIsNotOfTheCase(t *testing.T) {
	for _, said := range []string{"done", "found", "one"} { // as in "what was done, what was found"
		got := goldenOf(t, "scenario: 1\nname: x\nbrain: [{says: "+said+"}]\ntimeline: [{user: a}]\nexpect: {golden: [asked]}\n")
		if want := "      - {role: assistant, text: " + said + "}\n      - {role: user}\n"; !strings.HasSuffix(got, want) {
			t.Errorf("the golden does not end with\n%s\n%s", want, got)
		}
		if !strings.Contains(got, "{role: user, text: a}") {
			t.Errorf("what the person says is missing:\n%s", got)
		}
	}
}

// goldenCase is a case and the file system around it.
const goldenCase = "scenario: 1\nname: x\nbrain: [{says: Hello.}]\ntimeline: [{user: Hi}]\nexpect: {golden: [replies]}\n"

func goldenFS(t *testing.T) fstest.MapFS {
	t.Helper()
	return fstest.MapFS{
		"s/office.scenario.yaml": {Data: []byte(goldenCase)},
		"s/office.golden.yaml":   {Data: []byte(goldenOf(t, goldenCase))},
	}
}

func TestSCN35AGoldenIsComparedAsText(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(string) string
		want   []string // in the failure; none where it holds
	}{
		{"the same", func(s string) string { return s }, nil},
		{"line ends of another system", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, nil},
		{"a byte order mark", func(s string) string { return "\uFEFF" + s }, nil},
		{"another text", func(s string) string { return strings.Replace(s, "Hello.", "Bye.", 1) }, []string{
			"s/office.scenario.yaml:5:10: expect.golden differs from s/office.golden.yaml", "--- s/office.golden.yaml\n", "+++ this run\n",
			"\n  -  - {id: r1, session: cli:direct, text: Bye., outcome: answered}\n", "\n  +  - {id: r1, session: cli:direct, text: Hello., outcome: answered}\n",
		}},
		{"the same data, written differently", func(s string) string { return strings.Replace(s, "Hello.", `"Hello."`, 1) }, []string{"differs"}},
		{"nothing", func(string) string { return "" }, []string{"differs", "+replies:"}},
		{"a long one", func(s string) string { return s + strings.Repeat("# more\n", 1000) }, []string{"… and 96", " more lines"}},
		{"one that would change a terminal", func(s string) string { return s + "# \x1b[31mred\n" }, []string{"\uFFFD[31mred"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := goldenFS(t)
			fsys["s/office.golden.yaml"].Data = []byte(test.change(string(fsys["s/office.golden.yaml"].Data)))
			f, err := LoadOne(fsys, "s/office.scenario.yaml")
			if err != nil {
				t.Fatal(err)
			}
			out := f.Run(sim.Options{})
			if out.OK() != (test.want == nil) || out.Golden.Holds != out.OK() || !out.Golden.Found {
				t.Fatalf("got %+v, %v; want it Found, and Holds %t", out.Golden, out.Failures, test.want == nil)
			}
			for _, want := range test.want {
				if text := out.Failures[0].String(); !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
		})
	}
}

// A golden that cannot be read as a file beside the scenario is an error of the
// scenario.
func TestSCN35AGoldenIsARegularFileOfBoundedSize(t *testing.T) {
	for _, test := range []struct {
		file fstest.MapFile
		want string
	}{
		{fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("office.scenario.yaml")}, "is a symbolic link; a golden is a regular file"},
		{fstest.MapFile{Mode: fs.ModeDir}, "is not a regular file"},
		{fstest.MapFile{Mode: fs.ModeNamedPipe}, "is not a regular file"},
		{fstest.MapFile{Data: make([]byte, 2*golden.BytesMax+1)}, "is too large; the limit is 1024 KiB"},
		{fstest.MapFile{Data: make([]byte, golden.BytesMax+1)}, "is too large; the limit is 1024 KiB"},
	} {
		fsys := goldenFS(t)
		fsys["s/office.golden.yaml"] = &test.file
		_, err := Load(fsys, "s/office.scenario.yaml")
		if want := "s/office.scenario.yaml:5:10: expect.golden: s/office.golden.yaml " + test.want; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSCN35WhatIsTooLargeForAGoldenIsAFailure(t *testing.T) {
	long := strings.Repeat("word ", 30_000)
	lines := strings.Repeat("  - {says: \""+long+"\", tokens: {answer: 1}}\n", 4)
	yaml := "scenario: 1\nname: x\nbrain:\n" + lines + "timeline: [{user: a}, {at: 1s, user: b}, {at: 2s, user: c}, {at: 3s, user: d}]\nexpect: {golden: [asked, replies, memory]}\n"
	f, err := Parse("x.scenario.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	out := f.Run(sim.Options{})
	if len(out.Failures) != 1 || out.Golden.Got != nil || !strings.Contains(out.Failures[0].Text, "KiB; the limit is 1024 KiB: ask for less") {
		t.Errorf("got %v, %v; want 1 failure for the limit, Golden.Got nil", out.Failures, out.Golden.Got)
	}
}

// SCN-36: what is obsolete, and what is not to be touched.
func TestSCN36OnlyWhatNoCaseAsksForIsObsolete(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	fsys := fstest.MapFS{
		"s/asks.scenario.yaml":        file(goldenCase),
		"s/asks.golden.yaml":          file(""),
		"s/asks.golden.yaml.pending":  file(""),
		"s/asks.row.golden.yaml":      file(""), // a case that is not there
		"s/asks.not.scenario.yaml":    file(strings.Replace(goldenCase, "golden: [replies]", "exit: {$absent: true}", 1)),
		"s/asks.not.golden.yaml":      file(""),
		"s/broken.scenario.yaml":      file("scenario: 1\n"),
		"s/broken.golden.yaml":        file(""),
		"s/broken.row.golden.yaml":    file(""),
		"s/gone.golden.yaml":          file(""),
		"s/gone.golden.yaml.pending":  file(""),
		"s/golden.yaml":               file(""),
		"s/testdata/gone.golden.yaml": file(""),
		"s/deep/gone.golden.yaml":     file(""),
		"other/gone.golden.yaml":      file(""),
	}
	var cases []*File
	for _, path := range []string{"s/asks.scenario.yaml", "s/asks.not.scenario.yaml", "s/broken.scenario.yaml"} {
		list, _ := Load(fsys, path)
		cases = append(cases, list...)
	}
	for _, test := range []struct {
		patterns []string
		want     string
	}{
		{[]string{"s"}, "s/asks.not.golden.yaml s/asks.row.golden.yaml s/deep/gone.golden.yaml s/gone.golden.yaml s/gone.golden.yaml.pending"},
		{[]string{"s/...", "s/deep"}, "s/asks.not.golden.yaml s/asks.row.golden.yaml s/deep/gone.golden.yaml s/gone.golden.yaml s/gone.golden.yaml.pending"},
		{[]string{"s/asks.scenario.yaml"}, "s/asks.row.golden.yaml"},
		{[]string{"s/asks.not.scenario.yaml"}, "s/asks.not.golden.yaml"},
		{[]string{"s/asks.scenario.yaml:1"}, ""},
		{[]string{"s/broken.scenario.yaml"}, ""},
	} {
		got, err := golden.Obsolete(fsys, test.patterns, cases)
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%v: %v, %v; want %s", test.patterns, got, err, test.want)
		}
	}
	if _, err := golden.Obsolete(fsys, []string{"absent"}, []*File(nil)); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

// What a golden's name says must be one scenario.
func TestSCN35AMatrixAndAScenarioDoNotShareAGolden(t *testing.T) {
	matrix := strings.Replace(goldenCase, "name: x\n", "name: x\nmatrix: {a: [one], b: [two]}\n", 1)
	for _, name := range []string{"s/x.a-one.scenario.yaml", "s/x.a-one.b-two.scenario.yaml"} {
		fsys := fstest.MapFS{"s/x.scenario.yaml": {Data: []byte(matrix)}, name: {Data: []byte(goldenCase)}}
		_, err := Load(fsys, "s/x.scenario.yaml")
		if want := "expect.golden: s/x.a-one.b-two.golden.yaml would be taken for one of " + name + "; rename that file"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
