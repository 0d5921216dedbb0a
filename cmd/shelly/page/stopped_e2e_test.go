//go:build browser_e2e

package page

import (
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

func TestCOM111WhatWasWrittenOfACancelledAnswerStays(t *testing.T) {
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
