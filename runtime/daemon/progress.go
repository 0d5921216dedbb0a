package daemon

import (
	"context"
	"sync"
	"time"

	"shelly/fsm"
)

// progress reports the stages of a model call to the machine (INF-50): none before
// [fsm.ProgressAfter] has passed, then the present one, and each further one at once.
type progress struct {
	tell func(fsm.Stage)

	mu    sync.Mutex
	begun bool      // [fsm.ProgressAfter] has passed
	ended bool      // the call has ended
	now   fsm.Stage // the call's present stage
	told  fsm.Stage
	timer *time.Timer
}

// progress follows a call that begins now.
func (d *Daemon) progress(call fsm.CallID) *progress {
	p := &progress{tell: func(s fsm.Stage) { d.progressed(call, s) }}
	p.timer = time.AfterFunc(time.Duration(fsm.ProgressAfter)*time.Millisecond, p.begin)
	return p
}

// progressed passes a stage to the loop, unless the call is over by then or nobody wants
// to know.
func (d *Daemon) progressed(call fsm.CallID, stage fsm.Stage) {
	_ = d.send(context.Background(), message{fact: func() fsm.Fact {
		if _, runs := d.running[call]; !runs {
			return nil
		}
		d.staged(call, stage)
		if !d.config().Switches.Progress {
			return nil
		}
		return fsm.BrainProgress{Call: call, Stage: stage}
	}})
}

func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = true
	p.say()
}

// comes takes a new stage of the call; an empty one is ignored.
func (p *progress) comes(stage fsm.Stage) {
	if stage == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if stage.Beyond(p.now) {
		p.now = stage
	}
	p.say()
}

// say reports the present stage, once. The caller holds mu.
func (p *progress) say() {
	if p.begun && !p.ended && p.now.Beyond(p.told) {
		p.told = p.now
		p.tell(p.now)
	}
}

// late reports whether [fsm.ProgressAfter] has passed.
func (p *progress) late() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}

func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.timer.Stop()
}
