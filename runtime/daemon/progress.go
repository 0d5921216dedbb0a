package daemon

import (
	"context"
	"sync"
	"time"

	"shelly/fsm"
)

// progress tells the machine which stages a model call comes to (INF-50): none before
// [fsm.ProgressAfter] has passed, then the one that it is in, and each further one at once.
type progress struct {
	tell func(fsm.Stage)

	mu    sync.Mutex
	begun bool      // the first seconds are over
	ended bool      // the call has
	now   fsm.Stage // that the call is in
	told  fsm.Stage
	timer *time.Timer
}

// progress follows a call that begins now.
func (d *Daemon) progress(call fsm.CallID) *progress {
	p := &progress{tell: func(s fsm.Stage) { d.progressed(call, s) }}
	p.timer = time.AfterFunc(time.Duration(fsm.ProgressAfter)*time.Millisecond, p.begin)
	return p
}

// progressed brings a stage to the loop, unless the call is over by then or nobody wants
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

// comes takes a stage that the call has come to; none is none.
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

// say tells the present stage, once. The caller holds mu.
func (p *progress) say() {
	if p.begun && !p.ended && p.now.Beyond(p.told) {
		p.told = p.now
		p.tell(p.now)
	}
}

// late reports whether the first seconds are over.
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
