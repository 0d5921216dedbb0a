package machine

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestCTX2AnEstimateIsCorrectedByWhatTheModelCounts(t *testing.T) {
	const estimate = 1000
	tests := []struct {
		name    string
		counted int
		ratio   int
		next    int // the estimate for the same prompt afterwards
	}{
		{"nothing is known", 0, 0, 1000},
		{"as estimated", 1000, 1024, 1000},
		{"half as many", 500, 512, 500},
		{"twice as many", 2000, 2048, 2000},
		{"four times as many", 4000, 4096, 4000},
		{"five times as many", 5000, 4096, 4000},
		{"a quarter", 250, 256, 250},
		{"what the cache did not hold", 3, 256, 250},
		{"nonsense", -7, 0, 1000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := New()
			m.s.Config.Switches.Compress = true
			h := &state.Handle{
				Accepted:  state.Accepted{Kind: fsm.KindUser},
				Inferring: state.Inferring{Inf: state.Inference{Begun: state.Begun{Purpose: fsm.PurposeAnswer}}},
			}
			h.Inf.Talk.Tokens = estimate - (&fsm.Config{}).EstimateOf("", fsm.Conversation{}, fsm.NoTools, &fsm.Offer{}) // the frame of the system prompt
			m.learnTokens(h, tt.counted)
			if h.Sess.Ratio != tt.ratio {
				t.Errorf("the ratio is %d, want %d", h.Sess.Ratio, tt.ratio)
			}
			if got := h.Sess.Corrected(estimate); got != tt.next {
				t.Errorf("corrected to %d, want %d", got, tt.next)
			}
		})
	}
}

func TestCTX2NotEveryAnswerTeachesTheRatio(t *testing.T) {
	tests := []struct {
		name     string
		compress bool
		purpose  fsm.Purpose
	}{
		{"a profile without a budget", false, fsm.PurposeAnswer},
		{"a summary", true, fsm.PurposeSummary},
		{"a compaction", true, fsm.PurposeCompact},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := New()
			m.s.Config.Switches.Compress = tt.compress
			h := &state.Handle{
				Accepted:  state.Accepted{Kind: fsm.KindUser},
				Inferring: state.Inferring{Inf: state.Inference{Begun: state.Begun{Purpose: tt.purpose}}},
			}
			m.learnTokens(h, 500)
			if h.Sess.Ratio != 0 {
				t.Errorf("the ratio is %d", h.Sess.Ratio)
			}
		})
	}
}
