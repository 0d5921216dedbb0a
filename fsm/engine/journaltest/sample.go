package journaltest

import (
	"fmt"
	"reflect"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// tail returns n small records that follow the given ones.
func tail(records []engine.Record, n int) []engine.Record {
	kinds := inputs()
	next := make([]engine.Record, n)
	for i := range next {
		index := uint64(len(records) + i + 1)
		next[i] = engine.Record{Index: index, Input: kinds[index%uint64(len(kinds))], Effects: index * 0x9e3779b97f4a7c15}
	}
	return next
}

// inputs returns one input of each kind in which no field is zero.
func inputs() []fsm.Input {
	config := fsm.ShellyProfile()
	config.Tools = []fsm.ToolDecl{{
		Name: "read_file", Description: "read a file", Parameters: `{"type":"object"}`, Effects: fsm.EffectsNone,
	}}
	return []fsm.Input{
		fsm.Boot{At: 1, Config: config},
		fsm.Requested{
			At:      2,
			Request: fsm.RequestKey{Principal: "me", Channel: "udp", ID: "1"}, Session: "cli:direct", Text: "how full is 磁盘?",
		},
		fsm.EventRaised{At: 3, Source: "disk", Subject: "/var", Event: "full", Detail: "92 %"},
		fsm.BrainAnswered{
			At: 4, Call: 1, Stop: fsm.StopToolUse, Text: "let me look", Thinking: "hm",
			Calls:  []fsm.ToolCall{{ID: "a", Name: "read_file", Args: `{"path":"x","n":12345678901234567890}`}},
			Tokens: fsm.Tokens{Prompt: 10, Answer: 5},
		},
		fsm.BrainFailed{At: 5, Call: 2, Class: fsm.BrainLoading, Reason: "still loading"},
		fsm.ToolAnswered{At: 6, Call: 3, Text: "no such file", Failed: true},
		fsm.ToolStopped{At: 7, Call: 4},
		fsm.Recalled{At: 8, Call: 5, Entries: []fsm.Memory{{ID: "h1", Summary: "the disk was full"}}, Error: "slow"},
		fsm.Embedded{At: 9, Call: 6, Vector: []byte{0, 0, 128, 63, 255}, Model: "nomic", Error: "slow"},
		fsm.Stored{At: 10, Call: 7, Error: "no space"},
		fsm.TimerFired{At: 11, Timer: 8},
		fsm.Signalled{At: 12, Name: "SIGTERM"},
	}
}

// zeroField returns the path of a zero field in a sample, or "". A sample with
// one would not show that the journal loses it.
func zeroField(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if hole := zeroField(v.Field(i), path+"."+v.Type().Field(i).Name); hole != "" {
				return hole
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Struct {
				if hole := zeroField(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); hole != "" {
					return hole
				}
			}
		}
	}
	if v.IsZero() {
		return path
	}
	return ""
}

// request returns a request record in its n-th version; an odd one is done.
func request(key fsm.RequestKey, n int) engine.Request {
	r := engine.Request{
		Key: key, Handle: fsm.HandleID(n + 1), Session: "cli:direct", Text: "what is 磁盘?", Accepted: fsm.Millis(100 + n),
	}
	if n%2 == 1 {
		r.Done, r.Replied, r.Reply, r.IsError = true, fsm.Millis(200+n), fmt.Sprintf("answer %d", n), n%4 == 3
	}
	return r
}

// snapshot returns the state of a machine that has work at hand.
func snapshot(requests int) fsm.Snapshot {
	m := fsm.New()
	config := fsm.ShellyProfile()
	config.Init = fsm.InitOff
	m.Step(fsm.Boot{At: 1, Config: config})
	for i := range requests {
		m.Step(fsm.Requested{At: 2, Request: fsm.RequestKey{ID: fmt.Sprint(i)}, Text: "how full is 磁盘?"})
	}
	return m.Snapshot()
}
