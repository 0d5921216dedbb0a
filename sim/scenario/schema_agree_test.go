package scenario

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
)

// ready is the schema of a scenario file, to validate by.
func ready(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	r, err := scenarioSchema(t).Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The schema accepts every scenario of the project (SCN-20).
func TestSchemaAcceptsTheProjectsScenarios(t *testing.T) {
	schema := ready(t)
	for path, source := range projectFiles(t) { // order-free: each is looked at by itself
		root, problem := parse(source, "a scenario")
		if problem != nil {
			t.Fatal(path, problem)
		}
		if err := schema.Validate(plainOf(root)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// projectFiles are the sources of the project's scenarios by path.
func projectFiles(t *testing.T) map[string][]byte {
	t.Helper()
	fsys := os.DirFS("../../scenarios")
	targets, err := Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, target := range targets {
		if strings.HasSuffix(target.Path, PropertySuffix) {
			continue
		}
		if files[target.Path], err = readFile(fsys, target.Path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// loaderAlone are the words of errors that a schema cannot know of: how a file is
// written, and what is within a text.
var loaderAlone = []string{
	"already given", "tags (", "nested too deep", "aliases written out", "in plain decimal", "is too large", "decimals",
	"is no regular expression", "whole milliseconds", "wants one line", "is negative",
}

// What does not fit the types of the format does not fit the schema (SCN-20).
func TestSchemaRefusesWhatDoesNotFitTheTypes(t *testing.T) {
	schema := ready(t)
	refused := 0
	for _, test := range brokenFiles(t) {
		root, problem := parse([]byte(test.yaml), "a scenario")
		if problem != nil || strings.Contains(test.name, "alias") {
			continue // no YAML, or more than can be written out
		}
		problems := misfits(root)
		if len(problems) == 0 || slices.ContainsFunc(loaderAlone, func(words string) bool { return strings.Contains(problems[0].Text, words) }) {
			continue
		}
		refused++
		if schema.Validate(plainOf(root)) == nil {
			t.Errorf("%s: the schema accepts what the loader refuses: %s", test.name, problems[0].Text)
		}
	}
	if refused < 80 {
		t.Errorf("only %d files were compared", refused)
	}
}

// misfits are the problems of a file that are told before its values are checked
// against each other.
func misfits(root *yaml.Node) []Problem {
	doc := &document{root: root, places: map[string]Pos{}}
	rows := doc.variables()
	if len(doc.problems) > 0 {
		return doc.problems
	}
	d := decoder{doc: doc, row: &rows[0], where: map[string]Pos{}}
	d.read(root, &File{})
	return d.problems
}

// Whatever the loader accepts, the schema accepts: the project's scenarios, changed
// here and there (SCN-20).
func TestSchemaAcceptsWhatLoads(t *testing.T) {
	schema := ready(t)
	files := projectFiles(t)
	paths := make([]string, 0, len(files))
	for path := range files { // order-free: sorted below
		paths = append(paths, path)
	}
	slices.Sort(paths)
	rapid.Check(t, func(t *rapid.T) {
		root, _ := parse(files[rapid.SampledFrom(paths).Draw(t, "path")], "a scenario")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			change(t, root)
		}
		source, err := yaml.Marshal(root)
		if err != nil {
			t.Skip("no YAML any more")
		}
		if _, err := Parse("f.scenario.yaml", source); err != nil {
			t.Skip("does not load")
		}
		again, _ := parse(source, "a scenario")
		if err := schema.Validate(plainOf(again)); err != nil {
			t.Errorf("the schema refuses what loads: %v\n%s", err, source)
		}
	})
}

// change changes one value or key of a file.
func change(t *rapid.T, root *yaml.Node) {
	var parents []*yaml.Node
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if len(n.Content) > 0 {
			parents = append(parents, n)
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(root)
	in := parents[rapid.IntRange(0, len(parents)-1).Draw(t, "in")]
	i := rapid.IntRange(0, len(in.Content)-1).Draw(t, "at")
	width := 1
	if in.Kind == yaml.MappingNode {
		width, i = 2, i/2*2
	}
	value := in.Content[i+width-1]
	switch rapid.SampledFrom([]string{"drop", "scalar", "variable", "list", "map", "move"}).Draw(t, "how") {
	case "drop":
		in.Content = slices.Delete(in.Content, i, i+width)
	case "scalar":
		word := rapid.SampledFrom([]string{"true", "false", "0", "1", "2.5", "-1", "x", `""`, "1s", "off", "{$any: true}", "[]", "{}", "~", "2026-01-05T09:00:00Z", `"1"`}).Draw(t, "word")
		var n yaml.Node
		if yaml.Unmarshal([]byte(word), &n) == nil && len(n.Content) == 1 {
			in.Content[i+width-1] = n.Content[0]
		}
	case "list":
		in.Content[i+width-1] = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{value}}
	case "map":
		key := rapid.SampledFrom([]string{"text", "$contains", "$len", "$all", "code", "session", "args"}).Draw(t, "key")
		in.Content[i+width-1] = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: key}, value}}
	case "variable":
		name := &yaml.Node{Kind: yaml.ScalarNode, Value: "${it}"}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "vars"},
			&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "it"}, value}})
		in.Content[i+width-1] = name
	case "move":
		other := parents[rapid.IntRange(0, len(parents)-1).Draw(t, "other")]
		if o := rapid.IntRange(0, len(other.Content)-1).Draw(t, "from"); other.Kind == yaml.MappingNode && in.Kind == yaml.MappingNode {
			in.Content = append(in.Content, copied(other.Content[o/2*2]), copied(other.Content[o/2*2+1]))
		}
	}
}

func copied(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = nil
	for _, item := range n.Content {
		c.Content = append(c.Content, copied(item))
	}
	return &c
}
