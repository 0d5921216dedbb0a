package lockstep

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/memory"
	"shelly/sim/disk"
)

// embedder returns the source of memory's vectors; nil if a live case has no embedding model.
func (l *live) embedder() memory.Embedder {
	switch {
	case l.model == nil:
		return l.client
	case l.model.embeds:
		return l.model.client
	default:
		return nil
	}
}

// Memory implements [sim.Backend]. In a live case the time is what its embedding model really
// took.
func (l *live) Memory(e fsm.Effect, scripted fsm.Fact) (fsm.Fact, fsm.Millis, error) {
	if l.model == nil {
		in, err := l.remember(e, scripted)
		return in, 0, err
	}
	start := time.Now()
	in, err := l.remember(e, scripted)
	return in, sinceMillis(start), err
}

// remember recalls, embeds or stores.
func (l *live) remember(e fsm.Effect, scripted fsm.Fact) (fsm.Fact, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	switch e := e.(type) {
	case fsm.Recall:
		if scripted.(fsm.Recalled).Error != "" {
			return scripted, nil
		}
		entries, err := l.memory.Recall(ctx, e)
		if err == nil && l.model == nil {
			if holds, err := l.holds(scripted.(fsm.Recalled).Entries); holds || err != nil {
				return scripted, err
			}
		}
		return engine.Outcome(e.Call).Recall(entries, nil), err
	case fsm.Embed:
		if scripted.(fsm.Embedded).Error != "" {
			return scripted, nil
		}
		if l.model != nil {
			return l.model.embed(e), nil
		}
		vector, model, err := l.client.Embed(ctx, e.Text)
		return engine.Outcome(e.Call).Embed(vector, model, nil), err
	case fsm.Store:
		if scripted.(fsm.Stored).Error != "" {
			return scripted, nil
		}
		return engine.Outcome(e.Call).Store(nil), l.memory.Store(ctx, e.Entry)
	}
	return nil, fmt.Errorf("no memory effect: %s", fsm.EffectKind(e))
}

// holds reports whether the store has what the simulated memory found. The simulated one compares words
// alone, so that the real one may find more, or less, or in another order.
func (l *live) holds(found []fsm.Memory) (bool, error) {
	for _, m := range found {
		e, ok, err := l.store.Entry(m.ID)
		if err != nil || !ok || e.Summary != m.Summary || e.Source != m.Source {
			return false, err
		}
	}
	return true, nil
}

// floats returns the simulated embedding as the API sends it.
func floats(text string) []float32 {
	bytes := disk.Vector(text)
	vector := make([]float32, len(bytes)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return vector
}
