//go:build failpoint

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// killTold is a request that needs no tool.
func killTold(udp bool) *killAsk {
	return &killAsk{id: "one", session: "s", text: "tell one", udp: udp}
}

// appendsOfABoot counts the writes to the journal up to the moment at which a daemon
// with nothing to do serves.
func appendsOfABoot(t *testing.T) (n int) {
	t.Helper()
	k := newKilled(t, killArgs()...)
	log := filepath.Join(t.TempDir(), "hits")
	l := k.start("SHELLY_FAILPOINT_LOG=" + log)
	if _, err := k.await(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	l.kill()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "journal.append.before\n")
}

// kept returns how often a request is in the journal of a daemon that has ended.
func (k *killed) kept(a *killAsk) (times int) {
	k.t.Helper()
	s := k.store()
	times = killAcceptances(k.t, s)[a.id]
	_, known, found := s.Request(a.key())
	if known != (times > 0) {
		k.t.Errorf("request %s is in the journal %d times, has a record: %v", a.id, times, known)
	}
	must(k.t, errors.Join(found, s.Close()))
	return times
}

// Killed before a request is in the journal, the daemon has acknowledged nothing and
// kept nothing; killed right after, it has kept it once. Either way the sender asks
// again, and the request is done once (JRN-9, JRN-10).
func TestJRN9KilledAroundTheCommitARequestIsKeptOrUnknown(t *testing.T) {
	at := strconv.Itoa(appendsOfABoot(t) + 1)
	for _, c := range []struct {
		point string
		kept  int
	}{{"journal.append.before:", 0}, {"journal.append.after:", 1}} {
		for _, udp := range []bool{false, true} {
			k := newKilled(t, killArgs()...)
			ctx, cancel := context.WithTimeout(t.Context(), guard)
			defer cancel()
			l := k.start("SHELLY_FAILPOINT=" + c.point + at)
			now, err := k.await(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			a := killTold(udp)
			if err := k.askOf(ctx, now, a); err == nil || a.acknowledged {
				t.Errorf("%s: acknowledged %v, %v", c.point, a.acknowledged, err)
			}
			<-l.ended
			if kept := k.kept(a); kept != c.kept {
				t.Errorf("%s: the request is in the journal %d times, want %d", c.point, kept, c.kept)
			}
			l = k.start()
			if err := k.ask(ctx, a); err != nil || a.reply != "told one" {
				t.Errorf("%s: asked again: %q, %v\n%s", c.point, a.reply, err, l.log.text())
			}
			l.kill()
			if kept := k.kept(a); kept != 1 {
				t.Errorf("%s: after all the request is in the journal %d times", c.point, kept)
			}
		}
	}
}

// Killed before it asks the model, the daemon continues with the request at its next
// start, with nobody sending it again (JRN-5).
func TestJRN5KilledBeforeTheModelIsAskedARequestGoesOnByItself(t *testing.T) {
	k := newKilled(t, killArgs()...)
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	l := k.start("SHELLY_FAILPOINT=perform.before/ask_brain:1")
	now, err := k.await(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	a := killTold(false)
	if err := k.askOf(ctx, now, a); err == nil {
		t.Fatal("it was answered without a model")
	}
	<-l.ended
	picked := make(chan struct{})
	k.brain.after(1, func() { close(picked) })
	l = k.start()
	select {
	case <-picked:
	case <-ctx.Done():
		t.Fatalf("the model is not asked:\n%s", l.log.text())
	}
	if err := k.ask(ctx, a); err != nil || a.reply != "told one" {
		t.Errorf("got %q, %v; want %q", a.reply, err, "told one")
	}
	l.kill()
}

// A request with which the daemon dies each time is put aside after max_crashes deaths,
// and another one is answered (HND-36).
func TestHND36ARequestThatKillsTheDaemonIsPutAside(t *testing.T) {
	k := newKilled(t, append(killArgs(), "--set", "limits.max_crashes=3")...)
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	const deadly = "SHELLY_FAILPOINT=call.ended/run_tool:1" // nothing else runs a tool
	l := k.start(deadly)
	now, err := k.await(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.askOf(ctx, now, &killAsk{id: "poison", session: "p", text: "run poison"}); err == nil {
		t.Fatal("it was answered")
	}
	<-l.ended
	deaths := 1
	for l = k.start(deadly); ; l = k.start(deadly) {
		if _, aside := l.log.reach("a request waits for a person"); aside {
			break
		}
		<-l.ended
		if deaths++; deaths > 3 {
			t.Fatalf("it died %d times\n%s", deaths, l.log.text())
		}
	}
	if deaths != 3 {
		t.Errorf("put aside after %d deaths, want 3", deaths)
	}
	other := killTold(true)
	if err := k.ask(ctx, other); err != nil || other.reply != "told one" {
		t.Errorf("another request: %q, %v", other.reply, err)
	}
	l.kill()
}
