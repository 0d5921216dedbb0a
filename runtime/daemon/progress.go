package daemon

import (
	"context"
	"sync"
	"time"

	"shelly/fsm"
)

// progress reports the stages of a model call to the machine (INF-50): none before
// [fsm.ProgressAfter] has passed, then the present one, and each further one at once. A load that
// was over by then is reported while the prompt is read.
type progress struct {
	tell func(stage fsm.Stage, over bool) // over: the call has left it

	mu     sync.Mutex
	begun  bool      // [fsm.ProgressAfter] has passed
	ended  bool      // the call has ended
	loaded bool      // the model was loaded for it
	now    fsm.Stage // the call's present stage
	told   fsm.Stage
	timer  *time.Timer
}

// progress follows a call that begins now.
func (d *Daemon) progress(call fsm.CallID) *progress {
	p := &progress{tell: func(s fsm.Stage, over bool) { d.progressed(call, s, over) }}
	p.timer = time.AfterFunc(time.Duration(fsm.ProgressAfter)*time.Millisecond, p.begin)
	return p
}

// progressed passes a stage to the loop, unless the call is over by then or nobody wants
// to know. What the call waits for is not one that it has left.
func (d *Daemon) progressed(call fsm.CallID, stage fsm.Stage, over bool) {
	runs := func() bool { _, is := d.running[call]; return is }
	if !over {
		_ = d.send(context.Background(), message{do: func() { // the machine has taken the stages before this one
			if runs() {
				d.staged(call, stage)
			}
		}})
	}
	_ = d.send(context.Background(), message{fact: func() fsm.Fact {
		if !runs() || !d.config().Switches.Progress {
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
	p.loaded = p.loaded || stage == fsm.StageLoading
	p.say()
}

// say reports the present stage, once. The caller holds mu.
func (p *progress) say() {
	if !p.begun || p.ended || !p.now.Beyond(p.told) {
		return
	}
	if p.loaded && p.now == fsm.StageAccepted && p.told == "" {
		p.tell(fsm.StageLoading, true)
	}
	p.told = p.now
	p.tell(p.now, false)
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
