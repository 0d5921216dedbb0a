package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// Whatever a configuration file contains, loading it gives a configuration, or an error each line
// of which names a place in the file and can be printed (CFG-3).
func FuzzFile(f *testing.F) {
	for _, text := range []string{
		"", "# nothing\n", "profile: nanobot\n", "profile: nobody\n", "brain:\n  model: m\n  url: http://127.0.0.1:1\n", "brain: {temperature: 0.5, model: &m x}\n",
		"brain: [a]\n", "limits: {grace: 5s, backoff: [1s, 2s]}\n", "limits: {grace: -5s}\n", "limits: {grace: 99999999999999h}\n", "limits:\n\tgrace: 5s\n",
		"limits.grace: 5s\n", "<<: {a: 1}\n", "? [a]\n: b\n", "a: \"x", "- a\n", "---\na: 1\n---\nb: 2\n", "a: *b\n", "a: &a [*a]\n", "\xff", "a\x1b: 1\n", "%YAML 1.2\n---\nprofile: shelly\n",
		"profile: !!str shelly\n", "tools: {allow: [exec, 'a,b']}\n", "brain: {temperature: .nan}\n", "brain: {temperature: 1e400}\n", "memory: {top_k: 99999999999999999999}\n",
		"brain: " + strings.Repeat("[", 3000), strings.Repeat("a: {", 300), "brain: {model: \"\\u202e\"}\n",
	} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	for _, name := range []string{"shelly", "default", "nanobot"} {
		c, err := Load(Sources{Dir: dir, Overrides: []Override{{Key: "profile", Value: name}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(c.Print()))
	}
	file := filepath.Join(dir, "c.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		sources := Sources{File: file, Dir: dir, Home: dir}
		c, err := Load(sources)
		again, second := Load(sources)
		if told(err) != told(second) {
			t.Fatalf("error %v, then %v", err, second)
		}
		if err == nil {
			for i, s := range c.Explain() {
				if s != again.Explain()[i] {
					t.Errorf("%+v, then %+v", s, again.Explain()[i])
				}
			}
			return
		}
		for _, line := range strings.Split(told(err), "\n") {
			if place, _, ok := strings.Cut(line, ": "); !ok || place == "" || strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("the error has the line %q", line)
			}
		}
	})
}

func told(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
