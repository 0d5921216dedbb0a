//go:build browser_e2e

package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const long = `scenario: 1
name: long answers
profile: default
server: {reads: 10000/s, writes: 20/s}
brain:
  - says: "LONG"
timeline:
  - {user: "tell"}
expect:
  replies: [""]
`

func TestCOM112WhatWasWrittenOfACancelledAnswerStays(t *testing.T) {
	w := begin(t, strings.Replace(long, "LONG", strings.Repeat("one two three four. ", 100), 1))
	w.enter()
	w.ask("Tell me all.")
	w.See(".answer", "one two three four. one")
	w.Click(".status button", "Cancel")
	w.See(".answer.error", "cancelled")
	w.Gone(".status", "")
	w.See(".answer:not(.error):not(.streaming)", "one two three four. one")
	w.See(".did button[aria-label='Copy what was written']", "Copy")
	w.pictures("stopped")
	w.clean()
}

func TestCOM112WhatWasWrittenOfAFailedAnswerStays(t *testing.T) {
	w := begin(t, strings.Replace(long, "LONG", strings.Repeat("one two three four. ", 1000), 1))
	w.kill(w.daemon)
	if err := os.WriteFile(filepath.Join(w.dir, "config.yaml"), []byte(settings+"limits: {handle_timeout: 3s}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	w.enter()
	w.ask("Tell me all.")
	w.See(".answer.error", "out of time")
	w.See(".answer:not(.error):not(.streaming)", "one two three four. one")
	w.clean()
}

const rounds = `scenario: 1
name: a limit of rounds
profile: default
tools: {read_file: []}
brain:
  - says: "I read the notes."
    calls: [{tool: read_file, args: {path: notes.txt}}]
  - says: "And once more."
    calls: [{tool: read_file, args: {path: notes.txt, limit: 1}}]
timeline:
  - {user: "read"}
expect:
  replies: [""]
`

func TestCOM113WhatAReplyRepeatsIsShownOnce(t *testing.T) {
	w := begin(t, rounds)
	w.kill(w.daemon)
	if err := os.WriteFile(filepath.Join(w.dir, "config.yaml"), []byte(settings+"limits: {max_tool_rounds: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	w.enter()
	w.ask("Read the notes.")
	w.See(".answer", "the limit of 1 was reached")
	w.Gone(".status", "")
	for _, when := range []string{"at first", "after a reload"} {
		for _, text := range []string{"I read the notes.", "And once more.", "the limit of 1 was reached"} {
			if n := w.Count(".answer", text); n != 1 {
				t.Errorf("%s %q stands %d times", when, text, n)
			}
		}
		w.Reload()
		w.See(".answer", "the limit of 1 was reached")
	}
	w.clean()
}
