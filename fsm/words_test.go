package fsm_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
)

func TestCFG14TheFirstEditionIsFrozen(t *testing.T) {
	var first fsm.Words
	var text strings.Builder
	for _, w := range fsm.AllWords() {
		text.WriteString(w.String() + ": " + strconv.Quote(first.Text(w)) + "\n")
	}
	golden(t, "words.golden", []byte(text.String()))
}

// A better sentence may leave out an argument, but cannot name others.
func TestCFG14AWordNamesTheArgumentsThatItHas(t *testing.T) {
	var first fsm.Words
	names := map[string]bool{}
	argument := regexp.MustCompile(`\{[a-z]+\}`)
	for _, w := range fsm.AllWords() {
		if w.String() == "" || names[w.String()] {
			t.Errorf("word %d has no name of its own: %q", w, w)
		}
		names[w.String()] = true
		for _, a := range argument.FindAllString(fsm.PresentWords().Text(w), -1) {
			if !strings.Contains(first.Text(w)+fsm.Gains(w), a) {
				t.Errorf("%s names %s, which it is not given", w, a)
			}
		}
	}
}

func TestCFG14ABootBringsWhatDiffersFromTheFirstEdition(t *testing.T) {
	tests := []struct {
		name  string
		words fsm.Words
		want  string
	}{
		{"an older build has none", nil, `{}`},
		{"the first edition", fsm.Words(nil).With(fsm.WordCancelled, "cancelled"), `{}`},
		{"one other", fsm.Words(nil).With(fsm.WordCancelled, `"gone"`), `{"cancelled":"\"gone\""}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.words)
			if err != nil || string(got) != tt.want {
				t.Fatalf("%s, %v, want %s", got, err, tt.want)
			}
			var back fsm.Words
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			for _, w := range fsm.AllWords() {
				if back.Text(w) != tt.words.Text(w) {
					t.Errorf("%s is read as %q, want %q", w, back.Text(w), tt.words.Text(w))
				}
			}
		})
	}
	var unknown fsm.Words
	if err := json.Unmarshal([]byte(`{"of_a_later_build":"x","busy":"full"}`), &unknown); err != nil || unknown.Text(fsm.WordBusy) != "full" {
		t.Errorf("got %v, %q; want %q", err, unknown.Text(fsm.WordBusy), "full")
	}
	var none fsm.Words
	if err := json.Unmarshal([]byte(`{"busy":5}`), &none); err == nil {
		t.Errorf("a number is read as the text %q", none.Text(fsm.WordBusy))
	}
}

func TestCFG14ArgumentsArePutInOnce(t *testing.T) {
	words := fsm.Words(nil).With(fsm.WordCronLine, "{text} {schedule} {none} {text")
	got := words.Text(fsm.WordCronLine, "schedule", "s1", "text", "{schedule}")
	if want := "{schedule} s1 {none} {text"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// However a build words its texts, records of older builds are decided as they were.
func TestCFG14ABetterSentenceChangesNoRecordedDecision(t *testing.T) {
	journals := committedJournals(t)
	for _, w := range fsm.AllWords() {
		undo := fsm.Reword(w, "in better words")
		for name, j := range journals {
			if v, err := engine.Validate(j); err != nil || v.Wrong != nil {
				t.Errorf("%s reworded, journal %s: %v %v", w, name, err, v.Wrong)
			}
		}
		undo()
	}
}

// The journals are good enough to show that: with other words in their own boots they
// decide differently.
func TestCFG14TheCommittedJournalsDependOnTheirWords(t *testing.T) {
	journals, matter := committedJournals(t), 0
	for _, w := range fsm.AllWords() {
		for _, j := range journals { // order-free: any one is enough
			if differs(t, j, w) {
				matter++
				break
			}
		}
	}
	if all := len(fsm.AllWords()); matter < all/4 {
		t.Errorf("only %d of %d words matter in the committed journals", matter, all)
	}
}

// differs reports whether a journal decides differently if its boots bring another text for
// a word.
func differs(t *testing.T, j engine.Reader, w fsm.Word) bool {
	t.Helper()
	m, differs := machine.New(), false
	err := j.Replay(0, func(r engine.Record) error {
		in := r.Input
		if boot, ok := in.Fact.(fsm.Boot); ok {
			boot.Config.Words = boot.Config.Words.With(w, "in other words")
			in.Fact = boot
		}
		differs = differs || fsm.HashEffects(m.Step(in)) != r.Effects
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return differs
}

func committedJournals(t *testing.T) map[string]engine.Reader {
	t.Helper()
	files, err := filepath.Glob("../sim/scenario/testdata/journals/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d journals, %v", len(files), err)
	}
	journals := map[string]engine.Reader{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if journals[filepath.Base(f)], err = engine.ReadJournal(bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	return journals
}

// speech matches a text that people read: two words with a blank between them.
var speech = regexp.MustCompile(`\pL['’]?\pL*[,.:;!?)\]]* [("'\[{]?\pL`)

// wordless returns the literals that look like speech but are not: they are parsed rather
// than said.
func wordless() []string {
	return []string{"Action Input:"}
}

// The machine's texts are in words.go, and what else a Boot brings (the prompts of the profiles,
// the declarations of the builtin tools) is with the profiles. The protocol for models without
// tools belongs to the clients, and no decision reads it. The texts of invariants are for whoever
// proves the code, and errors for whoever reads files.
func TestCFG14NoTextStandsInCode(t *testing.T) {
	apart := []string{"words.go", "prompts.go", "profile/prompts.go", "builtin.go", "described/described.go"}
	found := map[string]bool{}
	for _, s := range sourcesIn(t, os.DirFS(".."), []string{"fsm"}, []string{"fsm/engine", "fsm/spec", "fsm/wording"}) {
		name := strings.TrimPrefix(s.name, "fsm/")
		if slices.Contains(apart, name) || strings.HasPrefix(name, "check/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				return n.Tag == nil
			case *ast.CallExpr:
				return !speaksToProvers(n)
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil || !speech.MatchString(text) {
					return true
				}
				if slices.Contains(wordless(), text) {
					found[text] = true
					return true
				}
				t.Errorf("%s: the text %s belongs in words.go", s.fset.Position(n.Pos()), n.Value)
			}
			return true
		})
	}
	for _, text := range wordless() {
		if !found[text] {
			t.Errorf("%q is allowed in code, but is not there", text)
		}
	}
}

// speaksToProvers reports whether a call reports a violation or makes an error.
func speaksToProvers(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"violate", "Errorf", "New"}, f.Sel.Name)
}

func TestCFG14EachWordIsSaid(t *testing.T) {
	names := map[bool]map[string]bool{true: {}, false: {}} // in the dictionary, elsewhere
	for _, s := range sourcesIn(t, os.DirFS(".."), []string{"fsm"}, []string{"fsm/engine", "fsm/spec", "fsm/wording"}) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "Word") && id.Name != "Word" && id.Name != "Words" {
				names[s.name == "fsm/words.go"][id.Name] = true
			}
			return true
		})
	}
	if diff := cmp.Diff(names[true], names[false]); diff != "" {
		t.Errorf("the words of the dictionary (-defined +used): %s", diff)
	}
}
