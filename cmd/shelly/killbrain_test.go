//go:build failpoint

package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"shelly/fsm"
	"shelly/runtime/mock"
)

// killBrain is a model that decides by what it is sent alone, so that asking it again
// after a crash changes nothing. For "run ID" it adds a line to a file with a command,
// writes to a chat, reads the file, writes another, and says what became of the command; for "tell ID"
// it first wants to be reminded; for "wait ID" it reads a pipe; for "note ID" and "write ID"
// it writes into its memory or into a file, and says what came of it.
type killBrain struct {
	mu   sync.Mutex
	left int // calls until then is called; 0: never
	then func()
}

const askedWhat = "What do you need to know? Say NEED: and what." // prompts.question

var (
	killWanted = regexp.MustCompile(`\b(run|tell|wait|note|write) (\w+)$`)
	killNamed  = regexp.MustCompile(`\b(?:run|tell) (\w+)`)
)

func (b *killBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	b.count()
	switch fsm.Purpose(q.Purpose) {
	case fsm.PurposeAnswer:
		return killAnswer(q), nil
	case fsm.PurposeCompact:
		return mock.Answer{Text: killConsolidated(q)}, nil
	default:
		return mock.Answer{Text: "Noted."}, nil
	}
}

// after has f called at the n-th call from now on.
func (b *killBrain) after(n int, f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.then = n, f
}

func (b *killBrain) count() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return
	}
	if b.left--; b.left == 0 {
		b.then()
	}
}

// killAnswer continues where the conversation stands.
func killAnswer(q mock.Question) mock.Answer {
	verb, id, results, reminded := killStanding(q.Messages)
	last := q.Messages[len(q.Messages)-1].Text
	switch {
	case verb == "tell" && strings.HasPrefix(last, askedWhat) && !reminded:
		return mock.Answer{Text: "NEED: what was noted of " + id}
	case verb == "wait" && len(results) == 0:
		return killCall("exec", `{"command":"cat pipe"}`)
	case verb == "wait":
		return mock.Answer{Text: "waited " + id}
	case verb == "note" && len(results) == 0:
		return killCall("memory_write", fmt.Sprintf(`{"text":"noted %s"}`, id))
	case verb == "write" && len(results) == 0:
		return killCall("write_file", fmt.Sprintf(`{"path":"written","content":"%s\n"}`, id))
	case verb == "note", verb == "write":
		return mock.Answer{Text: strings.TrimSpace(results[0])}
	case verb == "tell":
		return mock.Answer{Text: "told " + id}
	}
	switch len(results) {
	case 0:
		return killCall("exec", fmt.Sprintf(`{"command":"echo %s >> starts"}`, id))
	case 1:
		return killCall("message", fmt.Sprintf(`{"content":"news of %s","channel":"desk","chat_id":"one"}`, id))
	case 2:
		return killCall("read_file", `{"path":"starts"}`)
	case 3:
		return killCall("write_file", fmt.Sprintf(`{"path":"written-%s","content":"%s\n"}`, id, id))
	default:
		outcome := "ok"
		if results[0] == fsm.PresentWords().Text(fsm.WordUnknownOutcome) {
			outcome = "unknown"
		}
		return mock.Answer{Text: "ran " + id + ": " + outcome}
	}
}

func killCall(tool, args string) mock.Answer {
	return mock.Answer{Calls: []fsm.ToolCall{{Name: tool, Args: args}}}
}

// killStanding finds the request that is worked on, what its tools said so far, and
// whether a need was told.
func killStanding(messages []fsm.Message) (verb, id string, results []string, reminded bool) {
	for _, m := range messages {
		switch {
		case m.Role == fsm.RoleUser && killWanted.MatchString(m.Text):
			found := killWanted.FindStringSubmatch(m.Text)
			verb, id, results, reminded = found[1], found[2], nil, false
		case m.Role == fsm.RoleTool:
			results = append(results, m.Text)
		case m.Role == fsm.RoleAssistant && strings.HasPrefix(m.Text, "NEED:"):
			reminded = true
		}
	}
	return verb, id, results, reminded
}

// killConsolidated names each request of a conversation once, in HISTORY.md and in
// MEMORY.md.
func killConsolidated(q mock.Question) string {
	var ids []string
	seen := map[string]bool{}
	for _, m := range q.Messages {
		for _, found := range killNamed.FindAllStringSubmatch(m.Text, -1) {
			if id := found[1]; !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	all := strings.Join(ids, " ")
	return fmt.Sprintf(`{"history_entry": "[2026-01-31 09:00] Asked: %s.", "memory_update": "Known: %s."}`, all, all)
}
