package xmpp_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"shelly/fsm/engine"
	"shelly/runtime/channel"
	"shelly/runtime/channel/xmpp"
)

// server is one that does as the test says.
type server struct {
	t        *testing.T
	listener net.Listener
}

func listen(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &server{t, l}
}

// client is a connection to it.
type client struct {
	t    *testing.T
	conn net.Conn
	xml  *xml.Decoder
}

// accept has a client logged in; with managed its stanzas are counted.
func (s *server) accept(managed bool) *client {
	s.t.Helper()
	conn, err := s.listener.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		s.t.Fatal(err)
	}
	c := &client{t: s.t, conn: conn, xml: xml.NewDecoder(bufio.NewReader(conn))}
	c.wants("stream")
	c.says(`<?xml version='1.0'?><stream:stream from='example.org' id='1' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>` +
		`<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>`)
	auth := c.wants("auth")
	if raw, _ := base64.StdEncoding.DecodeString(auth.Text); string(raw) != "\x00shelly\x00hush" {
		s.t.Errorf("logs in with %q", raw)
	}
	c.says(`<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>`)
	c.xml = xml.NewDecoder(bufio.NewReader(conn))
	c.wants("stream")
	c.says(`<?xml version='1.0'?><stream:stream from='example.org' id='2' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>` +
		`<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>`)
	bind := c.wants("iq")
	c.says(`<iq type='result' id='` + bind.ID + `'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>shelly@example.org/r1</jid></bind></iq>`)
	c.wants("enable")
	if !managed {
		c.says(`<failed xmlns='urn:xmpp:sm:3'/>`)
		return c
	}
	c.says(`<enabled xmlns='urn:xmpp:sm:3'/>`)
	c.wants("presence")
	return c
}

// element is one that has come.
type element struct {
	XMLName xml.Name
	To      string `xml:"to,attr"`
	Type    string `xml:"type,attr"`
	ID      string `xml:"id,attr"`
	H       int    `xml:"h,attr"`
	Body    string `xml:"body"`
	Text    string `xml:",chardata"`
	Origin  struct {
		ID string `xml:"id,attr"`
	} `xml:"urn:xmpp:sid:0 origin-id"`
	Active *struct{} `xml:"http://jabber.org/protocol/chatstates active"`
}

// wants is the next element that comes, of a name.
func (c *client) wants(name string) element {
	c.t.Helper()
	for {
		token, err := c.xml.Token()
		if err != nil {
			c.t.Fatalf("no %s comes: %v", name, err)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		if start.Name.Local != name {
			c.t.Fatalf("%s comes, not %s", start.Name.Local, name)
		}
		var e element
		if name == "stream" {
			return e
		}
		if err := c.xml.DecodeElement(&e, &start); err != nil {
			c.t.Fatal(err)
		}
		return e
	}
}

func (c *client) says(text string) {
	c.t.Helper()
	if _, err := c.conn.Write([]byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// asks returns how many stanzas the client has handled.
func (c *client) asks() int {
	c.t.Helper()
	c.says(`<r xmlns='urn:xmpp:sm:3'/>`)
	return c.wants("a").H
}

func (c *client) acknowledges(n int) { c.says(fmt.Sprintf(`<a xmlns='urn:xmpp:sm:3' h='%d'/>`, n)) }

// inbound is what takes messages.
type inbound struct {
	up    chan string
	mu    sync.Mutex
	err   error
	seen  []channel.Message
	back  []string // what was returned
	asked int
	wrote []string // who began to write, and where
}

func (i *inbound) Typing(chat, sender string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.wrote = append(i.wrote, chat+" "+sender)
}

func (i *inbound) Take(_ context.Context, m channel.Message) (channel.Taken, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	if i.err == nil {
		i.seen = append(i.seen, m)
	}
	return channel.Taken{}, i.err
}
func (i *inbound) Allows(sender string) bool { return sender == "mia@example.org" }
func (i *inbound) Up(how string)             { i.up <- how }
func (i *inbound) Returned(chat, id string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.back = append(i.back, fmt.Sprintf("%s %s %v", chat, id, err))
}

func (i *inbound) taken() []channel.Message {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]channel.Message(nil), i.seen...)
}

// runs has a channel at work; end stops it and returns what it ended with.
func runs(t *testing.T, s *server) (x *xmpp.XMPP, in *inbound, end func() error) {
	t.Helper()
	return runsOver(t, s, xmpp.PlainText, "")
}

// runsOver is runs with how the connection is made safe, and the file of the authorities.
func runsOver(t *testing.T, s *server, how, caFile string) (x *xmpp.XMPP, in *inbound, end func() error) {
	t.Helper()
	x = xmpp.New(xmpp.Options{
		Name: "phone", Account: "shelly@example.org", Password: func() (string, error) { return "hush", nil },
		Server: s.listener.Addr().String(), TLS: how, CAFile: caFile, Now: time.Now,
	})
	in = &inbound{up: make(chan string, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx, in) }()
	end = sync.OnceValue(func() error { return <-done })
	t.Cleanup(func() { cancel(); t.Log(end()) })
	return x, in, end
}

// linked has a channel at work that is connected to c.
func linked(t *testing.T) (x *xmpp.XMPP, in *inbound, end func() error, c *client) {
	t.Helper()
	s := listen(t)
	x, in, end = runs(t, s)
	c = s.accept(true)
	<-in.up
	return x, in, end, c
}

// Who begins to write is passed on, but not what comes with a text, out of a room, or from shelly's own account.
func TestCHN35WhoWritesIsPassedOn(t *testing.T) {
	s := listen(t)
	_, in, _ := runs(t, s)
	c := s.accept(true)
	<-in.up
	const state = `<message from='%s' type='%s'><%s xmlns='http://jabber.org/protocol/chatstates'/>%s</message>`
	for _, m := range []string{
		fmt.Sprintf(state, "Mia@Example.org/phone", "chat", "composing", ""), fmt.Sprintf(state, "mia@example.org/phone", "chat", "paused", ""),
		fmt.Sprintf(state, "mia@example.org/phone", "chat", "active", "<body>Hello.</body>"), fmt.Sprintf(state, "room@example.org/mia", "groupchat", "composing", ""),
		fmt.Sprintf(state, "shelly@example.org/other", "chat", "composing", ""), fmt.Sprintf(state, "mia@example.org/phone", "error", "composing", ""),
		`<message from='mia@example.org/phone' type='chat'><composing xmlns='urn:x'/></message>`,
	} {
		c.says(m)
	}
	if n := c.asks(); n != 7 {
		t.Errorf("%d are acknowledged", n)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.wrote) != 1 || in.wrote[0] != "mia@example.org mia@example.org" {
		t.Errorf("wrote %q; want mia once", in.wrote)
	}
}

func TestCHN31AMessageIsAcknowledgedOnceItIsTaken(t *testing.T) {
	s := listen(t)
	_, in, end := runs(t, s)
	c := s.accept(true)
	if how := <-in.up; how != "connected as shelly@example.org/r1" {
		t.Errorf("got %q; want %q", how, "connected as shelly@example.org/r1")
	}
	const hello = `<message from='mia@example.org/phone' to='shelly@example.org' type='chat' id='7'><body>What &amp; why?</body></message>`
	c.says(hello)
	if n := c.asks(); n != 1 {
		t.Errorf("%d are acknowledged", n)
	}
	c.says(`<message from='mia@example.org/phone' type='chat' id='8'><composing xmlns='http://jabber.org/protocol/chatstates'/></message>` +
		`<message from='room@example.org/mia' type='groupchat' id='9'><body>to all</body></message>` +
		`<presence from='mia@example.org/phone'/><iq type='get' id='p1' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq>`)
	if e := c.wants("iq"); e.Type != "error" || e.ID != "p1" {
		t.Errorf("got %+v; want Type %q, ID %q", e, "error", "p1")
	}
	if n := c.asks(); n != 5 {
		t.Errorf("%d are acknowledged", n)
	}
	c.says(hello + `<message from='mia@example.org/phone' type='chat' id='7'><body>Another.</body></message>` +
		`<message from='mia@example.org/laptop' type='chat' id='7'><body>Another.</body></message>`)
	if n := c.asks(); n != 8 {
		t.Errorf("%d are acknowledged", n)
	}
	seen := in.taken()
	if len(seen) != 4 || seen[0].Chat != "mia@example.org" || seen[0].Sender != "mia@example.org" || seen[0].Text != "What & why?" {
		t.Fatalf("got %+v; want 4 of them, [0].Chat %q, [0].Sender %q, [0].Text %q", seen, "mia@example.org", "mia@example.org", "What & why?")
	}
	if seen[0].ID != seen[1].ID || seen[0].ID == seen[2].ID || seen[2].ID == seen[3].ID {
		t.Errorf("the ids are %s, %s, %s, %s", seen[0].ID, seen[1].ID, seen[2].ID, seen[3].ID)
	}
	in.mu.Lock()
	in.err = engine.ErrStopping
	in.mu.Unlock()
	c.says(`<message from='mia@example.org/phone' type='chat' id='10'><body>Not now.</body></message>`)
	if err := end(); !errors.Is(err, engine.ErrStopping) {
		t.Errorf("it ends with %v", err)
	}
}

// A message may have its text in several languages.
func TestCHN31TheTextIsTheOneInTheMessagesLanguage(t *testing.T) {
	_, in, _, c := linked(t)
	for i, tt := range []struct{ attribute, bodies, want string }{
		{"", `<body>Hello.</body><body xml:lang='de'>Hallo.</body>`, "Hello."},
		{"", `<body xml:lang='de'>Hallo.</body><body>Hello.</body>`, "Hello."},
		{` xml:lang='en'`, `<body xml:lang='de'>Hallo.</body><body xml:lang='EN'>Hello.</body><body xml:lang='fr'>Salut.</body>`, "Hello."},
		{"", `<body xml:lang='de'>Hallo.</body><body xml:lang='fr'>Salut.</body>`, "Hallo."},
	} {
		c.says(fmt.Sprintf(`<message from='mia@example.org/phone' type='chat' id='%d'%s>%s</message>`, i, tt.attribute, tt.bodies))
		if n := c.asks(); n != i+1 {
			t.Errorf("%d are acknowledged", n)
		}
		if seen := in.taken(); len(seen) != i+1 || seen[i].Text != tt.want {
			t.Errorf("%s: %+v, want %s", tt.bodies, seen, tt.want)
		}
	}
}

func TestCHN31WithoutStreamManagementItDoesNotWork(t *testing.T) {
	s := listen(t)
	_, in, end := runs(t, s)
	s.accept(false)
	if err := end(); err == nil || !strings.Contains(err.Error(), "XEP-0198") || len(in.up) != 0 {
		t.Errorf("got %v, up %d times; want an error that names %s, and never", err, len(in.up), "XEP-0198")
	}
}

func TestCHN32AMessageIsSentOnceTheServerHasIt(t *testing.T) {
	s := listen(t)
	x, in, _ := runs(t, s)
	if err := x.Send(t.Context(), channel.Outbound{ID: "re-1", Chat: "mia@example.org", Text: "early"}); err == nil {
		t.Error("it is sent without a connection")
	}
	c := s.accept(true)
	<-in.up
	send := func(chat, text string) <-chan error {
		done := make(chan error, 1)
		go func() { done <- x.Send(t.Context(), channel.Outbound{ID: "re-1", Chat: chat, Text: text}) }()
		return done
	}
	done := send("mia@example.org", "It is <four>.\x00")
	m := c.wants("message")
	if m.Active == nil { // CHN-35
		t.Error("it does not ask the client to say when its person writes")
	}
	if m.To != "mia@example.org" || m.Type != "chat" || m.ID != "re-1" || m.Origin.ID != "re-1" || m.Body != "It is <four>.\ufffd" {
		t.Errorf("got %+v; want To %q, Type %q, ID %q, Origin.ID %q, Body %q", m, "mia@example.org", "chat", "re-1", "re-1", "It is <four>.\ufffd")
	}
	c.wants("r")
	c.acknowledges(1) // the presence
	if c.asks(); len(done) != 0 {
		t.Error("it is sent before it is acknowledged")
	}
	c.acknowledges(2)
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		fault   string
		refused bool
	}{{"<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>", true},
		{"<error type='auth'><registration-required xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>", true}, {"<error type='wait'><resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>", false}} {
		done = send("nobody@example.org", "hello")
		c.wants("message")
		c.wants("r")
		c.says(`<message from='nobody@example.org' type='error' id='re-1'>` + tt.fault + `</message>`)
		c.acknowledges(100)
		err := <-done
		if err == nil || errors.As(err, new(*channel.Refused)) != tt.refused || errors.As(err, new(*channel.OfChat)) == tt.refused {
			t.Errorf("%s: got %v; want it Refused %t, or else OfChat", tt.fault, err, tt.refused)
		}
		c.acknowledges(0)
		c.asks()
	}
	if err := <-send("not an address@", "hello"); !errors.As(err, new(*channel.Refused)) {
		t.Errorf("got %v; want a channel.Refused", err)
	}
	done = send("mia@example.org", "lost")
	c.wants("message")
	if err := c.conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || errors.As(err, new(*channel.Refused)) || errors.As(err, new(*channel.OfChat)) {
		t.Errorf("over a connection that ends: %v", err)
	}
}

// What Send says of a returned message is not reported again for each attempt. One that comes back
// after it was acknowledged is, once, and one that was never sent is not.
func TestCHN32AMessageThatIsReturnedLateIsReported(t *testing.T) {
	x, in, end, c := linked(t)
	const back = `<message from='mia@example.org' type='error' id='%s'><error type='wait'><remote-server-timeout xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>`
	for _, id := range []string{"at once", "late"} {
		done := make(chan error, 1)
		go func() { done <- x.Send(t.Context(), channel.Outbound{ID: id, Chat: "mia@example.org", Text: "hello"}) }()
		c.wants("message")
		c.wants("r")
		if id == "at once" {
			c.says(fmt.Sprintf(back, id))
		}
		c.acknowledges(100)
		if err := <-done; (err == nil) != (id == "late") {
			t.Errorf("%s: got %v; want an error %t", id, err, id != "late")
		}
		c.acknowledges(0)
	}
	for _, id := range []string{"late", "late", "another"} {
		c.says(fmt.Sprintf(back, id))
	}
	c.asks()
	if err := c.conn.Close(); err != nil {
		t.Fatal(err)
	}
	_ = end() // which is not what this is about
	if got := strings.Join(in.back, ", "); got != "mia@example.org late it was returned: remote-server-timeout" {
		t.Errorf("reported: %s", got)
	}
}

// The ids are no secrets: who guesses one would have the rest of a message not sent, or reported as lost.
func TestCHN32OnlyWhoGetsAMessageOrAServerReturnsIt(t *testing.T) {
	x, in, end, c := linked(t)
	const back = `<message from='%s' type='error' id='%s'><error type='cancel'><gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>`
	addresses := []string{"eve@example.net/x", "eve@example.org", "example.net", "not an address@", "mia@example.net/phone", "example.net.evil"}
	for i, fits := range []bool{false, false, true, false, true, false} {
		id := fmt.Sprint("re-", i)
		for _, late := range []bool{false, true} {
			done := make(chan error, 1)
			go func() { done <- x.Send(t.Context(), channel.Outbound{ID: id, Chat: "mia@example.net", Text: "hello"}) }()
			c.wants("message")
			c.wants("r")
			if !late {
				c.says(fmt.Sprintf(back, addresses[i], id))
			}
			c.acknowledges(100)
			if err := <-done; errors.As(err, new(*channel.Refused)) != (fits && !late) {
				t.Errorf("returned by %s: %v", addresses[i], err)
			}
			c.acknowledges(0)
			c.asks()
		}
		c.says(fmt.Sprintf(back, addresses[i], id))
		c.asks()
	}
	if err := c.conn.Close(); err != nil {
		t.Fatal(err)
	}
	_ = end() // which is not what this is about
	if len(in.back) != 2 {
		t.Errorf("reported: %v", in.back)
	}
}

func TestCHN33OnlyWhoMayTalkSeesThatItIsThere(t *testing.T) {
	_, _, _, c := linked(t)
	c.says(`<presence type='subscribe' from='mia@example.org'/><presence type='subscribe' from='eve@example.org'/>`)
	for _, want := range []element{{To: "mia@example.org", Type: "subscribed"}, {To: "eve@example.org", Type: "unsubscribed"}} {
		if e := c.wants("presence"); e.To != want.To || e.Type != want.Type {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
}

func TestCHN30AStanzaThatIsTooLongEndsTheConnection(t *testing.T) {
	_, in, end, c := linked(t)
	go func() {
		_, _ = c.conn.Write([]byte(`<message from='mia@example.org/phone'><body>`))
		for part := []byte(strings.Repeat("a", 1<<16)); ; {
			if _, err := c.conn.Write(part); err != nil {
				return // it has ended
			}
		}
	}()
	if err := end(); err == nil || len(in.taken()) != 0 {
		t.Errorf("it ends with %v", err)
	}
}

func TestCHN30WithoutItsSecretsItDoesNotConnect(t *testing.T) {
	for name, o := range map[string]xmpp.Options{
		"no password": {Password: func() (string, error) { return "", errors.New("the environment has no P") }},
		"no CA file":  {Password: func() (string, error) { return "hush", nil }, CAFile: t.TempDir() + "/none", TLS: xmpp.StartTLS},
	} {
		o.Account, o.Now = "shelly@example.org", time.Now
		if err := xmpp.New(o).Run(t.Context(), &inbound{up: make(chan string, 1)}); err == nil {
			t.Errorf("%s: it runs", name)
		}
	}
}

// A sender may add attributes of a namespace of its own, and the server passes them on.
func TestCHN34OnlyTheServersWordCountsForWhoSends(t *testing.T) {
	_, in, _, c := linked(t)
	const foreign = ` xmlns:x='urn:x' x:from='mia@example.org/phone' x:type='normal' x:id='8' x:lang='de'`
	for _, attributes := range []string{` from='eve@example.org/1' type='chat' id='7'` + foreign, foreign + ` from='eve@example.org/1' type='chat' id='7'`} {
		c.says(`<message` + attributes + `><body>Sell it all.</body></message><presence type='subscribe'` + attributes + `/>` +
			`<message type='groupchat' x:type='chat'` + strings.ReplaceAll(attributes, ` type='chat'`, "") + `><body>Sell it all.</body></message>` +
			`<message` + attributes + `><body xmlns='urn:x'>Sell it all.</body></message>`)
	}
	c.asks()
	seen := in.taken()
	for _, m := range seen {
		if m.Sender != "eve@example.org" || m.Chat != m.Sender {
			t.Errorf("got %+v; want Sender %q, Chat %q", m, "eve@example.org", m.Sender)
		}
	}
	if len(seen) != 2 || seen[0].ID != seen[1].ID {
		t.Errorf("%d messages: %+v", len(seen), seen)
	}
}

// What the account says to itself would be answered without end.
func TestCHN34ShellyDoesNotAnswerItself(t *testing.T) {
	_, in, _, c := linked(t)
	for _, from := range []string{"shelly@example.org", "shelly@example.org/r1", "Shelly@example.org/r2"} {
		c.says(`<message from='` + from + `' type='chat' id='7'><body>Hello.</body></message>`)
	}
	if n := c.asks(); n != 3 || len(in.taken()) != 0 {
		t.Errorf("%d are acknowledged, and taken is %+v", n, in.taken())
	}
}

// A question whose sender's address cannot be read does not end the connection: its client may ask
// again whenever shelly is there.
func TestCHN34AnAddressThatCannotBeReadEndsNothing(t *testing.T) {
	_, in, _, c := linked(t)
	for _, from := range []string{`from='@'`, `xmlns:x='urn:x' x:from='@' from='mia@example.org/phone'`} {
		c.says(`<iq type='get' id='1' ` + from + `/>`)
		if e := c.wants("iq"); e.To != map[bool]string{true: "mia@example.org/phone"}[strings.Contains(from, "mia")] {
			t.Errorf("%s: the answer goes to %q", from, e.To)
		}
	}
	for _, stanza := range []string{`<message from='@' id='1'><body>Hello.</body></message>`, `<presence from='@' type='subscribe'/>`} {
		c.says(stanza)
	}
	if n := c.asks(); n != 4 || len(in.taken()) != 0 {
		t.Errorf("%d are acknowledged, and taken is %+v", n, in.taken())
	}
}

// The library answers a question that is not for us. Each answer is a stanza that the server counts.
func TestCHN31TheAnswersOfTheLibraryAreCounted(t *testing.T) {
	x, _, _, c := answering(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // bounds what must happen anyway
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- x.Send(ctx, channel.Outbound{ID: "re-1", Chat: "mia@example.org", Text: "hello"}) }()
	c.wants("message")
	c.wants("r")
	c.acknowledges(5) // the presence, three answers, and the message
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// answering has a channel at work whose library has answered three questions.
func answering(t *testing.T) (x *xmpp.XMPP, in *inbound, end func() error, c *client) {
	t.Helper()
	x, in, end, c = linked(t)
	for _, iq := range []string{"type='get' id='1'", "type='get' id='2' xmlns:x='urn:x' x:type='set'", "id='3' xmlns:x='urn:x' x:type='set' type='result'"} {
		c.says(`<iq from='mia@example.org/phone' ` + iq + `/>`)
		c.wants("iq")
	}
	c.says(`<iq from='mia@example.org/phone' type='result' id='4'/>`)
	c.asks()
	return x, in, end, c
}

// A message would be lost of which the server has only what was sent before it.
func TestCHN32WhatWasSentBeforeAMessageIsNotTheMessage(t *testing.T) {
	x, _, _, c := answering(t)
	done := make(chan error, 1)
	go func() {
		done <- x.Send(t.Context(), channel.Outbound{ID: "re-1", Chat: "mia@example.org", Text: "hello"})
	}()
	c.wants("message")
	c.wants("r")
	c.acknowledges(4) // the presence and three answers
	if err := c.conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("it is sent")
	}
}
