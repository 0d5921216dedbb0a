package chat

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"

	"shelly/cmd/shelly/chat/talk"
	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/wording"
)

const (
	frameEvery  = 33 * time.Millisecond // streamed text is drawn at most this often
	beatEvery   = 250 * time.Millisecond
	stopsWithin = 50 * time.Millisecond // if ^Z has not stopped the chat twice that long, it does not
)

// loop brings together the keyboard, the daemon and the screen.
type loop struct {
	in, out *os.File
	model   *talk.Model
	desk    *desk
	screen  screen
	rows    int // of the window

	raw   *term.State // the terminal's mode before the chat
	drawn time.Time
	quit  bool
	away  <-chan time.Time // not nil: the terminal is the shell's, until SIGCONT or the last of the waits
	waits int              // a stop lets one of them pass before SIGCONT is heard
}

// run runs the chat to its end. The first frame is drawn before anything is requested.
func (l *loop) run() (err error) {
	if l.raw, err = term.MakeRaw(l.in.Fd()); err != nil {
		return exit.Errorf(exit.Usage, "this terminal cannot be used for a chat: %w", err)
	}
	defer l.restore()
	l.screen.out = l.out
	fmt.Fprint(l.out, pasteOn+keysOn)
	l.resized()
	if err := l.draw(); err != nil {
		return err
	}
	reader, err := uv.NewCancelReader(l.in)
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	events, over := make(chan uv.Event), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		defer close(over)
		ended <- uv.NewTerminalReader(reader, os.Getenv("TERM")).StreamEvents(ctx, events)
	}()
	defer func() { // the reader must have ended before the terminal is closed
		cancel()
		for waits := reader.Cancel(); waits; {
			select {
			case <-events:
			case <-over:
				waits = false
			}
		}
	}()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, signalled()...)
	defer signal.Stop(signals)
	go l.desk.greet(l.model.Session())
	return l.serve(events, ended, signals)
}

// serve handles events, one at a time.
func (l *loop) serve(events <-chan uv.Event, ended <-chan error, signals <-chan os.Signal) error {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	frame := time.NewTimer(frameEvery)
	defer frame.Stop()
	dirty := false
	for !l.quit {
		now := false // draw at once: the person waits to see what was typed
		select {
		case e := <-events:
			if msg := typed(e); msg != nil {
				l.update(msg)
				now = true
			}
		case msg := <-l.desk.msgs:
			l.update(msg)
			dirty = true
			if since := time.Since(l.drawn); since >= frameEvery {
				now = true
			} else {
				frame.Reset(frameEvery - since)
			}
		case <-frame.C:
			now = dirty
		case <-beat.C:
			if l.model.Busy() {
				l.update(talk.Tick{})
				now = true
			}
		case err := <-l.desk.fatal:
			return err
		case err := <-ended:
			return err
		case s := <-signals:
			if err := l.signalled(s); err != nil {
				return err
			}
			now = true
		case <-l.away:
			if l.waits--; l.waits > 0 {
				l.away = time.After(stopsWithin)
			} else {
				l.resumed()
				now = true
			}
		}
		if now && l.away == nil {
			dirty = false
			if err := l.draw(); err != nil {
				return err
			}
		}
	}
	return nil
}

// signalled handles a signal; its error ends the chat.
func (l *loop) signalled(s os.Signal) error {
	if s == syscall.SIGTERM || s == syscall.SIGHUP {
		return exit.Silent(128 + int(s.(syscall.Signal)))
	}
	if goesOn(s) {
		l.resumed()
	}
	l.resized()
	return nil
}

// update passes a message to the conversation and performs the effects.
func (l *loop) update(msg talk.Msg) {
	for _, effect := range l.model.Update(time.Now(), msg) {
		switch effect.(type) {
		case talk.Quit:
			l.quit = true
		case talk.Suspend:
			l.suspend()
		case talk.Clear:
			_ = l.screen.clear(l.rows) // a terminal that cannot be written to ends the chat at the next frame
		default:
			l.desk.start(effect)
		}
	}
}

func (l *loop) draw() error {
	f := l.model.Frame()
	l.drawn = time.Now()
	return l.screen.draw(f.Above, f.Live, f.X, f.Y)
}

// resized reads the window's size.
func (l *loop) resized() {
	columns, rows, err := term.GetSize(l.out.Fd())
	if err != nil || columns <= 0 || rows <= 0 { // the terminal does not report its size
		columns, rows = 80, 24
	}
	l.screen.resize(columns)
	l.rows = rows
	l.update(talk.Resized{Width: columns, Height: rows})
}

// suspend stops the chat as ^Z does in a shell, which has the terminal until the chat resumes. Where
// no shell could resume it, as in a terminal of its own or over ssh -t, the system does not stop it.
func (l *loop) suspend() {
	_ = l.screen.draw(nil, nil, 0, 0)
	fmt.Fprint(l.out, keysOff+pasteOff)
	_ = term.Restore(l.in.Fd(), l.raw)
	stop()
	l.away, l.waits = time.After(stopsWithin), 2
}

// resumed takes the terminal back.
func (l *loop) resumed() {
	l.away = nil
	if _, err := term.MakeRaw(l.in.Fd()); err == nil {
		fmt.Fprint(l.out, pasteOn+keysOn)
		l.screen.lines, l.screen.x, l.screen.y = nil, 0, 0
	}
}

// restore restores the terminal's mode, and says which requests are still running.
func (l *loop) restore() {
	unfinished := l.model.Unfinished()
	l.model.Update(time.Now(), talk.Key{Name: "ctrl+d"})
	f := l.model.Frame()
	_ = l.screen.draw(f.Above, nil, 0, 0)
	fmt.Fprint(l.out, keysOff+pasteOff)
	_ = term.Restore(l.in.Fd(), l.raw)
	for i, id := range unfinished {
		unfinished[i] = "shelly request show " + wording.ShellArgument(id)
	}
	if len(unfinished) > 0 {
		fmt.Fprintf(l.out, "shelly continues what is running; see %s\n", strings.Join(unfinished, "; "))
	}
}
