package comm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/inbox"
)

// getMessages returns what was sent to chats (COM-13, HND-46).
func (h *HTTP) getMessages(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	to, wrong := chatOf(q)
	after, limit, err := page(q)
	unread, bad := flag(q, "unread")
	if err := cmp.Or(err, wrong, bad); err != nil {
		return err
	}
	list, err := h.messages(r.Context(), to, after, limit, unread)
	if err == nil {
		list, err = fitting(list)
	}
	return h.answer(w, "read the messages", MessagesBody{list}, err)
}

// messages returns the first messages after a position, or the first unread ones after it.
func (h *HTTP) messages(ctx context.Context, to fsm.Origin, after uint64, limit int, unread bool) ([]Message, error) {
	caller, box, list := CallerOf(ctx), h.front.Inbox(), []Message{}
	if unread {
		after = max(after, box.Floor())
	}
	for len(list) < limit {
		found, err := h.front.Messages(ctx, to, after, limit)
		if err != nil || len(found) == 0 {
			return list, err
		}
		for _, m := range found {
			if is := box.Unread(m); is || !unread {
				list = append(list, caller.receive(NewMessage(m, is)))
			}
		}
		if after = found[len(found)-1].Position; !unread {
			break
		}
	}
	return list[:min(len(list), limit)], nil
}

// chatOf reads which chats are meant. One without a channel is named as a request names it.
func chatOf(q url.Values) (fsm.Origin, error) {
	to := originAt(fsm.Origin{Channel: q.Get("channel"), Chat: q.Get("chat")}, ChannelHTTP)
	if to.Channel == "" && to.Chat == "" {
		return to, nil
	}
	return to, cmp.Or(checkChannel(to.Channel), checkName("chat", to.Chat, 0, ChatBytesMax))
}

// getMessageEvents streams what is sent to chats (COM-51).
func (h *HTTP) getMessageEvents(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	to, err := chatOf(q)
	if err != nil {
		return err
	}
	from := cmp.Or(r.Header.Get("Last-Event-ID"), q.Get("after"))
	after, err := Number(from, "after", 0)
	if err == nil && from == "" {
		after, err = h.lastPosition(r.Context())
	}
	if err != nil {
		return err
	}
	release, err := h.stream(r.Context())
	if err != nil {
		return err
	}
	defer release()
	if err := h.streamMessages(w, r, to, after); err != nil && r.Context().Err() == nil && !errors.Is(err, engine.ErrStopping) {
		h.o.Log.Debug("a stream of messages has ended", "error", err)
	}
	return nil
}

// lastPosition is the highest position that a message can have now.
func (h *HTTP) lastPosition(ctx context.Context) (uint64, error) {
	recorded, err := h.front.Recorded(ctx)
	if err != nil {
		return 0, err
	}
	kept, err := recorded.Kept()
	return engine.LastOf(kept.Last), err
}

// streamMessages writes the messages after a position as they come.
func (h *HTTP) streamMessages(w http.ResponseWriter, r *http.Request, to fsm.Origin, after uint64) error {
	s, ticks, stop, err := h.begin(w)
	defer stop()
	if err != nil {
		return err
	}
	defer s.ended(r.Context())
	news := h.front.Listen(r.Context(), to)
	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-ticks:
			if err := s.beat(); err != nil {
				return err
			}
		case _, on := <-news:
			for more := on; more; {
				list, err := h.messages(r.Context(), to, after, engine.ReadMax, false)
				if err != nil {
					return err
				}
				for _, m := range list {
					if err := s.message(m); err != nil {
						return err
					}
					after = m.Position
				}
				more = len(list) > 0
			}
			if !on {
				return nil
			}
		}
	}
}

// message writes a message as an event, whose id is its position.
func (s eventWriter) message(m Message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	return s.write(fmt.Sprintf("id: %d\nevent: message\ndata: %s\n\n", m.Position, data))
}

// postRead records up to where a person has read (COM-50).
func (h *HTTP) postRead(w http.ResponseWriter, r *http.Request) error {
	var marks []inbox.Mark
	err := h.read(w, r, list("read", inbox.ChatsMax, func(d *json.Decoder, name string) error {
		var m inbox.Mark
		if err := object(d, name, text("channel", &m.Channel), text("chat", &m.Chat), whole("position", &m.Position)); err != nil {
			return err
		}
		m.Channel = originAt(fsm.Origin{Channel: m.Channel, Chat: m.Chat}, ChannelHTTP).Channel
		marks = append(marks, m)
		return cmp.Or(checkName("channel", m.Channel, 0, ChannelBytesMax), checkName("chat", m.Chat, 0, ChatBytesMax))
	}))
	if err != nil {
		return err
	}
	if err := h.front.Read(r.Context(), marks); err != nil {
		h.note("note what was read", err)
		return err
	}
	unread, err := h.front.Unread(r.Context())
	return h.answer(w, "count the unread messages", unread, err)
}

// whole is a field that holds a whole number, not negative.
func whole(name string, to *uint64) field {
	return field{name, func(d *json.Decoder, name string) error {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return notJSON(d, err)
		}
		if string(raw) == "null" {
			return errNull
		}
		value, err := strconv.ParseUint(string(raw), 10, 64)
		if err != nil {
			return badRequest(fmt.Sprintf("field %q is not a whole number", name), "write one, without a sign and without quotes")
		}
		*to = value
		return nil
	}}
}
