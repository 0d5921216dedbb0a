package machine_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
)

// What is read while a person writes is what their question really comes after, whatever the session is like
// and whatever has happened since the model was last asked.
func TestHND72TheQuestionBeginsWithWhatWasRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		flag := func(name string) bool { return rapid.Bool().Draw(rt, name) }
		d := answered(t, func(c *fsm.Config) {
			s := &c.Switches
			s.NoCognition, s.TellTime, s.Compress, s.AutoLoadSkills = flag("no cognition"), flag("tell time"), flag("compress"), flag("skills")
			c.Skills = []fsm.SkillDecl{{Name: "disks", Summary: "about disks"}, {Name: "always", Text: "Be kind.", Always: true}}
			if flag("few tools are whole") {
				c.Limits.OfferTokens = 900
			}
			if flag("an old configuration") {
				s.History, s.Overflow, c.Limits.MaxHistory = fsm.HistoryAll, fsm.OverflowConsolidate, 4
			}
		})
		s := fsm.Session{Version: 4, History: talk(rapid.IntRange(0, 3).Draw(rt, "turns"))}
		if flag("a tool that was used") {
			s.History = append(s.History, fsm.Message{Role: fsm.RoleUser, Text: "look"}, fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "1", Name: "read_file"}}},
				fsm.Message{Role: fsm.RoleTool, ToolCall: "1", Tool: "read_file", Text: "empty"}, fsm.Message{Role: fsm.RoleAssistant, Text: "It is empty."})
		}
		if flag("a memory") {
			s.Memory = "The disk is small."
		}
		if flag("pending") {
			s.Pending = talk(1)
		}
		if flag("a loaded skill") {
			s.Skills = []fsm.LoadedSkill{{Name: "disks", Text: "Look at it."}}
		}
		if flag("a ratio") {
			s.Ratio = 1500
		}
		if flag("said from outside") {
			d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Session: "b", Origin: fsm.Origin{Channel: "telegram", Chat: "42"}, Text: "remind me of the plants", Every: 60 * fsm.Second}})
			d.remind("s1", "Water the plants!")
		}
		d.types("b", flag("unloaded"))
		if d.active() == nil {
			return
		}
		d.loads(s)
		read, ok := d.readsAhead()
		if !ok {
			return // a new one, or one that will be shortened first
		}
		if flag("to its end") {
			d.answer("")
		}
		d.in("b", "and now?")
		d.loads(s)
		asks := of[fsm.AskBrain](d.effects)
		if len(asks) != 1 {
			rt.Fatalf("the effects are %+v", d.effects)
		}
		ask, n := asks[0], len(read.Conversation.Messages)-1
		if ask.System != read.System || ask.Tools != read.Tools || !cmp.Equal(ask.Offer, read.Offer) {
			rt.Errorf("it begins with %q; read was %q", ask.System, read.System)
		}
		if !cmp.Equal(ask.Conversation.Messages[:n], read.Conversation.Messages[:n]) {
			rt.Errorf("it begins with %+v; read was %+v", ask.Conversation.Messages, slices.Clip(read.Conversation.Messages[:n]))
		}
	})
}
