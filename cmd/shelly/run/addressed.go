package run

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/inbox"
)

// addressed is a front that writes the addresses of chats as their channels do (CHN-33), so that a
// person has one chat, however a client spells the name.
type addressed struct {
	comm.Front
	named func(fsm.Origin) fsm.Origin
}

// Accept implements [comm.Front].
func (a addressed) Accept(ctx context.Context, r comm.Request) (engine.Acceptance, error) {
	r.Origin = a.named(r.Origin)
	return a.Front.Accept(ctx, r)
}

// Typing implements [comm.Front].
func (a addressed) Typing(ctx context.Context, session string, from fsm.Origin) (bool, error) {
	return a.Front.Typing(ctx, session, a.named(from))
}

// Schedule implements [comm.Scheduler].
func (a addressed) Schedule(ctx context.Context, in fsm.ScheduleChanged) (string, bool, error) {
	in.Origin = a.named(in.Origin)
	return a.Front.Schedule(ctx, in)
}

// Messages implements [comm.Mailbox].
func (a addressed) Messages(ctx context.Context, to fsm.Origin, after uint64, limit int) ([]engine.Message, error) {
	return a.Front.Messages(ctx, a.named(to), after, limit)
}

// Listen implements [comm.Mailbox].
func (a addressed) Listen(ctx context.Context, to fsm.Origin) <-chan struct{} {
	return a.Front.Listen(ctx, a.named(to))
}

// Read implements [comm.Mailbox].
func (a addressed) Read(ctx context.Context, marks []inbox.Mark) error {
	marks = slices.Clone(marks)
	for i, m := range marks {
		marks[i].Chat = a.named(fsm.Origin{Channel: m.Channel, Chat: m.Chat}).Chat
	}
	return a.Front.Read(ctx, marks)
}
