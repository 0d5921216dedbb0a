package terminal

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"

	"shelly/runtime/system"
)

// Keys are the keys that a person presses while a program works. The terminal has its own
// mode back after End, while a line is asked for, while the program is stopped by ^Z, and
// when a signal ends it.
type Keys struct {
	in      *os.File
	bytes   chan byte
	signals chan os.Signal

	mu      sync.Mutex
	restore func() // nil: the terminal has its own mode
}

// ReadKeys begins to read keys, or returns nil where in and out are not the terminal of a
// person who can press some.
func ReadKeys(in io.Reader, out io.Writer) *Keys {
	f, ok := in.(*os.File)
	if !ok || !Is(f) || !Is(out) {
		return nil
	}
	k := &Keys{in: f, bytes: make(chan byte, 64), signals: make(chan os.Signal, 4)}
	if !k.grab() {
		return nil
	}
	ends, stop, continued := system.Stops()
	signal.Notify(k.signals, append(ends, stop, continued)...)
	go k.mind(stop, continued)
	go k.read()
	return k
}

// grab lets keys come one by one, also where the shell has taken that back meanwhile.
func (k *Keys) grab() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	restore, err := system.Keys(k.in.Fd())
	if err != nil {
		return false
	}
	if k.restore == nil {
		k.restore = restore
	}
	return true
}

// release gives the terminal its own mode back.
func (k *Keys) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.restore != nil {
		k.restore()
		k.restore = nil
	}
}

// mind puts the terminal right before a signal stops or ends the program.
func (k *Keys) mind(stop, continued os.Signal) {
	for s := range k.signals {
		switch s {
		case continued:
			k.grab() // it may be in the background, and in front later
		case stop:
			k.release()
			system.Stop() // other threads may run on for a moment: what comes next waits for continued
		default:
			k.release()
			signal.Reset(s)
			system.Send(s)
		}
	}
}

// read reads as long as there is anything to be read.
func (k *Keys) read() {
	defer close(k.bytes)
	var buf [64]byte
	for {
		n, err := k.in.Read(buf[:])
		for _, b := range buf[:n] {
			k.bytes <- b
		}
		if err != nil {
			return
		}
	}
}

// Pressed are the keys, a byte each; of one that sends several all of them. A nil Keys has
// none.
func (k *Keys) Pressed() <-chan byte {
	if k == nil {
		return nil
	}
	return k.bytes
}

// Line asks for a line, which the terminal lets a person edit as in a shell. It reports
// whether there was one.
func (k *Keys) Line(ctx context.Context, out io.Writer, prompt string) (line string, ok bool) {
	k.release()
	defer k.grab()
	_, _ = io.WriteString(out, prompt)
	var b strings.Builder
	for {
		select {
		case <-ctx.Done():
			return "", false
		case c, open := <-k.bytes:
			switch {
			case !open:
				return "", false
			case c == '\n':
				return b.String(), true
			}
			b.WriteByte(c)
		}
	}
}

// End gives the terminal its own mode back.
func (k *Keys) End() {
	if k == nil {
		return
	}
	signal.Stop(k.signals)
	k.release()
}
