package reference

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"shelly/sim/strict"
)

var renew = flag.Bool("update", false, "write the examples and the page as they should be")

const (
	schemaFile   = "../../../scenarios/schema/scenario.v1.json"
	propertyFile = "../../../scenarios/schema/property.v1.json"
	examplesFile = "../../../scenarios/schema/examples.v1.json"
	pageFile     = "../../../docs/reference.md"
)

func format(t *testing.T) *Format {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func properties(t *testing.T) *Format {
	t.Helper()
	text, err := os.ReadFile(propertyFile)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Property(text, format(t))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// shown are the examples that the project's files of a suffix have of each key, by file.
func shown(t *testing.T, f *Format, suffix string) map[string]map[string][]string {
	t.Helper()
	root := os.DirFS("../../..")
	all := map[string]map[string][]string{} // of a key, by file
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		source, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		node, problem := strict.Parse(source, "a scenario", "")
		if problem != nil || node == nil {
			t.Fatalf("%s: %v", path, problem)
		}
		f.examplesIn(node, func(id, text string) {
			if all[id] == nil {
				all[id] = map[string][]string{}
			}
			all[id][path] = append(all[id][path], text)
		})
		return nil
	}
	for _, folder := range []string{"scenarios", "sim/scenario/scenariotest/testdata"} { // what make test plays
		if err := fs.WalkDir(root, folder, walk); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// shortest is the example that is quickest to read: without a variable, and short.
func shortest(of map[string][]string) (best Example) {
	rank := func(e Example) int {
		n := len(e.Text)
		if strings.Contains(e.Text, "${") || strings.HasSuffix(e.Text, "…") {
			n += exampleBytesMax
		}
		return n
	}
	for file, texts := range of { // order-free: the least of a total order
		for _, text := range texts {
			e := Example{text, file}
			if best.Text == "" || rank(e) < rank(best) || rank(e) == rank(best) && e.File+e.Text < best.File+best.Text {
				best = e
			}
		}
	}
	return best
}

func examples(t *testing.T) Examples {
	t.Helper()
	text, err := os.ReadFile(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ReadExamples(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// SCN-67: each key has a meaning, and an example in a scenario that the project plays.
func TestSCN67EveryKeyHasAMeaningAndAnExample(t *testing.T) {
	f, p := format(t), properties(t)
	all := shown(t, f, ".scenario.yaml")
	for id, of := range shown(t, p, ".property.yaml") { // order-free: each for itself
		if all[id] == nil { // no scenario has it
			all[id] = of
		}
	}
	kept := Examples{}
	if !*renew {
		kept = examples(t)
	} else if text, err := os.ReadFile(examplesFile); err == nil {
		kept, _ = ReadExamples(text)
	}
	out := Examples{}
	for _, k := range slices.Concat(f.Keys(), p.Keys()) {
		id := k.ID()
		if k.Meaning == "" || strings.HasPrefix(k.Meaning, "what a value must be like") { // which is said of each matcher
			t.Errorf("%s has no meaning; comment its field, or give its shape one", k.Path)
		}
		e := kept[id]
		switch {
		case slices.Contains(all[id][e.File], e.Text):
			out[id] = e
		case *renew && len(all[id]) > 0:
			out[id] = shortest(all[id])
		case len(all[id]) == 0:
			t.Errorf("%s (%s) is in no scenario or property of the project; write one", k.Path, id)
		default:
			t.Errorf("%s: %s has no %q any more; make schema takes another example", k.Path, e.File, e.Text)
		}
	}
	if !*renew {
		for id := range kept { // order-free: each for itself
			if _, ok := out[id]; !ok {
				t.Errorf("%s is an example of no key; make schema removes it", id)
			}
		}
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(examplesFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// SCN-67: the page is made of the same as what the program prints.
func TestSCN67ThePageIsUpToDate(t *testing.T) {
	want := page(format(t), properties(t), examples(t))
	if *renew {
		if err := os.WriteFile(pageFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/reference.md is not what the format says; run make schema")
	}
}

// SCN-67: a key is found by its path, with indices and names or without, by its own name,
// and by what it resembles.
func TestSCN67AKeyIsFound(t *testing.T) {
	f := format(t)
	for path, want := range map[string]string{ // order-free: each for itself
		"expect.trace":             "expect.trace",
		"brain[].sees":             "brain[].sees",
		"brain[0].sees.last":       "brain[].sees.last",
		"expect.tools.exec.starts": "expect.tools.NAME.starts",
		"tools.exec[2].returns":    "tools.NAME[].returns",
		"$contains":                "$contains",
		"sees":                     "brain[].sees",
		"brain_for.summary[].says": "brain[].says",
	} {
		keys, err := f.Find(path)
		if err != nil || !strings.HasSuffix(keys[0].Path, want[strings.LastIndexByte(want, '.')+1:]) {
			t.Errorf("%s: got %v, %v; want the first path to end with %q", path, keys, err, want[strings.LastIndexByte(want, '.')+1:])
		}
	}
	for path, want := range map[string]string{ // order-free: each for itself
		"expect.tarce": "unknown key expect.tarce; did you mean expect.trace?",
		"brian":        "unknown key brian; did you mean brain?",
		"":             "wants a key",
		"zzzzzzzz":     "the keys of a file are: scenario, name,",
	} {
		if _, err := f.Find(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	keys, _ := f.Find("expect.golden")
	text := keys[0].Text(examples(t))
	for _, want := range []string{"expect.golden  (list of texts)\n", "words:   replies, ", "rules:   SCN-35, SCN-59\n", "example: golden: [", "in scenarios/"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// SCN-67: a key that only a property has is found as well; a key that a scenario has too is that one.
func TestSCN67AKeyOfAPropertyIsFound(t *testing.T) {
	f, p := format(t), properties(t)
	for path, want := range map[string]string{ // order-free: each for itself
		"generate":                  "generate  (map, required, in a property)\n",
		"cover[0].at_least":         "cover[].at_least  (text, required, in a property)\n",
		"generate.faults.tool.busy": "generate.faults.tool.busy  (probability, in a property)\n",
		"$duration":                 "$duration  (map, in a property)\n",
		"weight":                    "weight  (number, in a property)\n",
		"profile":                   "profile  (text)\n",
	} {
		keys, err := Find(path, f, p)
		if err != nil || !strings.HasSuffix(strings.SplitAfter(keys[0].Text(examples(t)), "\n")[0], want) {
			t.Errorf("%s: got %v, %v; want the first line to end with %q", path, keys, err, want)
		}
	}
	for path, want := range map[string]string{ // order-free: each for itself
		"generate.zzzzzzzzz": "the keys of generate are: swarm, timeline,",
		"generate.timelin":   "did you mean generate.timeline?",
		"zzzzzzzz":           "the keys of a file are: scenario, name,",
	} {
		if _, err := Find(path, f, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	for _, k := range p.Keys() {
		if k.Name == "says" || k.Name == "profile" {
			t.Errorf("%s is already explained as a key of a scenario", k.Path)
		}
	}
}

// SCN-67: the reference gives the values of a key in each form that a file may have, and in no other.
func TestSCN67AKeySaysAllThatItTakes(t *testing.T) {
	f := format(t)
	for path, want := range map[string]Key{ // order-free: each for itself
		"scenario":             {Type: "number"},
		"$any":                 {Type: "switch", Words: []string{"true"}},
		"$gt":                  {Type: "number or text"},
		"tools.pay[].fails":    {Type: "map or text", Inside: []string{"code", "message", "retryable"}},
		"timeline[].cancel":    {Type: "switch or text"},
		"timeline[].approve":   {Type: "map or number or switch", Inside: []string{"nth", "tool", "by", "grant", "reason"}},
		"timeline[].resolve":   {Type: "map or text", Inside: []string{"text", "nth"}},
		"timeline[].shutdown":  {Type: "text or switch or map", Inside: []string{"signal"}},
		"timeline[].images":    {Type: "list of texts"},
		"config.max_active":    {Type: "number"},
		"sessions.ann.history": {Type: "list of maps"},
		"always[].when":        {Type: "expression or item"},
		"eventually[].within":  {Type: "duration"},
		"never[0].tool":        {Type: "text or matcher"},
		"never[0].attempt":     {Type: "number or matcher"},
		"never[0].args":        {Type: "matcher"},
		"expect.replies":       {Type: "list or matcher"},
	} {
		keys, err := f.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		got := keys[0]
		inside := want.Inside == nil || slices.Equal(got.Inside, want.Inside)
		if got.Type != want.Type || !slices.Equal(got.Words, want.Words) || !inside {
			t.Errorf("%s: got %s, %v, %v, want %+v", path, got.Type, got.Words, got.Inside, want)
		}
	}
	keys, err := f.Find("faults.crash.may_change")
	if err != nil || !strings.Contains(keys[0].Meaning, "always[0]") {
		t.Errorf("got %+v, %v; want [0].Meaning with %q", keys, err, "always[0]")
	}
}

// SCN-67: the check of examples can fail.
func TestSCN67AnExampleIsFoundInItsFileAlone(t *testing.T) {
	f := format(t)
	node, _ := strict.Parse([]byte("scenario: 1\nname: x\nbrain: [{says: Hello}]\nexpect: {replies: [{text: {$contains: x}}]}"), "a scenario", "")
	found := map[string]string{}
	f.examplesIn(node, func(id, text string) { found[id] = text })
	for id, want := range map[string]string{".name": "name: x", "Line.says": "says: Hello", "$contains": "$contains: x", "MatcherReply.text": "text: {$contains: x}", "Line.calls": ""} { // order-free
		if found[id] != want {
			t.Errorf("%s: got %q, want %q", id, found[id], want)
		}
	}
}
