package judge

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/disk"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/expression"
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

// SCN-56: what a map of a shape always has, and a map without other members may not leave out, is what
// such a thing has of which nothing is said.
func TestSCN56ShapesKnowWhatEachThingHas(t *testing.T) {
	j := &judgement{file: &format.File{}, result: &sim.Result{}}
	calls := calledValues(&sim.Asked{Config: &fsm.Config{}}, fsm.BrainAnswered{Calls: []fsm.ToolCall{{Name: "a"}}})
	asked := sim.Asked{Config: &fsm.Config{}}
	item := format.ShapeOf("item").Shape
	for name, of := range map[string]struct { // order-free: each is looked at by itself
		shape match.Shape
		value data.Value
	}{
		"reply":        {format.ShapeOf("reply").Shape, timingsOf(j.result).reply(engine.Request{})},
		"entry":        {format.ShapeOf("entry").Shape, entryValue(fsm.Entry{})},
		"sent":         {format.ShapeOf("sent").Shape, sentValue(sim.Message{})},
		"question":     {format.ShapeOf("question").Shape, askPerson(fsm.AskPerson{})},
		"audit":        {format.ShapeOf("audit").Shape, auditValue(fsm.Audit{})},
		"report":       {format.ShapeOf("report").Shape, reportValue(fsm.Report{})},
		"message":      {format.ShapeOf("message").Shape, messageValue(fsm.Message{})},
		"call":         {format.ShapeOf("call").Shape, messageValue(fsm.Message{Calls: []fsm.ToolCall{{}}}).Get("calls").List[0]},
		"options":      {format.ShapeOf("options").Shape, optionsValue(fsm.Options{})},
		"asked":        {format.ShapeOf("asked").Shape, askedValue(asked)},
		"usage":        {format.ShapeOf("usage").Shape, tokensValue(j.result)},
		"refusal":      {format.ShapeOf("refusal").Shape, refusalValue(sim.Refusal{Err: io.EOF})},
		"session":      {format.ShapeOf("sessions").Shape["*"].Shape, sessionsValue([]disk.Saved{{}}).Members[0].Value},
		"item.reply":   {item["reply"].Shape, effectValue(fsm.Reply{}).Get("reply")},
		"item.call":    {item["call"].Shape, calls[0].Get("call")},
		"item.audit":   {item["audit"].Shape, effectValue(fsm.Audit{}).Get("audit")},
		"item.message": {item["message"].Shape, effectValue(fsm.SendMessage{}).Get("message")},
	} {
		for _, key := range of.shape.Keys() {
			if has := of.value.Get(key).Kind != data.AbsentKind; has == of.shape[key].Rare {
				t.Errorf("%s: the least of them has %s: %v; its shape says that not each has it: %v", name, key, has, of.shape[key].Rare)
			}
		}
	}
	reply, notice := noticeValue(sim.Delivery{}), noticeValue(sim.Delivery{Notice: fsm.NoticeHeld})
	thought, said := j.chunkValue(sim.Chunk{Piece: script.Piece{Thinking: "t"}}), j.chunkValue(sim.Chunk{})
	for name, values := range map[string][2]data.Value{"notice": {reply, notice}, "chunk": {thought, said}} { // order-free: each is looked at by itself
		for key, of := range format.ShapeOf(name).Shape { // order-free: each is looked at by itself
			if both := values[0].Get(key).Kind != data.AbsentKind && values[1].Get(key).Kind != data.AbsentKind; both == of.Rare {
				t.Errorf("%s: each has %s: %v; its shape says that not each has it: %v", name, key, both, of.Rare)
			}
		}
	}
}

// SCN-56: what items can ask for together is what events have when a run is judged.
func TestSCN56TheKeysOfItemsAreThoseOfEvents(t *testing.T) {
	asked := sim.Asked{Config: &fsm.Config{}}
	asked.Ask.Handle = 1
	events := traceOf([]sim.Step{{}}, nil)
	for _, v := range calledValues(&asked, fsm.BrainAnswered{Calls: []fsm.ToolCall{{Name: "a", Args: "{}"}}}) {
		events = append(events, event{Value: v})
	}
	events = append(events, event{Value: moveValue(state.Move{Handle: 1})})
	for _, e := range []fsm.Effect{
		&fsm.AskBrain{}, &fsm.RunTool{Args: "{}", Origin: fsm.Origin{Channel: "a", Chat: "b"}}, &fsm.LoadSession{}, &fsm.SaveSession{}, &fsm.LoadSkill{},
		&fsm.ArmSchedule{}, &fsm.SetTimer{}, &fsm.SendMessage{}, &fsm.AskPerson{}, &fsm.Audit{Args: "{}"}, &fsm.Recall{}, &fsm.Store{}, &fsm.Reply{}, &fsm.Notify{},
		&fsm.Report{}, &fsm.Exit{},
	} {
		v := reflect.ValueOf(e).Elem()
		if handle := v.FieldByName("Handle"); handle.IsValid() {
			handle.SetUint(1)
		}
		events = append(events, event{Value: effectValue(v.Interface().(fsm.Effect))})
	}
	var got, want []string
	for _, e := range events {
		var keys []string
		for _, m := range e.Members {
			keys = append(keys, m.Key)
		}
		slices.Sort(keys)
		got = append(got, e.Get("effect").Text+" "+strings.Join(keys, " "))
	}
	for _, o := range format.Occurrences() {
		slices.Sort(o.Keys)
		want = append(want, o.Effect+" "+strings.Join(o.Keys, " "))
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("events have\n%s\nitems\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, kind := range expression.EffectKinds() {
		if in := slices.ContainsFunc(format.Occurrences(), func(o format.Occurrence) bool { return o.Effect == kind }); in {
			continue
		}
		if !slices.Contains([]string{"embed", "read_text", "run_probe", "abort_call", "disarm_schedule", "clear_timer"}, kind) {
			t.Errorf("the effect %s is new: give it its keys, or name it here as one that has its kind alone", kind)
		}
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
