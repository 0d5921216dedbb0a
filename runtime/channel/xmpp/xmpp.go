package xmpp

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"mellium.im/xmlstream"
	"mellium.im/xmpp"
	"mellium.im/xmpp/jid"

	"shelly/runtime/channel"
)

// Options are the options of an XMPP channel.
type Options struct {
	Name     string
	Account  string                 // NAME@DOMAIN
	Password func() (string, error) // called at each login
	Server   string                 // HOST:PORT; empty: looked up by the domain
	TLS      string
	CAFile   string // of certificates in PEM; empty: the system's
	Now      func() time.Time
}

// XMPP is the channel.
type XMPP struct {
	o Options

	mu   sync.Mutex
	live *link       // nil: there is no connection
	sent []delivered // the last messages that the server has accepted
}

// delivered is a message that the server has accepted.
type delivered struct{ id, chat string }

// sentMax is the most messages of which it is known that they were sent, should they come back.
const sentMax = 256

// New returns a channel.
func New(o Options) *XMPP { return &XMPP{o: o} }

// Name implements [channel.Channel].
func (x *XMPP) Name() string { return x.o.Name }

// Bounds.
const (
	loginMax  = 30 * time.Second // from the first byte until messages can come
	askEvery  = 5 * time.Second  // between two requests for an acknowledgement
	idleEvery = time.Minute      // between two checks whether the server is there
	idleMax   = 3 * idleEvery    // without a sign of the server
)

// Run implements [channel.Channel].
func (x *XMPP) Run(ctx context.Context, in channel.Inbound) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	login, done := context.WithTimeout(ctx, loginMax)
	defer done()
	session, conn, err := x.connect(login)
	if err != nil {
		return err
	}
	enabled := make(chan struct{})
	l := &link{x: x, in: in, ctx: ctx, session: session, conn: conn, enabled: enabled, counts: sync.OnceFunc(func() { close(enabled) }), news: make(chan struct{}), seen: x.o.Now()}
	ended := make(chan error, 1)
	go func() { ended <- channel.Guarded(func() error { return session.Serve(l) }) }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := l.begin(login, ended); err != nil {
		return errors.Join(err, conn.Close())
	}
	x.set(l)
	defer x.set(nil)
	in.Up("connected as " + session.LocalAddr().String())
	err = l.watch(ended)
	cancel()
	return errors.Join(l.failed(), err, conn.Close())
}

func (x *XMPP) set(l *link) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.live = l
}

var (
	errDown    = errors.New("there is no connection to the server")
	errManaged = errors.New("the server has no stream management (XEP-0198), without which messages could be lost")
	errSilent  = errors.New("the server is silent")
)

// Send implements [channel.Channel] (CHN-32).
func (x *XMPP) Send(ctx context.Context, m channel.Outbound) error {
	x.mu.Lock()
	l := x.live
	x.mu.Unlock()
	if l == nil {
		return errDown
	}
	to, err := jid.Parse(m.Chat)
	if err != nil {
		return &channel.Refused{Why: fmt.Sprintf("%q is not an address: %v", m.Chat, err)}
	}
	return l.send(ctx, message{To: to.String(), Type: "chat", ID: m.ID, Body: m.Text, Origin: originID{ID: m.ID}})
}

// link is a connection that has logged in. It handles incoming stanzas.
type link struct {
	x       *XMPP
	in      channel.Inbound
	ctx     context.Context
	session *xmpp.Session
	conn    *budget
	enabled chan struct{} // closed once stanzas are counted
	counts  func()        // closes it

	order sync.Mutex // keeps outgoing stanzas in order

	mu      sync.Mutex
	news    chan struct{} // closed at the next change of the fields below
	sent    uint32        // stanzas sent since counting began
	acked   uint32        // those of them that the server has acknowledged
	handled uint32        // the server's stanzas that were handled
	awaited delivered     // the message that is not acknowledged yet; zero: there is none
	back    *fault        // why it was returned; nil: it was not
	seen    time.Time     // of the last sign of the server
	broken  error
}

// begin enables counting, and announces that the account is available.
func (l *link) begin(ctx context.Context, ended <-chan error) error {
	if err := l.session.Encode(ctx, enable{}); err != nil {
		return err
	}
	select {
	case <-l.enabled:
	case err := <-ended:
		return errors.Join(l.failed(), err, errDown)
	case <-ctx.Done():
		return errManaged
	}
	return l.write(ctx, presence{})
}

// write sends a stanza and counts it.
func (l *link) write(ctx context.Context, stanza any) error {
	l.order.Lock()
	defer l.order.Unlock()
	l.change(func() { l.sent++ })
	return l.session.Encode(ctx, stanza)
}

// change changes the counters and announces that.
func (l *link) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	close(l.news)
	l.news = make(chan struct{})
}

func (l *link) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// watch waits for the connection's end, and checks at intervals whether the server is there.
func (l *link) watch(ended <-chan error) error {
	tick := time.NewTicker(idleEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-l.ctx.Done():
			return nil
		case <-tick.C:
		}
		l.mu.Lock()
		silent := l.x.o.Now().Sub(l.seen) > idleMax
		l.mu.Unlock()
		if silent {
			return errSilent
		}
		if err := l.session.Encode(l.ctx, ask{}); err != nil {
			return err
		}
	}
}

// send returns once the server has acknowledged a message.
func (l *link) send(ctx context.Context, m message) error {
	l.order.Lock()
	var number uint32
	l.change(func() {
		l.sent++
		number, l.awaited, l.back = l.sent, delivered{m.ID, m.To}, nil
	})
	defer l.change(func() { l.awaited = delivered{} })
	err := l.session.Encode(ctx, m)
	l.order.Unlock()
	if err != nil {
		return err
	}
	for {
		if err := l.session.Encode(ctx, ask{}); err != nil {
			return err
		}
		again := time.After(askEvery)
		for waiting := true; waiting; {
			l.mu.Lock()
			acked, back, news := int32(l.acked-number) >= 0, l.back, l.news
			if acked && back == nil {
				l.awaited = delivered{}
				l.x.accepted(delivered{m.ID, m.To})
			}
			l.mu.Unlock()
			switch {
			case acked && back == nil:
				return nil
			case acked && back.final():
				return &channel.Refused{Why: back.String()}
			case acked:
				return &channel.OfChat{Err: back}
			}
			select {
			case <-news:
			case <-again:
				waiting = false
			case <-l.ctx.Done():
				return errDown
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// HandleXMPP implements [xmpp.Handler].
func (l *link) HandleXMPP(t xmlstream.TokenReadEncoder, start *xml.StartElement) error {
	l.conn.more()
	now := l.x.o.Now()
	l.mu.Lock()
	l.seen = now
	l.mu.Unlock()
	whole := plain(xmlstream.MultiReader(xmlstream.Token(start.Copy()), t))
	err := l.handle(xml.NewTokenDecoder(whole), start, now)
	if err != nil && l.ctx.Err() == nil {
		l.change(func() { l.broken = errors.Join(l.broken, err) })
	}
	return err
}

func (l *link) handle(d *xml.Decoder, start *xml.StartElement, now time.Time) error {
	if start.Name.Space == nsManaged {
		return l.managed(d, start)
	}
	var err error
	switch start.Name.Local {
	case "message":
		err = l.message(d, now)
	case "presence":
		err = l.presence(d)
	case "iq":
		if answered(start.Attr) {
			l.change(func() { l.sent++ })
		}
		start.Attr = slices.DeleteFunc(start.Attr, unreadable) // the library would end the session
	default:
		return nil // not a stanza
	}
	if err == nil {
		l.change(func() { l.handled++ })
	}
	return err
}

// managed handles the elements of stream management.
func (l *link) managed(d *xml.Decoder, start *xml.StartElement) error {
	switch start.Name.Local {
	case "enabled":
		l.mu.Lock()
		l.handled = 0
		l.mu.Unlock()
		l.counts()
		return nil
	case "failed":
		return errManaged
	case "r":
		l.mu.Lock()
		a := acknowledge{Handled: l.handled}
		l.mu.Unlock()
		return l.session.Encode(l.ctx, a)
	case "a":
		var a acknowledge
		if err := decode(d, &a); err != nil {
			return err
		}
		l.change(func() { l.acked = a.Handled })
	}
	return nil
}

// message passes on a message from a person (CHN-31).
func (l *link) message(d *xml.Decoder, now time.Time) error {
	var m incoming
	if err := decode(d, &m); err != nil {
		return err
	}
	if m.Type == "error" {
		l.returned(&m)
		return nil
	}
	from, err := jid.Parse(m.From)
	text := m.text()
	if text == "" && m.Writes == nil || m.Type == "groupchat" || m.Type == "headline" || err != nil {
		return nil
	}
	if from.Bare().Equal(l.session.LocalAddr().Bare()) {
		return nil // an answer would come back the same way
	}
	who := from.Bare().String()
	if text == "" {
		l.in.Typing(who, who)
		return nil
	}
	_, err = l.in.Take(l.ctx, channel.Message{ID: m.idOf(text, now), Chat: who, Sender: who, Text: text})
	return err
}

// returned notes that a message was returned, or reports one that the server had accepted.
func (l *link) returned(m *incoming) {
	if m.Error == nil {
		m.Error = &fault{Type: "cancel"}
	}
	late := true
	l.change(func() {
		if m.ID != "" && m.ID == l.awaited.id && l.returns(m.From, l.awaited.chat) {
			l.back, late = m.Error, false
		}
	})
	if d, ok := l.x.takeBack(m.ID, func(chat string) bool { return l.returns(m.From, chat) }); late && ok {
		l.in.Returned(d.chat, d.id, m.Error)
	}
}

// returns reports whether an address can return a message to a chat: the chat's own, its server, or ours,
// which may also name nobody (RFC 6120, 8.3.1). Anybody else could guess its id (CHN-4).
func (l *link) returns(address, chat string) bool {
	if address == "" {
		return true
	}
	from, err := jid.Parse(address)
	to, wrong := jid.Parse(chat)
	own := l.session.LocalAddr()
	return err == nil && wrong == nil && slices.ContainsFunc([]jid.JID{to.Bare(), to.Domain(), own.Bare(), own.Domain()}, from.Bare().Equal)
}

// accepted remembers a message that the server has accepted.
func (x *XMPP) accepted(d delivered) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent = append(x.sent[max(0, len(x.sent)+1-sentMax):], d)
}

// takeBack forgets a message that the server had accepted, if it is to a chat that fits, and reports whether
// there is one.
func (x *XMPP) takeBack(id string, fits func(chat string) bool) (d delivered, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := slices.IndexFunc(x.sent, func(d delivered) bool { return d.id == id && fits(d.chat) })
	if i < 0 {
		return d, false
	}
	d = x.sent[i]
	x.sent = slices.Delete(x.sent, i, i+1)
	return d, true
}

// presence shows that the account is available to those who may talk to it (CHN-33).
func (l *link) presence(d *xml.Decoder) error {
	var p struct {
		From string `xml:"from,attr"`
		Type string `xml:"type,attr"`
	}
	if err := decode(d, &p); err != nil {
		return err
	}
	from, err := jid.Parse(p.From)
	if p.Type != "subscribe" || err != nil {
		return nil
	}
	answer := presence{To: from.Bare().String(), Type: "unsubscribed"}
	if l.in.Allows(answer.To) {
		answer.Type = "subscribed"
	}
	return l.write(l.ctx, answer)
}

// decode reads a whole element.
func decode(d *xml.Decoder, v any) error {
	if err := d.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
