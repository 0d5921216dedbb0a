package chat

import (
	"testing"
	"testing/synctest"
	"time"

	"shelly/cmd/shelly/chat/talk"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/config"
)

// Whoever presses ^C twice leaves, and the request is cancelled all the same.
func TestCLI212ALeavingChatDeliversItsCancel(t *testing.T) {
	for name, answers := range map[string]bool{"a daemon that answers": true, "a daemon that answers never": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(config.Config{Data: t.TempDir()}, &Command{}, fsm.Origin{}, terminal.Shell(nil))
				began := time.Now()
				d.cancels.Add(1)
				go func() {
					defer d.cancels.Done()
					synctest.Wait() // whatever else can happen has happened
					if d.ctx.Err() != nil {
						t.Error("the chat has given the cancel up")
					}
					if !answers {
						<-d.ctx.Done()
					}
				}()
				if d.leave(); d.ctx.Err() == nil {
					t.Error("the chat has not ended")
				}
				if waited := time.Since(began); answers != (waited == 0) || waited > time.Second {
					t.Errorf("left after %v", waited)
				}
			})
		})
	}
}

// A cancel that cannot be delivered keeps nobody.
func TestCLI212ACancelWithoutADaemonIsOver(t *testing.T) {
	d := newDesk(config.Config{Data: t.TempDir()}, &Command{}, fsm.Origin{}, terminal.Shell(nil))
	d.start(talk.Cancel{ID: "one"})
	if told, ok := (<-d.msgs).(talk.Cancelled); !ok || told.Err == nil {
		t.Errorf("%+v, want a cancel that failed", told)
	}
	d.cancels.Wait()
	d.leave()
}
