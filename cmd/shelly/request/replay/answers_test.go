package replay

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/fsm"
)

func answer(question string) Answer {
	return Answer{Key: Key{Question: question, Digest: "d", Options: "o", Run: 1}, Model: "m", Answer: &fsm.BrainAnswered{Text: "text of " + question}}
}

func opened(t *testing.T, name string) *Answers {
	t.Helper()
	a, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// written is a file with two answers, closed.
func written(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "answers")
	a := opened(t, name)
	for _, question := range []string{"a", "b"} {
		must(t, a.Add(answer(question)))
	}
	must(t, a.Close())
	return name
}

// Wherever a crash cuts the file, its whole lines are kept and the next answer begins a new
// line (CLI-25).
func TestCLI18ATornLineIsMended(t *testing.T) {
	whole, err := os.ReadFile(written(t))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "answers")
	for cut := range len(whole) + 1 {
		must(t, os.WriteFile(name, whole[:cut], 0o600))
		a := opened(t, name)
		lines := strings.Count(string(whole[:cut]), "\n")
		if got := len(a.known); got != max(lines-1, 0) {
			t.Fatalf("cut at %d: %d answers of %d lines", cut, got, lines)
		}
		short := answer("c")
		short.Answer.Text = ""
		must(t, errors.Join(a.Add(short), a.Close()))
		if now, _ := os.ReadFile(name); !strings.HasSuffix(string(now), "\n") {
			t.Fatalf("cut at %d: the file ends with %q", cut, now[len(now)-10:])
		}
		a = opened(t, name)
		if _, ok := a.Known(answer("c").Key); !ok {
			t.Fatalf("cut at %d: the next answer is not there", cut)
		}
		must(t, a.Close())
	}
}

func TestCLI18AnAnswerIsFoundByAllThatMattered(t *testing.T) {
	a := opened(t, written(t))
	defer a.Close()
	key := answer("a").Key
	if got, ok := a.Known(key); !ok || got.Answer.Text != "text of a" {
		t.Errorf("got %v, %v; want ok true, Answer.Text %q", got, ok, "text of a")
	}
	for _, other := range []Key{{"c", "d", "o", 1}, {"a", "e", "o", 1}, {"a", "d", "p", 1}, {"a", "d", "o", 2}} {
		if _, ok := a.Known(other); ok {
			t.Errorf("%v is there", other)
		}
	}
	failed := Answer{Key: key, Class: fsm.BrainTimeout}
	must(t, a.Add(failed))
	if _, ok := a.Known(key); ok {
		t.Error("what failed is not asked again")
	}
	if got, ok := a.Get(key); !ok || got.Class != fsm.BrainTimeout {
		t.Errorf("%v, %v; want the failure", got, ok)
	}
}

func TestCLI18AFileOfAnswersIsPrivateAndOfOneProcess(t *testing.T) {
	name := written(t)
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want 0600", info.Mode(), err)
	}
	a := opened(t, name)
	if _, err := Open(name); !errors.Is(err, ErrInUse) {
		t.Errorf("a second process: %v", err)
	}
	must(t, a.Close())
}

// A file that is not a file of answers is left as it is, and damage is reported with its place.
func TestCLI18AnyOtherFileIsRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for content, want := range map[string]string{
		"my notes":                           ErrOther.Error(),
		"{}\n":                               ErrOther.Error(),
		header + "{\"question\":\n{}\n":      "line 2 is damaged",
		header + "{\"question\":\"a\"}\nx\n": "line 3 is damaged",
	} {
		must(t, os.WriteFile(name, []byte(content), 0o600))
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", content, err, want)
		}
		if now, _ := os.ReadFile(name); string(now) != content {
			t.Errorf("%q became %q", content, now)
		}
	}
	if a, err := Read(filepath.Join(t.TempDir(), "absent")); err != nil || len(a.known) != 0 {
		t.Errorf("a file that is not there: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
