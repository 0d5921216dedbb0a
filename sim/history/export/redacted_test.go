package export

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/history/redact"
	"shelly/sim/scenario"
)

// recorded is the record of the last request of a case, in a session that has a past.
func recorded(t *testing.T, text string) *Record {
	t.Helper()
	f, err := scenario.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	result, err := sim.Run(f.Plan(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(lived(t, result), result.Requests[len(result.Requests)-1].Key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const withSecret = `
scenario: 1
name: x
profile: nanobot
sessions: {"cli:direct": {history: [{role: user, text: "my key is opensesame-1"}, {role: assistant, text: "I see."}]}}
tools: {look: [{returns: "opensesame-1 and opensesame-2"}]}
brain:
  - {calls: [{tool: look, args: {key: "opensesame-1"}}], thinks: "opensesame-1?"}
  - says: "opensesame-2 fits."
timeline:
  - {user: "is it opensesame-1?", images: [one, two, one]}
expect: {replies: {$any: true}}
`

// Whatever text of the record has the secret, no byte of the file does, and the machine
// takes the same way (SCN-48).
func TestSCN48NoTextOfARecordKeepsASecret(t *testing.T) {
	r := recorded(t, withSecret)
	moves := len(r.Steps[2].Moves)
	by := redact.New(redact.Secret{Kind: "one", Text: "opensesame-1"}, redact.Secret{Kind: "two", Text: "opensesame-2"})
	if err := r.Redact(by, false); err != nil {
		t.Fatal(err)
	}
	file, err := r.Replay()
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Check(by); err != nil || bytes.Contains(file.Source, []byte("opensesame")) {
		t.Errorf("got %v and\n%s; want no %q in it", err, file.Source, "opensesame")
	}
	if counts := by.Counts(); len(counts) != 2 || counts[0].Times < 5 || counts[1].Times < 2 {
		t.Errorf("counted %v", counts)
	}
	if in, ok := r.Steps[0].Input.Fact.(fsm.Requested); !ok || string(in.Images[0]) != "[image-1, 3 bytes]" || string(in.Images[1]) != "[image-2, 3 bytes]" ||
		!bytes.Equal(in.Images[0], in.Images[2]) || len(r.Steps[2].Moves) != moves {
		t.Errorf("the request became %+v", in)
	}
}

const approvedSecret = `
scenario: 1
name: x
profile: default
config: {no_cognition: true, remember: off}
tools: {exec: [{args: {command: "rm opensesame-1"}, returns: "removed", approve: true}]}
brain: [{calls: [{tool: exec, args: {command: "rm opensesame-1"}}]}, {says: "Gone."}]
timeline: [{user: "Remove opensesame-1."}, {at: 5s, approve: true}]
expect: {replies: [{text: "Gone."}]}
`

// What a person decides, for which later calls, and why not, is in the story (SCN-47).
func TestSCN47ADecisionKeepsItsGrantAndItsReason(t *testing.T) {
	for _, how := range []string{
		"approve: true", "approve: {grant: session}", "approve: {by: ann, grant: always}", "deny: {reason: it is late}",
	} {
		file, err := recorded(t, strings.Replace(approvedSecret, "at: 5s, approve: true", "at: 5s, "+how, 1)).Scenario()
		if err != nil || !strings.Contains(string(file.Source), how) {
			t.Errorf("%v, no %q in\n%s", err, how, file.Source)
		}
	}
}

// A decision names the call that it is about, and what is asked and called is part of
// that name: it is still the same decision with both replaced (SCN-48).
func TestSCN48ADecisionMeetsItsCallWithSecretsReplaced(t *testing.T) {
	r := recorded(t, approvedSecret)
	if err := r.Redact(redact.New(redact.Secret{Kind: "one", Text: "opensesame-1"}), false); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Replay(); err != nil {
		t.Error(err)
	}
}

// A secret that is in the bytes for whatever reason keeps the file from being written
// (SCN-48).
func TestSCN48AFileWithASecretIsRefused(t *testing.T) {
	by := redact.New(redact.Secret{Kind: "one", Text: "opensesame-1"})
	for _, source := range []string{"a: opensesame-1\n", "a: b3BlbnNlc2FtZS0x\n", `a: "opensesame\x2d1"` + "\n", "# opensesame-1\na: 1\n", "a: 'password: hunter2'\n"} {
		file := File{Source: []byte(source)}
		if err := file.Check(by); err == nil || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%q: %v; want an error that names the kind alone", source, err)
		}
	}
	if err := (&File{Source: []byte("a: open sesame\n")}).Check(by); err != nil {
		t.Error(err)
	}
}

// What is no secret in a text is none in the file, which doubles the dollar sign before a brace.
func TestSCN48ADollarInATextIsNoSecret(t *testing.T) {
	r, by := recorded(t, `
scenario: 1
name: x
profile: default
brain: [{says: "The address is /a?token=$${x}&b=1."}]
timeline: [{user: "which address?"}]
expect: {replies: {$any: true}}
`), redact.New()
	if err := r.Redact(by, false); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func() (*File, error){"replay": r.Replay, "scenario": r.Scenario} { // order-free: each writes its own file
		file, err := write()
		if err != nil {
			t.Fatalf("%s: got %v; want no error", name, err)
		}
		if err := file.Check(by); err != nil {
			t.Errorf("%s: got %v; want no error", name, err)
		}
	}
}

// Where the machine decides by a secret, nothing is exported (SCN-48).
func TestSCN48AnotherWayIsRefused(t *testing.T) {
	other := recorded(t, withSecret)
	other.Steps[2].Moves = other.Steps[2].Moves[1:]
	if err := other.Redact(redact.New(), true); err == nil || !strings.Contains(err.Error(), "record 4") {
		t.Errorf("%v; want record 4", err)
	}
}

// A conversation that continues from the state is hashed as its texts are by then.
func TestSCN48AConversationIsHashedAgain(t *testing.T) {
	talk := func(text string) fsm.Conversation {
		return fsm.Conversation{Messages: []fsm.Message{{Role: fsm.RoleUser, Text: text}}}.Again()
	}
	r := Record{From: state.Snapshot{Handles: []state.Handle{
		{
			Accepted:  state.Accepted{ID: 1},
			Inferring: state.Inferring{Talk: talk("opensesame-1"), Inf: state.Inference{Begun: state.Begun{Talk: talk("is it opensesame-1?")}}},
		}, {Accepted: state.Accepted{ID: 2}, Inferring: state.Inferring{Talk: talk("no")}},
	}}}
	if err := r.Redact(redact.New(redact.Secret{Kind: "one", Text: "opensesame-1"}), true); err != nil {
		t.Fatal(err)
	}
	h := r.From.Handles
	for _, pair := range [][2]fsm.Conversation{
		{h[0].Talk, talk("[secret-1xx]")}, {h[0].Inf.Talk, talk("is it [secret-1xx]?")}, {h[1].Talk, talk("no")},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%+v; want %+v", pair[0], pair[1])
		}
	}
}

// A record that today's code decides differently is named (SCN-46).
func TestSCN46ARecordDecidedDifferentlyIsNamed(t *testing.T) {
	f, err := scenario.Parse("f", []byte(withSecret))
	if err != nil {
		t.Fatal(err)
	}
	result, err := sim.Run(f.Plan(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records, other := lived(t, result).Records(), engine.NewMemoryJournal()
	records[3].Effects++
	if err := other.Append(engine.Batch{Records: records, Requests: result.Requests}, true); err != nil {
		t.Fatal(err)
	}
	r, err := Read(other, result.Requests[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Differs(); got != 4 {
		t.Errorf("record %d; want 4", got)
	}
	if got := recorded(t, withSecret).Differs(); got != 0 {
		t.Errorf("record %d of a record that is decided as it was", got)
	}
}

// A secret across the places where a long result was cut is in no part of it (SCN-48).
func TestSCN48APartOfAResultEndsWithNoPartOfASecret(t *testing.T) {
	const secret = "xqzj-vwkp-yh"
	r := recorded(t, `
scenario: 1
name: x
profile: default
config: {no_cognition: true, remember: off, tell_time: false}
server: laptop
tools: {look: [{returns: "`+strings.Repeat(secret, 2600)+`"}]}
brain:
  - {calls: [{tool: look}]}
  - {calls: [{tool: read_more, args: {result: 1, from: 15007}}]}
  - {says: "It is long."}
timeline: [{user: "Look."}]
expect: {replies: {$any: true}}
`)
	by := redact.New(redact.Secret{Kind: "one", Text: secret})
	if err := r.Redact(by, false); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func() (*File, error){"replay": r.Replay, "scenario": r.Scenario} { // order-free: each writes its own file
		file, err := write()
		if err != nil {
			t.Fatalf("%s: got %v; want no error", name, err)
		}
		if err := file.Check(by); err != nil {
			t.Errorf("%s: got %v; want no error", name, err)
		}
		for _, part := range []string{"xqz", "-yh"} {
			if bytes.Contains(file.Source, []byte(part)) {
				t.Errorf("%s: %q is in\n%s", name, part, file.Source)
			}
		}
	}
}
