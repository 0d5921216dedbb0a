//go:build failpoint && linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// The ways to ask with `shelly ask`, whose process outlives the daemon.
const (
	asTerminal killAs = "terminal" // a person reads the answer as it is streamed
	asPipe     killAs = "pipe"     // a program reads the events
)

// killAskers are conversations of two terminals and of a program.
func killAskers() [][]*killAsk {
	return [][]*killAsk{
		{
			{id: "t1", session: "first", text: "run t1", as: asTerminal},
			{id: "t2", session: "first", text: "tell t2", as: asTerminal},
			{id: "t3", session: "first", text: "tell t3", as: asTerminal},
		},
		{{id: "q1", session: "second", text: "tell q1", as: asTerminal}, {id: "q2", session: "second", text: "run q2", as: asTerminal}},
		{{id: "p1", session: "third", text: "tell p1", as: asPipe}, {id: "p2", session: "third", text: "run p2", as: asPipe}},
	}
}

// The daemon is killed with SIGKILL at each named point, at its first hit, while `shelly ask` is
// attached. What stands on the terminal is the answer, once and whole, and so
// is what a program puts together of the events (CLI-5, CLI-214, COM-90).
func TestKilledAtANamedPointAskShowsTheAnswerOnce(t *testing.T) {
	c := campaign{t: t, world: ofTalks(killAskers)}
	c.at(firstHits(c.world(t).hits(), 4))
}

// overAsk runs `shelly ask`. What it gives up is asked for again.
func (a *killAsk) overAsk(ctx context.Context, k *killed) error {
	args := []string{"ask", "--data", k.data, "--id", a.id, "--session", a.session, a.text}
	if a.as == asPipe {
		out, err := exec.CommandContext(ctx, k.bin, append(args, "--json")...).Output()
		return a.read(out, err)
	}
	person, program, err := openTerminal()
	if err != nil {
		return err
	}
	defer func() { _ = person.Close() }()
	c := exec.CommandContext(ctx, k.bin, args...)
	c.Stdin, c.Stdout, c.Stderr = program, program, program
	c.Env = append(os.Environ(), "TERM=xterm")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = c.Start()
	_ = program.Close()
	if err != nil {
		return err
	}
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, person) // which ends with an error when nobody has the other end any more
	if err := c.Wait(); err != nil {
		return errKilled
	}
	a.acknowledged, a.reply, a.stood = true, shownAnswer(shown.String()), shown.String()
	return nil
}

// read takes the events that a program has got.
func (a *killAsk) read(out []byte, ended error) error {
	exit := (*exec.ExitError)(nil)
	if ended != nil && !errors.As(ended, &exit) {
		return ended
	}
	heard := killEars{}
	for line := range bytes.Lines(out) {
		var e comm.Event
		if err := json.Unmarshal(line, &e); err != nil {
			a.wrong = append(a.wrong, fmt.Sprintf("%q is no event", line))
			continue
		}
		heard.hear(e, position.Position{}.String())
		if e.Type == comm.EventReply {
			a.acknowledged, a.reply = true, e.Text
		}
	}
	if ended != nil {
		return errKilled
	}
	if n := len(heard.texts); len(heard.wrong) > 0 || n > 0 && heard.texts[n-1] != a.reply {
		a.wrong = append(a.wrong, fmt.Sprintf("%v, and the texts %q of the reply %q", heard.wrong, heard.texts, a.reply))
	}
	return nil
}
