package machine

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// A compaction has its own time, or as long as the model needs to read and write that much, where
// that is known and longer. Only a model that is loading needs the load's time.
func TestINF50HowLongACompactionMayTake(t *testing.T) {
	const own = 10 * fsm.Second
	reading, writing := 40*fsm.Second, (60+3*128)*fsm.Second // 1000 tokens read, 1024 written
	tests := []struct {
		name          string
		stage         fsm.Stage
		reads, writes int
		change        func(*fsm.Config)
		want          fsm.Millis
	}{
		{"asked", "", 25, 8, nil, reading},
		{"accepted", fsm.StageAccepted, 25, 8, nil, reading},
		{"loading", fsm.StageLoading, 25, 8, nil, 300*fsm.Second + reading},
		{"writing", fsm.StageWriting, 25, 8, nil, writing},
		{"writing as much as prompts leave room for", fsm.StageWriting, 25, 8, func(c *fsm.Config) { c.Limits.AnswerPercent = 20 }, (60 + 3*200) * fsm.Second},
		{"reading, how fast is not known", "", 0, 8, nil, own},
		{"loading, how fast it reads is not known", fsm.StageLoading, 0, 8, nil, own},
		{"writing, how fast it reads is not known", fsm.StageWriting, 0, 8, nil, writing},
		{"reading, how fast it writes is not known", "", 25, 0, nil, own},
		{"writing, how fast is not known", fsm.StageWriting, 25, 0, nil, own},
		{"reading without deadlines by progress", "", 25, 8, func(c *fsm.Config) { c.Switches.Progress = false }, own},
		{"writing without deadlines by progress", fsm.StageWriting, 25, 8, func(c *fsm.Config) { c.Switches.Progress = false }, own},
		{"reading in less than its own time", "", 25, 8, func(c *fsm.Config) { c.Limits.CompactTimeout = 50 * fsm.Second }, 50 * fsm.Second},
		{"writing in less than its own time", fsm.StageWriting, 25, 8, func(c *fsm.Config) { c.Limits.CompactTimeout = 500 * fsm.Second }, 500 * fsm.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := New()
			c := &m.s.Config
			c.Switches.Progress, c.Limits.CompactTimeout, c.Limits.ContextTokens = true, own, 8000
			c.Pace = fsm.Pace{Load: 300 * fsm.Second, Idle: 60 * fsm.Second}
			m.s.Reads, m.s.Writes = tt.reads, tt.writes
			if tt.change != nil {
				tt.change(c)
			}
			h := &state.Handle{}
			h.Inf.Stage, h.Inf.Anew, h.Inf.Prompt = tt.stage, 100, 1000
			if got := compactTimeout(m, h); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
