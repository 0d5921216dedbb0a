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

// Keys are the keys that a person presses while a program works. The terminal is back in its
// original mode after End, while a line is read, while the program is stopped by ^Z, and when a
// signal ends it.
type Keys struct {
	in      *os.File
	bytes   chan byte
	signals chan os.Signal

	mu      sync.Mutex
	restore func() // nil: the terminal has its original mode
}

// ReadKeys begins to read keys. It returns nil unless in and out are a terminal.
func ReadKeys(in io.Reader, out io.Writer) *Keys {
	f, ok := File(in)
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

// grab makes keys arrive one by one, also if the shell has reset that in between.
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

// release restores the terminal's original mode.
func (k *Keys) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.restore != nil {
		k.restore()
		k.restore = nil
	}
}

// mind restores the terminal before a signal stops or ends the program.
func (k *Keys) mind(stop, continued os.Signal) {
	for s := range k.signals {
		switch s {
		case continued:
			k.grab() // it may be in the background now, and in the foreground later
		case stop:
			k.release()
			system.Stop() // other threads may run for a moment longer, so wait for continued
		default:
			k.release()
			signal.Reset(s)
			system.Send(s)
		}
	}
}

// read reads keys until there are no more.
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

// Pressed returns the keys as bytes; a key that sends several bytes yields all of them. A nil
// Keys has none.
func (k *Keys) Pressed() <-chan byte {
	if k == nil {
		return nil
	}
	return k.bytes
}

// Line reads a line, which the terminal lets a person edit as in a shell. It reports whether
// there was one.
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

// End restores the terminal's original mode.
func (k *Keys) End() {
	if k == nil {
		return
	}
	signal.Stop(k.signals)
	k.release()
}
