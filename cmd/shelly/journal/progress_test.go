package journal

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
)

func TestCLI219ALongReadingSaysHowFarItIs(t *testing.T) {
	var errs bytes.Buffer
	p := &progress{line: terminal.NewLine(io.Discard)}
	shows := func(want string) {
		t.Helper()
		if got := p.now(); got != want {
			t.Errorf("it shows %q, want %q", got, want)
		}
	}
	p.doing("reading the store")
	shows("reading the store…")

	j := engine.NewMemoryJournal()
	for index := uint64(1); index <= 3; index++ {
		if err := j.Append(engine.Batch{Records: []engine.Record{{Index: index, Input: fsm.Input{Fact: fsm.TimerFired{Timer: 1}}}}}, true); err != nil {
			t.Fatal(err)
		}
	}
	watched := p.checking(j)
	shows("checking record 0 of 3")
	if err := watched.Replay(0, func(r engine.Record) error {
		if r.Index == 2 {
			shows("checking record 2 of 3")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}

	p.doing("the store is read before it is written")
	to := p.writing(io.Discard)
	shows("the store is read before it is written…")
	if _, err := to.Write(make([]byte, 2048)); err != nil {
		t.Fatal(err)
	}
	shows("2.0 kB written")

	from := p.reading(strings.NewReader("backup"))
	if _, err := from.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	shows("3 B of the backup read")
	if _, err := io.ReadAll(from); err != nil {
		t.Fatal(err)
	}
	shows("replaying its journal…")

	if _, end := show(&terminal.Terminal{Err: &errs}, "reading"); true {
		end()
	}
	if errs.Len() > 0 {
		t.Errorf("what is no terminal shows %q", errs.String())
	}
}
