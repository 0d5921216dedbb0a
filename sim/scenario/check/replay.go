package check

import (
	"shelly/fsm"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// checkReplay wants of a replay that it says all by itself, and that what is lost or
// unseen is so because the process died.
func (k *checker) checkReplay(f *format.File) {
	if !k.has("replay") {
		for _, key := range []string{"hash", "from"} {
			if k.has(key) {
				k.at(key, "belongs to replay")
			}
		}
		if k.has("expect.rests") {
			k.at("expect.rests", "belongs to replay; of other cases expect.ends tells the state at rest")
		}
		return
	}
	if k.has("expect.rests") && !f.Expect.Rests {
		k.at("expect.rests", "wants true; what is not expected is left out")
	}
	for _, key := range replayExcludes() {
		if k.has(key) {
			k.at(key, "has no place beside replay, which has all that the machine was told")
		}
	}
	if len(f.Replay) == 0 {
		k.at("replay", "is empty; it begins with an input of the kind boot")
	}
	for i, t := range f.Replay {
		at := strict.Element("replay", i)
		last := i+1 == len(f.Replay)
		switch {
		case i == 0 && !startsAnew(f, i) && f.From == nil:
			k.at(at, "a replay begins with an input of the kind boot, or from a state")
		case t.Unseen && (last || !startsAnew(f, i+1)):
			k.at(at+".unseen", "wants a boot next: the process died here")
		case t.Lost && (last || !startsAnew(f, i+1) && !f.Replay[i+1].Lost):
			k.at(at+".lost", "wants a boot, or another entry that is lost, next: the process died after it")
		}
	}
}

func startsAnew(f *format.File, i int) bool {
	_, boots := f.Replay[i].Input.Input.Fact.(fsm.Boot)
	return boots
}

// replayExcludes are the keys that say what a replay says itself, or that only a world
// could answer.
func replayExcludes() []string {
	return []string{
		"profile", "config", "about", "latencies", "server", "tools", "tool_servers", "calls_as_text", "world", "skills",
		"embedding", "memory", "sessions", "memory_file", "grants", "brain", "brain_for", "strict", "timeline", "seed",
		"faults", "clock.until",
		"expect.memory", "expect.world", "expect.sessions", "expect.memory_file", "expect.history_file",
		"expect.tools", "expect.refusals", "expect.streamed", "expect.asked", "expect.tokens",
	}
}
