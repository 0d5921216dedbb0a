package fronttest

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/inbox"
)

// Send puts messages into the front's chats; Messages returns them by channel, chat,
// position and limit.
func (f *Front) Send(messages ...engine.Message) {
	defer f.lock()()
	f.messages = append(f.messages, messages...)
}

// Unsend removes the messages from a position on.
func (f *Front) Unsend(from uint64) {
	defer f.lock()()
	f.messages = slices.DeleteFunc(f.messages, func(m engine.Message) bool { return m.Position >= from })
}

// Messages implements [comm.Mailbox].
func (f *Front) Messages(_ context.Context, to fsm.Origin, after uint64, limit int) ([]engine.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return nil, f.refusal
	}
	var found []engine.Message
	for _, m := range f.messages {
		if m.IsTo(to) && m.Position > after && len(found) < limit {
			found = append(found, m)
		}
	}
	return found, nil
}

// Listen implements [comm.Mailbox].
func (f *Front) Listen(ctx context.Context, to fsm.Origin) <-chan struct{} {
	news := make(chan struct{}, 1)
	go func() {
		defer close(news)
		for n := -1; ; {
			f.mu.Lock()
			has, changed := len(f.messages), f.changed
			f.mu.Unlock()
			if has != n {
				n = has
				select {
				case news <- struct{}{}:
				default:
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return news
}

// Inbox implements [comm.Mailbox].
func (f *Front) Inbox() *inbox.Inbox { return f.inbox }

// Read implements [comm.Mailbox].
func (f *Front) Read(_ context.Context, marks []inbox.Mark) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return f.refusal
	}
	return f.inbox.Read(^uint64(0), marks...)
}

// Unread implements [comm.Mailbox].
func (f *Front) Unread(ctx context.Context) (comm.Unread, error) {
	return comm.Count(f.inbox, func(after uint64) ([]engine.Message, error) {
		return f.Messages(ctx, fsm.Origin{}, after, engine.ReadMax)
	})
}

// Used puts records of ended tool calls into the front; Audit returns them by session,
// position and limit.
func (f *Front) Used(audit ...engine.Audit) {
	defer f.lock()()
	f.audit = append(f.audit, audit...)
}

// Audit implements [comm.Front].
func (f *Front) Audit(_ context.Context, session string, after uint64, limit int) ([]engine.Audit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return nil, f.refusal
	}
	var found []engine.Audit
	for _, a := range f.audit {
		if (session == "" || a.Session == session) && a.Position > after && len(found) < limit {
			found = append(found, a)
		}
	}
	return found, nil
}
