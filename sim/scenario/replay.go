package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/strict"
)

// Told is one input of a replay: what the machine was told, to the letter (SCN-45).
type Told struct {
	At     Duration `key:"at"`             // when, after clock.start, on the wall clock, which may go back; at once unless given
	Input  Input    `key:"input,required"` // what, as the journal writes it: kind and the keys of that kind, at apart
	Lost   bool     `key:"lost"`           // the record was not durable when the process died behind it, so that the next boot begins without it; what it caused was seen all the same
	Unseen bool     `key:"unseen"`         // the process died before it did anything of what the input caused
}

// State is a machine's state in the wire form of the journal's snapshots.
type State struct{ fsm.Snapshot }

// Input is an input in the wire form of the journal, without its time.
type Input struct{ fsm.Input }

// Hash is the hash of a trace: sixteen hexadecimal digits, as shelly test --format json
// tells it.
type Hash uint64

// hashDigits is the length of a hash as it is written.
const hashDigits = 16

func (v *Hash) Read(d *strict.Decoder, n *strict.Node, path string) {
	text, ok := d.Text(n, path)
	if !ok {
		return
	}
	number, err := strconv.ParseUint(text, 16, 64)
	if len(text) != hashDigits || err != nil || strings.ToLower(text) != text {
		d.Add(n, path, fmt.Sprintf("wants a trace's hash: %d hexadecimal digits in lower case", hashDigits))
		return
	}
	*v = Hash(number)
}

func (v Hash) String() string { return fmt.Sprintf("%016x", uint64(v)) }

// replay is what the file says that the machine was told, with its times.
func (f *File) replay() []sim.Told {
	told := make([]sim.Told, len(f.Replay))
	for i, t := range f.Replay {
		told[i] = sim.Told{At: fsm.Millis(f.start()) + fsm.Millis(t.At), Input: t.Input.Input, Lost: t.Lost, Unseen: t.Unseen}
	}
	return told
}

// from is the state that the replay begins in.
func (f *File) from() fsm.Snapshot {
	if f.From == nil {
		return fsm.New().Snapshot()
	}
	return f.From.Snapshot
}

// checkReplay wants of a replay that it says all by itself, and that what is lost or
// unseen is so because the process died.
func (k *checker) checkReplay(f *File) {
	if !k.has("replay") {
		for _, key := range []string{"hash", "from"} {
			if k.has(key) {
				k.at(key, "belongs to replay")
			}
		}
		if f.Expect != nil && f.Expect.Rests {
			k.at("expect.rests", "belongs to replay; of other cases expect.ends tells the state at rest")
		}
		return
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
		_, boots := t.Input.Input.Fact.(fsm.Boot)
		last := i+1 == len(f.Replay)
		switch {
		case i == 0 && !boots && f.From == nil:
			k.at(at, "a replay begins with an input of the kind boot, or from a state")
		case t.Unseen && (last || !f.boots(i+1)):
			k.at(at+".unseen", "wants a boot next: the process died here")
		case t.Lost && (last || !f.boots(i+1) && !f.Replay[i+1].Lost):
			k.at(at+".lost", "wants a boot, or another entry that is lost, next: the process died behind it")
		}
	}
}

func (f *File) boots(i int) bool {
	_, boots := f.Replay[i].Input.Input.Fact.(fsm.Boot)
	return boots
}

// replayExcludes are the keys that say what a replay says itself, or that only a world
// could answer.
func replayExcludes() []string {
	return []string{
		"profile", "config", "about", "tools", "world", "skills", "embedding", "memory", "sessions", "memory_file",
		"brain", "brain_for", "strict", "timeline", "seed", "faults", "clock.until",
		"expect.memory", "expect.world", "expect.sessions", "expect.memory_file", "expect.history_file",
		"expect.tools", "expect.refusals", "expect.streamed", "expect.asked",
	}
}

// replayed checks what a replay alone expects.
func (j *judge) replayed() {
	f := j.file
	if want := f.Hash; want != nil && uint64(*want) != j.result.Hash {
		j.fail(f.Where("hash"), "hash", mismatch{want: want.String(), got: Hash(j.result.Hash).String()})
	}
	if f.Expect != nil && f.Expect.Rests && !sim.Rests(fsm.Restore(j.result.Final)) {
		j.fail(f.Where("expect.rests"), "expect.rests", mismatch{text: "INV-12: rest cannot be reached from the end by answers alone"})
	}
}
