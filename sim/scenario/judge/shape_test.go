package judge

import (
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/disk"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/script"
)

// SCN-56: the shapes that expectations are held to have the keys that things have when a
// run is judged, no more and no fewer.
func TestSCN56ShapesAreThoseOfWhatIsJudged(t *testing.T) {
	message := fsm.Message{
		Role: "system", Text: "a", Thinking: "b", Calls: []fsm.ToolCall{{Name: "c", Args: "{}"}}, Tool: "d", ToolCall: "e",
		Images: [][]byte{{1}}, Used: []string{"f"}, Source: fsm.FromModel,
	}
	j := &judgement{file: &format.File{}, result: &sim.Result{}}
	asked := sim.Asked{Config: &fsm.Config{}, Ask: fsm.AskBrain{Session: "*", Purpose: fsm.PurposeAnswer, Options: fsm.Options{Temperature: 1, MaxTokens: 1}, Tokens: 1}}
	asked.Ask.Conversation.Messages = []fsm.Message{message}
	asked.Served.ID, asked.Spoke = 1, true
	j.result.Asked = []sim.Asked{asked}
	for name, values := range map[string][]data.Value{ // order-free: each is looked at by itself
		"reply":    {timingsOf(j.result).reply(engine.Request{})},
		"entry":    {entryValue(fsm.Entry{})},
		"sent":     {sentValue(sim.Message{})},
		"question": {askPerson(fsm.AskPerson{Tool: "t", Args: "{}"})},
		"audit":    {auditValue(fsm.Audit{Args: "{}"})},
		"notice":   {noticeValue(sim.Delivery{}), noticeValue(sim.Delivery{Notice: fsm.NoticeQueued})},
		"report":   {reportValue(fsm.Report{})},
		"chunk":    {j.chunkValue(sim.Chunk{}), j.chunkValue(sim.Chunk{Piece: script.Piece{Thinking: "t"}})},
		"message":  {messageValue(message)},
		"options":  {optionsValue(asked.Ask.Options)},
		"asked":    {askedValue(asked)},
		"usage":    {tokensValue(j.result)},
		"sessions": {sessionsValue([]disk.Saved{{Name: "*", State: fsm.Session{Skills: []fsm.LoadedSkill{{}}}}})},
	} {
		sameKeys(t, name, format.ShapeOf(name).Shape, values...)
	}
}

func sameKeys(t *testing.T, path string, shape match.Shape, values ...data.Value) {
	t.Helper()
	var keys []string
	for _, v := range values {
		for _, m := range v.Members {
			if !slices.Contains(keys, m.Key) {
				keys = append(keys, m.Key)
			}
			inner, key := m.Value, shape[m.Key]
			if _, named := shape["*"]; named {
				key = shape["*"]
			}
			if listed := inner.Kind == data.ListKind; listed != (key.Lists == 1) && key.Shape != nil {
				t.Errorf("%s.%s is a list: %v; its shape says %d", path, m.Key, listed, key.Lists)
			}
			if len(inner.List) > 0 {
				inner = inner.List[0]
			}
			if key.Shape != nil && sortOf(inner) != key.Sort && (sortOf(inner) != match.Counts || key.Sort != match.Numbers) {
				t.Errorf("%s.%s has %s; its shape says the sort %d", path, m.Key, inner, key.Sort)
			}
			if len(inner.Members) > 0 {
				sameKeys(t, path+"."+m.Key, shape[m.Key].Shape, inner)
			}
		}
	}
	slices.Sort(keys)
	if want := shape.Keys(); !slices.Equal(keys, want) {
		t.Errorf("%s has the keys %v, its shape %v", path, keys, want)
	}
}

// sortOf is the sort of what was got.
func sortOf(v data.Value) match.Sort {
	_, of := data.Measured(v.Text)
	switch {
	case v.Kind == data.MapKind && v.Main == "":
		return match.Maps
	case v.Kind == data.NumberKind:
		return match.Counts
	case v.Kind == data.BoolKind:
		return match.Switches
	case of == data.ADuration:
		return match.Durations
	case of == data.AnInstant:
		return match.Times
	default:
		return match.Texts
	}
}
