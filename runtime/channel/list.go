package channel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"shelly/fsm/wording"
)

// ListRoute is the HTTP route that lists the channels, as a [ListBody]. A POST of a [TryBody] to
// TryRoute sends a message to a chat of a channel.
const (
	ListRoute = "/v1/channels"
	TryRoute  = "/v1/channels/{name}/try"
	HookRoute = "/v1/channels/{name}"
)

// ListBody is the answer to ListRoute.
type ListBody struct {
	Channels []State `json:"channels"`
}

// TryBody is a message with which to try a channel.
type TryBody struct {
	Chat string `json:"chat"`
	Text string `json:"text,omitempty"` // empty: a text that says that this is a test
}

// TriedBody is the answer to TryRoute.
type TriedBody struct {
	ID     string `json:"id"`
	Failed string `json:"failed,omitempty"` // why the other side has not accepted it
}

// State is the status of a channel. The counts are since the start.
type State struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Of      string   `json:"of"`
	Up      string   `json:"up,omitempty"`      // how it works
	Trouble string   `json:"trouble,omitempty"` // why it does not work
	Failed  string   `json:"failed,omitempty"`  // why the last failed delivery failed
	At      int64    `json:"at,omitempty"`      // when that was, in milliseconds since 1970
	Allow   []string `json:"allow"`

	Received int `json:"received"`           // messages that became requests
	Repeated int `json:"repeated,omitempty"` // messages that were passed in again
	Refused  int `json:"refused,omitempty"`  // messages that did not become requests
	Sent     int `json:"sent"`               // answers, messages and questions
	Retried  int `json:"retried,omitempty"`  // attempts that failed
	Lost     int `json:"lost,omitempty"`     // messages that the other side will never accept
	Open     int `json:"open,omitempty"`     // requests whose answer is not delivered

	ChatsWaiting int `json:"chats_waiting,omitempty"` // chats for which the last delivery failed, while others go on
}

// textMax is the most bytes of an error in a state.
const textMax = 300

// Up implements [Inbound].
func (l *lane) Up(how string) {
	l.mu.Lock()
	l.standing.Up, l.standing.Trouble = how, ""
	l.mu.Unlock()
	l.o.Log.Info("a channel works", "channel", l.spec.Name, "how", how)
	poke(l.upped)
}

// Returned implements [Inbound].
func (l *lane) Returned(chat, id string, err error) {
	l.trouble(&OfChat{err}, Outbound{Chat: chat, ID: id}, false)
	l.count(func(s *State) { s.Lost++ })
}

// works reports whether the channel is connected.
func (l *lane) works() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.standing.Up != ""
}

// down notes why the channel does not work, and logs it unless the reason is the same as before.
func (l *lane) down(err error) {
	text, level := wording.Clip(err.Error(), textMax), slog.LevelDebug
	l.count(func(s *State) {
		if s.Trouble != text {
			level = slog.LevelWarn
		}
		s.Up, s.Trouble = "", text
	})
	l.o.Log.Log(context.Background(), level, "a channel does not work; it is tried again", "channel", l.spec.Name, "kind", l.spec.Kind, "error", err)
}

// trouble notes why something was not delivered, and logs it unless that was so before.
func (l *lane) trouble(err error, m Outbound, again bool) {
	now, text, level := l.o.Now().UnixMilli(), err.Error(), slog.LevelWarn
	if errors.As(err, new(*OfChat)) {
		text = fmt.Sprintf("to %s: %s", m.Chat, text)
	}
	if again {
		level = slog.LevelDebug
	}
	l.count(func(s *State) { s.Failed, s.At = wording.Clip(text, textMax), now })
	l.o.Log.Log(context.Background(), level, "a message is not delivered", "channel", l.spec.Name, "chat", m.Chat, "id", m.ID, "error", err)
}

func (l *lane) count(f func(s *State)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.standing)
}

// States returns the channels' states, in the order of the configuration.
func (b *Bus) States() []State {
	all := []State{}
	for _, l := range b.lanes() {
		all = append(all, l.state())
	}
	return all
}

func (l *lane) state() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.standing
	s.Open = len(l.open)
	return s
}

// State returns the state of a channel that is not running.
func (s Spec) State() State {
	return State{Name: s.Name, Kind: s.Kind, Of: s.Of, Allow: append([]string{}, s.Allow...)}
}

// errMute is the error of a try of a channel that sends nothing.
var errMute = errors.New("the channel only receives; it has no url to send to")

// Try sends a message to a chat once, and returns its id once the other side has taken it.
func (b *Bus) Try(ctx context.Context, name string, m TryBody) (string, error) {
	l := b.lane(name)
	if l == nil {
		return "", fmt.Errorf("there is no channel %s", wording.Word(name))
	}
	if l.spec.Mute {
		return "", errMute
	}
	if blank(m.Text) {
		m.Text = say(wordTry)
	}
	tried := make(chan error, 1)
	out := Outbound{ID: idOf("try", name, l.o.Now().UnixNano()), Chat: m.Chat, Kind: KindNotice, Text: m.Text}
	l.push(due{kind: KindNotice, chat: m.Chat, out: out, once: true, tried: tried, asker: ctx})
	select {
	case err := <-tried:
		if trouble := l.state().Trouble; err != nil && trouble != "" {
			err = fmt.Errorf("%w: %s", err, trouble)
		}
		return out.ID, err
	case <-ctx.Done():
		return "", errLate
	}
}
