//go:build failpoint

package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

// again asks a process for each reply once more: it is the one that was given.
func (k *killed) again(ctx context.Context, l *life, requests []*killAsk) {
	k.t.Helper()
	now, err := k.await(ctx, l.number-1)
	if err != nil {
		k.t.Fatalf("%v\n%s", err, l.log.text())
	}
	for _, a := range requests {
		other := *a
		other.ears = killEars{}
		if err := k.askOf(ctx, now, &other); err != nil || other.reply != a.reply {
			k.t.Errorf("request %s asked again: %q, %v; the reply was %q", a.id, other.reply, err, a.reply)
		}
		a.checkHeard(k.t, other.ears)
	}
}

// check holds what is left of a run, with every request answered and the daemon
// stopped, against what was promised. It returns how many outcomes are unknown.
func (k *killed) check(requests []*killAsk) (unknown int) {
	k.t.Helper()
	s := k.store()
	defer func() {
		if err := s.Close(); err != nil {
			k.t.Error(err)
		}
	}()
	if v, err := engine.Validate(s); err != nil || v.Wrong != nil {
		k.t.Errorf("the journal: %v, %v", v.Wrong, err)
	}
	k.checkRequests(s, requests)
	k.checkMessages(s, requests)
	k.checkMemory(s, requests)
	k.checkSessions(s, requests)
	k.checkTold(requests)
	return k.checkStarts(requests)
}

// killOnce: what requests have done to the world they have done once.
func (k *killed) killOnce(requests []*killAsk) {
	k.t.Helper()
	s := k.store()
	k.checkMessages(s, requests)
	k.checkStarts(requests)
	if err := s.Close(); err != nil {
		k.t.Error(err)
	}
}

// checkRequests: each is accepted once, and its reply is the one that its sender has.
func (k *killed) checkRequests(s *store.Store, requests []*killAsk) {
	k.t.Helper()
	accepted := killAcceptances(k.t, s)
	for _, a := range requests {
		r, ok, err := s.Request(a.key())
		if err != nil || !ok || !r.Done || r.Reply != a.reply || r.IsError {
			k.t.Errorf("request %s: record %+v, %v, %v; the reply was %q of %q", a.id, r, ok, err, a.reply, a.stood)
		}
		if accepted[a.id] != 1 {
			k.t.Errorf("request %s is in the journal %d times", a.id, accepted[a.id])
		}
	}
}

// killAcceptances counts how often each request is in a journal.
func killAcceptances(t testing.TB, s *store.Store) map[string]int {
	t.Helper()
	counts := map[string]int{}
	kept, err := s.Kept()
	if err == nil {
		err = s.Replay(kept.First-1, func(r engine.Record) error {
			if in, ok := r.Input.Fact.(fsm.Requested); ok {
				counts[in.Request.ID]++
			}
			return nil
		})
	}
	if err != nil {
		t.Error(err)
	}
	return counts
}

// killRuns are the requests that run the command.
func killRuns(requests []*killAsk) (list []*killAsk) {
	for _, a := range requests {
		if strings.HasPrefix(a.text, "run ") {
			list = append(list, a)
		}
	}
	return list
}

// checkMessages: what a request sends to a chat is sent once.
func (k *killed) checkMessages(s *store.Store, requests []*killAsk) {
	k.t.Helper()
	sent := map[string]int{}
	messages, err := s.Messages(fsm.Origin{Channel: "desk", Chat: "one"}, 0, engine.ReadMax)
	if err != nil {
		k.t.Error(err)
	}
	for _, m := range messages {
		sent[m.Text]++
	}
	for _, a := range killRuns(requests) {
		if text := "news of " + a.id; sent[text] != 1 {
			k.t.Errorf("request %s sent its message %d times", a.id, sent[text])
		}
	}
}

// checkMemory: each request has one entry, and it is whole.
func (k *killed) checkMemory(s *store.Store, requests []*killAsk) {
	k.t.Helper()
	found := map[string]int{}
	err := s.Entries(func(e fsm.Entry) error {
		if e.Summary == "" || len(e.Vector) == 0 {
			k.t.Errorf("entry %s is not whole: summary %q, %d bytes of vector", e.ID, e.Summary, len(e.Vector))
		}
		for _, a := range requests {
			if strings.Contains(e.Text, a.text) {
				found[a.id]++
			}
		}
		return nil
	})
	if err != nil {
		k.t.Error(err)
	}
	for _, a := range requests {
		if found[a.id] == 0 {
			k.t.Errorf("request %s is not remembered", a.id)
		}
	}
}

// checkSessions: each turn is archived once, and the files that the sessions share hold
// whole entries, each request's once.
func (k *killed) checkSessions(s *store.Store, requests []*killAsk) {
	k.t.Helper()
	sessions, err := session.Open(k.data, s, time.Now)
	if err != nil {
		k.t.Fatal(err)
	}
	said := map[string]int{}
	for _, id := range killSessions(requests) {
		archive, err := sessions.Archive(id, 0, engine.ReadMax)
		if err != nil {
			k.t.Error(err)
		}
		for _, part := range archive {
			if part.Message.Role == fsm.RoleUser {
				said[part.Message.Text]++
			}
		}
	}
	for _, a := range requests {
		if !a.as.own() && said[a.text] != 1 {
			k.t.Errorf("request %s is in the archive %d times", a.id, said[a.text])
		}
	}
	killWholeLines(k.t, filepath.Join(k.data, "memory", "HISTORY.md"), `(\[2026-01-31 09:00\] Asked: [\w ]+\.|<!-- shelly turn \w+ \w+ -->|)`)
	killWholeLines(k.t, filepath.Join(k.data, "memory", "MEMORY.md"), `(Known: [\w ]+\.|<!-- shelly turn \w+( from=[\w,]+@\w+)?( \w+)+ -->|)`)
}

// killSessions are the sessions of requests.
func killSessions(requests []*killAsk) (ids []string) {
	for _, a := range requests {
		if !slices.Contains(ids, a.session) {
			ids = append(ids, a.session)
		}
	}
	return ids
}

// killWholeLines: every line of a file looks like one that is written, the last is ended,
// and none with an entry comes twice.
func killWholeLines(t testing.TB, path, line string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	whole := regexp.MustCompile(`^` + line + `$`)
	seen := map[string]bool{}
	lines := strings.Split(string(text), "\n")
	for _, l := range lines {
		if !whole.MatchString(l) || l != "" && seen[l] {
			t.Errorf("%s: line %q of\n%s", filepath.Base(path), l, text)
		}
		seen[l] = true
	}
	if lines[len(lines)-1] != "" {
		t.Errorf("%s ends within a line:\n%s", filepath.Base(path), text)
	}
}

// checkStarts: the command of each request has run at most once, and where its reply
// says that it did, once.
func (k *killed) checkStarts(requests []*killAsk) (unknown int) {
	k.t.Helper()
	text, err := os.ReadFile(filepath.Join(k.dir, "starts"))
	if err != nil && !os.IsNotExist(err) {
		k.t.Error(err)
	}
	started := map[string]int{}
	for _, id := range strings.Fields(string(text)) {
		started[id]++
	}
	for _, a := range killRuns(requests) {
		switch a.reply {
		case "ran " + a.id + ": ok":
			if started[a.id] != 1 {
				k.t.Errorf("request %s started its command %d times, want once", a.id, started[a.id])
			}
		case "ran " + a.id + ": unknown":
			unknown++
			if started[a.id] > 1 {
				k.t.Errorf("request %s started its command %d times, want at most once", a.id, started[a.id])
			}
		default:
			k.t.Errorf("request %s: reply %q", a.id, a.reply)
		}
	}
	return unknown
}
