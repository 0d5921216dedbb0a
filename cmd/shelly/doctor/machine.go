package doctor

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/sizing"
	"shelly/fsm/wording"
	"shelly/runtime/event/source"
)

// thisMachine returns what this machine has to run a model.
func thisMachine() sizing.Machine {
	m := sizing.Machine{Cores: runtime.NumCPU()}
	if u, err := source.SystemMemory(); err == nil { // it is known on Linux only
		m.Total, m.Available = int64(u.Size), int64(u.Free)
	}
	return m
}

// suits reports whether model, machine and settings suit each other (CLI-22).
func (e *examined) suits(ctx context.Context, measure bool) {
	c := e.cfg.Brain
	m := sizing.Model{
		Weights: e.model.Size, PerToken: e.Shape.PerToken(), Window: e.ContextLength,
		Thinks: e.Thinking && c.Think != "false",
	}
	now := sizing.Settings{NumCtx: c.NumCtx, NumPredict: c.NumPredict, KeepAlive: c.KeepAlive}
	if c.MaxTokens > 0 {
		now.NumPredict = c.MaxTokens
	}
	machine := sizing.Machine{}
	switch {
	case e.model.Remote != "":
		e.ok("machine", e.model.Remote+" runs the model instead of the server")
	case !e.client.Local():
		e.ok("machine", "the server is on another machine, whose memory is unknown")
	default:
		machine = thisMachine()
		if e.loaded != nil { // the memory that it has is available to it
			machine = machine.With(e.loaded.Bytes - e.loaded.GPU)
		}
		e.machine(machine)
	}
	e.memory(m, machine)
	to := sizing.Recommend(now, m, machine)
	e.settings(now, to)
	e.server(m, machine, to)
	speed := sizing.Speed{}
	if measure {
		speed = e.measure(ctx)
		if e.load(ctx) == nil {
			e.given()
		}
	}
	e.times(m, now, speed)
}

func (e *examined) machine(m sizing.Machine) {
	cores := wording.Count(m.Cores, "core")
	if m.Total == 0 {
		e.warn("machine", cores+"; its memory is unknown, because it can be read on Linux only", "")
		return
	}
	e.ok("machine", fmt.Sprintf("%s of memory, %s for a model, %s", quantity.Bytes(m.Total), quantity.Bytes(m.Free()), cores))
}

// memory reports how much memory the model needs, and whether the machine has it.
func (e *examined) memory(m sizing.Model, machine sizing.Machine) {
	if m.PerToken == 0 {
		e.ok("memory", fmt.Sprintf("the memory per token of the window is unknown for this model; its weights take %s", quantity.Bytes(m.Weights)))
		return
	}
	n, s := m.Need(e.cfg.Brain.NumCtx, 1, sizing.NumberBytes), e.Shape
	found := fmt.Sprintf("%s: weights %s, cache %s (num_ctx %d × %d layers × %d heads × %d numbers × %d bytes), about %s to compute", quantity.Bytes(n.Bytes()),
		quantity.Bytes(n.Weights), quantity.Bytes(n.Cache), e.cfg.Brain.NumCtx, s.Layers, s.HeadsKV, s.KeyLength+s.ValueLength, sizing.NumberBytes, quantity.Bytes(n.Room))
	largest := m.Largest(machine.Free(), sizing.NumberBytes)
	switch {
	case machine.Total == 0:
		e.ok("memory", found)
	case n.Bytes() <= machine.Free():
		e.ok("memory", fmt.Sprintf("%s; it fits, as would num_ctx %d", found, max(largest, e.cfg.Brain.NumCtx)))
	case e.loaded != nil && e.loaded.OnGPU() > 0:
		e.ok("memory", found+"; more than the machine's own memory, but part of it is on the GPU")
	case largest > 0:
		e.warn("memory", found+"; more than this machine has", fmt.Sprintf("set brain.num_ctx to %d, or take a smaller model", largest))
	default:
		e.warn("memory", found+"; more than this machine has, with any window", "take a smaller model, or one with fewer bits (q4)")
	}
}

// predicts describes the longest answer.
func predicts(tokens int) string {
	if tokens == 0 {
		return "0 (what the window has left)"
	}
	return strconv.Itoa(tokens)
}

// settings reports which settings suit, and which to change.
func (e *examined) settings(now, to sizing.Settings) {
	set := []string{}
	if to.NumCtx != now.NumCtx {
		set = append(set, fmt.Sprintf("brain.num_ctx to %d, which fits", to.NumCtx))
	}
	if to.NumPredict != now.NumPredict {
		key, why := "brain.num_predict", "thinking counts against it"
		if e.cfg.Brain.MaxTokens > 0 {
			key = "brain.max_tokens"
		}
		if to.NumPredict < now.NumPredict {
			why = "the conversation needs room in the window too"
		}
		set = append(set, fmt.Sprintf("%s to %d, since %s", key, to.NumPredict, why))
	}
	if to.KeepAlive != now.KeepAlive {
		set = append(set, fmt.Sprintf("brain.keep_alive to %v, so that it is loaded less often", to.KeepAlive))
	}
	found := fmt.Sprintf("num_ctx %d, num_predict %s, keep_alive %v", now.NumCtx, predicts(now.NumPredict), now.KeepAlive)
	if len(set) == 0 {
		e.ok("settings", found+" suit the model")
		return
	}
	e.add("ok", "settings", found, "better set "+strings.Join(set, "; "))
}

// slotsMax is how many conversations are worth a slot each, unless more are configured.
const slotsMax = 4

// server recommends settings for the start of the server.
func (e *examined) server(m sizing.Model, machine sizing.Machine, to sizing.Settings) {
	if e.model.Remote != "" {
		return
	}
	set := []string{fmt.Sprintf("OLLAMA_CONTEXT_LENGTH=%d (other clients then ask for the same window)", to.NumCtx)}
	if machine.Total > 0 && m.PerToken > 0 {
		n := m.Parallel(machine.Free(), to.NumCtx, max(e.cfg.Brain.Slots, slotsMax))
		set = append(set, fmt.Sprintf("OLLAMA_NUM_PARALLEL=%d (conversations that stay in its cache at once: as many as fit, at most %d; then set brain.slots to %d)", n, max(e.cfg.Brain.Slots, slotsMax), n))
		if m.Need(e.cfg.Brain.NumCtx, 1, sizing.NumberBytes).Bytes() > machine.Free() {
			set = append(set, fmt.Sprintf("OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0 (half the cache: num_ctx up to %d)", m.Largest(machine.Free(), sizing.NumberBytesQ8_0)))
		}
	}
	e.add("ok", "server", "its API does not show its own settings", "start it with "+strings.Join(set, ", "))
}

// times reports whether the deadlines let the longest call end.
func (e *examined) times(m sizing.Model, now sizing.Settings, speed sizing.Speed) {
	longest, t := sizing.Longest(m, now, speed), e.cfg.Brain.Timeouts
	found := fmt.Sprintf("load %v, first_token %v, total %v", t.Load, t.FirstToken, t.Total)
	if speed == (sizing.Speed{}) {
		found += "; --measure shows whether a full window is read in time"
	}
	set := []string{}
	for _, d := range []struct {
		key       string
		takes, is time.Duration
	}{{"load", longest.Load, t.Load}, {"first_token", longest.FirstToken, t.FirstToken}, {"total", longest.Total, t.Total}} {
		if d.takes > d.is {
			set = append(set, fmt.Sprintf("brain.timeouts.%s to %v", d.key, sizing.Generous(d.takes)))
		}
	}
	if len(set) > 0 {
		e.warn("timeouts", fmt.Sprintf("%s; from a slow disk it is loaded in %s, and with num_ctx full and num_predict used a call takes %s", found,
			quantity.Time(longest.Load), quantity.Time(longest.Total)), "set "+strings.Join(set, ", ")+", or lower num_ctx")
		return
	}
	e.ok("timeouts", found)
	if handle, turn := time.Duration(e.cfg.Limits.HandleTimeout)*time.Millisecond, sizing.Turn(speed); turn > handle {
		e.warn("handle_timeout", fmt.Sprintf("a turn takes about %s, a request has %v", quantity.Time(turn), handle),
			fmt.Sprintf("set limits.handle_timeout to %v", sizing.Generous(turn)))
	}
}
