package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/exhaustive"
)

// fenced returns the blocks of a language in README.md and docs, by file.
func fenced(t *testing.T, language string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	block := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, file := range append(files, "../../README.md") {
		md, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range block.FindAllStringSubmatch(string(md), -1) {
			blocks[file] = append(blocks[file], found[1])
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("the documents have no block of %s", language)
	}
	return blocks
}

// Each command in README.md and docs, and each that the package's configuration quotes, parses (CLI-1).
func TestTheCommandsOfTheDocumentsAreUnderstood(t *testing.T) {
	exhaustive.Test(t)
	command := regexp.MustCompile(`(?m)^(?:[A-Z_]+=\S+ )*(?:sudo -u \S+ )?(?:\./bin/)?shelly (.*?)(?:\s+#.*)?$`)
	said := map[string][]string{}
	for file, blocks := range fenced(t, "sh") {
		for _, found := range command.FindAllStringSubmatch(strings.Join(blocks, ""), -1) {
			said[file] = append(said[file], found[1])
		}
	}
	const packaged = "service/package/config.yaml"
	text, err := os.ReadFile(packaged)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`"shelly ([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		said[packaged] = append(said[packaged], found[1])
	}
	if len(said[packaged]) == 0 || len(said["../../docs/deploying.md"]) == 0 {
		t.Errorf("no command is found in %s or in docs/deploying.md", packaged)
	}
	word := regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
	for file, commands := range said {
		for _, line := range commands {
			args := word.FindAllString(line, -1)
			for i := range args {
				args[i] = strings.NewReplacer(`"`, "", "'", "").Replace(args[i])
			}
			parser, err := kong.New(&cli{}, kong.Bind(&terminal.Terminal{}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(args); err != nil {
				t.Errorf("%s: shelly %s: %v", file, line, err)
			}
		}
	}
}

// A newcomer reads README.md whole; what is longer belongs into docs.
func TestTheReadmeIsShort(t *testing.T) {
	const most = 150
	md, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(md, []byte("\n")); lines > most {
		t.Errorf("README.md has %d lines, %d at most", lines, most)
	}
}

// The rule names every verb, in the order of the help, and nothing else.
func TestCLI1TheRuleNamesTheVerbs(t *testing.T) {
	rules, err := os.ReadFile("RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rule, _ := strings.Cut(string(rules), "**CLI-1** The verbs are ")
	rule, _, _ = strings.Cut(rule, ". ")
	var named, there []string
	for _, found := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(rule, -1) {
		named = append(named, found[1])
	}
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range parser.Model.Children {
		if !verb.Hidden {
			there = append(there, verb.Name)
		}
	}
	if !slices.Equal(named, there) {
		t.Errorf("the rule names %v; there are %v", named, there)
	}
}

// Each scenario and property in README.md and docs holds (SCN-1, PRP-1).
func TestTheExamplesOfTheDocumentsHold(t *testing.T) {
	dir, played := t.TempDir(), 0
	for file, blocks := range fenced(t, "yaml") {
		for i, block := range blocks {
			kind, _, _ := strings.Cut(block, ":")
			if kind != "scenario" && kind != "property" {
				continue
			}
			name := filepath.Base(file) + strconv.Itoa(i) + "." + kind + ".yaml"
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(block), 0o600))
			played++
		}
	}
	var out, errs bytes.Buffer
	if code := execute([]string{"test", dir, "--ci"}, &terminal.Terminal{Out: &out, Err: &errs}); code != 0 || played < 3 {
		t.Errorf("%d examples, code %d\n%s%s", played, code, out.String(), errs.String())
	}
}
