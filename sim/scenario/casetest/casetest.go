// Package casetest has what the tests of the scenario format's packages share: cases, and
// the comparison with a file of testdata.
package casetest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Valid is a small case that holds.
const Valid = `scenario: 1
name: hello
tools:
  exec:
    - {returns: "x", takes: 1s}
brain:
  - {says: "hello"}
timeline:
  - {user: "hi"}
expect:
  replies: ["hello"]
`

// Busy is a case, without expectations, in which much happens.
const Busy = `scenario: 1
name: much happens
profile: shelly
tools:
  exec:
    - {args: {command: df}, returns: "92%", takes: 300ms}
memory:
  - {summary: "Old."}
brain:
  - sees: {last: {role: user}, tools: [exec]}
    calls: [{tool: exec, args: {command: df}}]
    takes: 1s
  - {says: "It is 92% full.", takes: 1s}
  - {fails: {code: busy, message: "try later"}}
timeline:
  - {at: 0s, user: "How full?"}
  - {at: 10s, event: {source: disk, kind: full}}
  - {at: 20s, duplicate_last: true}
  - {at: 30s, user: "Other?", id: r1}
  - {at: 40s, shutdown: TERM}
`

// Live is a case of a live model.
const Live = `scenario: 1
name: a live one
brain: live
timeline: [{user: "?"}]
expect: {ends: serving}
`

// Office is a case of sessions, skills, people, subagents and schedules.
const Office = `scenario: 1
name: an office
profile: nanobot
config: {temperature: 0.25, backoff: [1s], cancel: immediate}
clock: {until: 70s}
about: {name: Ada}
memory_file: "Ann likes tea."
skills: [{name: weather, summary: tells it, text: "Look up."}]
sessions: {"web:7": {history: [{role: user, text: Hi}, {role: assistant, text: Hello, used: [exec]}]}}
tools:
  exec: [{returns: ok, approve: true}]
brain:
  - sees: {count: 4, system: {$contains: "Ann likes tea."}, options: {temperature: 0.25}, tools: {$contains: spawn}, last: {images: [png]}}
    session: "web:7"
    calls: [{tool: exec, args: {n: 1}}, {tool: load_skill, args: {name: weather}}, {tool: spawn, args: {task: count}}]
  - {fails: {code: busy}}
  - calls: [{tool: message, args: {content: "psst", channel: mail, chat_id: ann}}, {tool: cron, args: {action: add, message: look, every_seconds: 60}}]
  - {says: "Begun.", tokens: {prompt: 100, answer: 5}}
  - {says: "Counted."}
  - {says: "Looked."}
brain_for:
  subagent: [{says: "3"}]
timeline:
  - {user: "Go", channel: web, chat: "7", images: [png]}
  - {at: 1s, user: "And?", channel: web, chat: "7"}
  - {at: 2s, cancel: r2}
  - {at: 5s, approve: true}
`

var update = flag.Bool("update", false, "rewrite the golden files")

// Update reports whether files that tests compare with are to be rewritten.
func Update() bool { return *update }

// SameAsFile compares what people read with testdata/NAME.golden.
func SameAsFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
