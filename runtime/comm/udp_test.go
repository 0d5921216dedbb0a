package comm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
)

// mailbox is a served UDP listener and one client of it.
type mailbox struct {
	t        *testing.T
	front    *fronttest.Front
	counters comm.Counters
	to       *net.UDPAddr
	client   *net.UDPConn
	stop     func() error
}

func serveUDP(t *testing.T, change func(*comm.UDPOptions)) *mailbox {
	t.Helper()
	m := &mailbox{t: t, front: fronttest.New()}
	o := comm.UDPOptions{Token: token, RequestBytesMax: 1 << 20, Counters: &m.counters}
	if change != nil {
		change(&o)
	}
	u, err := comm.NewUDP(m.front, o)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := listener.UDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.to = conn.LocalAddr().(*net.UDPAddr)
	m.client = m.dial()
	m.stop = serving(t, func(ctx context.Context) error { return u.Serve(ctx, conn) })
	return m
}

// dial opens another client's socket.
func (m *mailbox) dial() *net.UDPConn {
	m.t.Helper()
	c, err := net.DialUDP("udp", nil, m.to)
	if err != nil {
		m.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(hang))
	_ = c.SetReadBuffer(1 << 20)
	m.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (m *mailbox) send(data string) { m.sendFrom(m.client, data) }

func (m *mailbox) sendFrom(c *net.UDPConn, data string) {
	m.t.Helper()
	if _, err := c.Write([]byte(data)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *mailbox) receive() comm.Datagram { return m.receiveAt(m.client) }

func (m *mailbox) receiveAt(c *net.UDPConn) (d comm.Datagram) {
	m.t.Helper()
	buffer := make([]byte, 1<<16)
	n, err := c.Read(buffer)
	if err != nil {
		m.t.Fatal(err)
	}
	if n > comm.ReplyDatagramBytesMax {
		m.t.Errorf("a datagram of %d bytes", n)
	}
	if err := json.Unmarshal(buffer[:n], &d); err != nil {
		m.t.Fatalf("%q: got %v; want no error", buffer[:n], err)
	}
	return d
}

func (m *mailbox) want(want comm.Datagram) {
	m.t.Helper()
	if diff := cmp.Diff(want, m.receive()); diff != "" {
		m.t.Fatal(diff)
	}
}

// wantSilence checks that nothing has been answered so far: what is sent now is
// answered first.
func (m *mailbox) wantSilence() {
	m.t.Helper()
	m.send(datagram("probe", "probe"))
	m.want(comm.Datagram{ID: "probe", Type: comm.DatagramAccepted})
}

func (m *mailbox) await(wanted func(fronttest.Seen) bool) {
	m.t.Helper()
	if err := m.front.Await(testContext(m.t), wanted); err != nil {
		m.t.Fatalf("%v; seen %+v", err, m.front.Seen())
	}
}

func datagram(id, text string) string {
	data, err := json.Marshal(map[string]string{"id": id, "text": text, "token": token})
	if err != nil {
		panic(err)
	}
	return string(data)
}

func udpKey(id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: comm.Principal, Channel: comm.ChannelUDP, ID: id}
}

func TestCOM2ADatagramIsAcknowledgedThenAnswered(t *testing.T) {
	m := serveUDP(t, nil)
	m.send(datagram("m1", "hello"))
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	m.await(watching)
	m.front.Say(udpKey("m1"), comm.Event{Type: comm.EventChunk, Text: "not sent"}, comm.Event{Type: comm.EventDeferred})
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramDeferred})
	m.front.Reply(udpKey("m1"), "error: <no> & \"so\"", true)
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramReply, Content: "error: <no> & \"so\"", IsError: true})
	m.await(func(n fronttest.Seen) bool { return n.Watching == 0 })
	m.wantSilence()
}

func TestCOM3WithoutTheTokenThereIsNoAnswer(t *testing.T) {
	noise := make([]byte, comm.DatagramBytesMax)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(noise)
	cases := []struct {
		name string
		send string
		want comm.Counts
	}{
		{"no bytes", "", comm.Counts{Empty: 1}},
		{"the largest datagram of noise", string(noise), comm.Counts{Malformed: 1}},
		{"not JSON", "hello", comm.Counts{Malformed: 1}},
		{"half a request", datagram("m1", "hello")[:20], comm.Counts{Malformed: 1}},
		{"no token", `{"id":"m1","text":"hello"}`, comm.Counts{BadTokens: 1}},
		{"an empty token", `{"id":"m1","text":"hello","token":""}`, comm.Counts{BadTokens: 1}},
		{"a wrong token", `{"id":"m1","text":"hello","token":"` + token[1:] + `"}`, comm.Counts{BadTokens: 1}},
		{"a token that is no text", `{"id":"m1","text":"hello","token":1}`, comm.Counts{BadTokens: 1}},
		{"a request in an array", "[" + datagram("m1", "hello") + "]", comm.Counts{BadTokens: 1}},
		{"two requests without a token", `{"id":"m1","text":"a"}{"id":"m1","text":"a"}`, comm.Counts{BadTokens: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := serveUDP(t, nil)
			m.send(c.send)
			m.wantSilence()
			c.want.Accepted = 1 // the probe
			if got := m.counters.Counts(); got != c.want {
				t.Errorf("counts %+v, want %+v", got, c.want)
			}
			if got := m.front.Seen().Accepted; len(got) != 1 {
				t.Errorf("accepted %q", got)
			}
		})
	}
}

// The channel of an id is always UDP's own, whatever conversation the sender names: it
// cannot read or take over requests that came another way.
func TestADatagramSaysWhereItsConversationIs(t *testing.T) {
	for body, want := range map[string]fsm.Origin{
		`"chat":"7"`:                      {Channel: "udp", Chat: "7"},
		`"channel":"telegram","chat":"7"`: {Channel: "telegram", Chat: "7"},
		`"channel":"http"`:                {Channel: "http"},
		`"session":"s"`:                   {},
	} {
		m := serveUDP(t, nil)
		m.send(`{"id":"m1","text":"hello","token":"` + token + `",` + body + `}`)
		m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
		got := m.front.Seen().Requests
		if len(got) != 1 || got[0].Key != udpKey("m1") || got[0].Origin != want {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}
}

func TestADatagramsSenderHearsOfItsPlaceAndOfPeople(t *testing.T) {
	m := serveUDP(t, nil)
	m.send(datagram("m1", "hello"))
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	m.await(watching)
	m.front.Say(udpKey("m1"), comm.Event{Type: comm.EventQueued, Ahead: 2}, comm.Event{Type: comm.EventHeld},
		comm.Event{Type: comm.EventReply, Text: "cancelled", IsError: true, Outcome: fsm.OutcomeCancelled})
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramQueued, Ahead: 2})
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramHeld})
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramReply, Content: "cancelled", IsError: true, Outcome: fsm.OutcomeCancelled})
}

func TestCOM6WhoHasTheTokenHearsWhatIsWrong(t *testing.T) {
	signed := func(rest string) string { return `{"token":"` + token + `",` + rest + `}` }
	cases := []struct {
		name, send, id, says string
		code                 comm.Code
	}{
		{"no id", signed(`"text":"a"`), "", `"id" is missing`, comm.CodeBadRequest},
		{"no text", signed(`"id":"m1"`), "m1", `"text" is missing`, comm.CodeBadRequest},
		{"blank text", signed(`"id":"m1","text":"\t"`), "m1", `"text" is missing`, comm.CodeBadRequest},
		{"an old time stamp, which is no field", signed(`"id":"m1","text":"a","ts":"1970-01-01T00:00:00Z"`), "m1", `"ts"`, comm.CodeBadRequest},
		{"a channel that is no name", signed(`"id":"m1","text":"a","channel":"../x"`), "m1", "channel", comm.CodeBadRequest},
		{"a chat that forges a log line", signed(`"id":"m1","text":"a","chat":"a\nb"`), "m1", `"chat" holds a control`, comm.CodeBadRequest},
		{"two requests", datagram("m1", "hello") + datagram("m1", "hello"), "m1", "more after", comm.CodeBadRequest},
		{"an id twice", signed(`"id":"m1","id":"m2","text":"a"`), "m2", `"id" is given twice`, comm.CodeBadRequest},
		{"an id that is no text", signed(`"id":7,"text":"a"`), "", `"id" is not a text`, comm.CodeBadRequest},
		{"an id that forges a log line", signed(`"id":"a\nb","text":"a"`), "", `"id" holds a control`, comm.CodeBadRequest},
		{"invalid UTF-8", signed("\"id\":\"m1\",\"text\":\"\xff\""), "m1", "UTF-8", comm.CodeBadRequest},
		{"too long", datagram("m1", strings.Repeat("x", 2000)), "m1", "2000 bytes", comm.CodeTooLarge},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := serveUDP(t, func(o *comm.UDPOptions) { o.RequestBytesMax = 2000 })
			m.send(c.send)
			got := m.receive()
			if got.ID != c.id || got.Type != comm.DatagramError || !got.IsError || got.Code != c.code || !strings.Contains(got.Content, c.says) {
				t.Errorf("got %+v, want an error of %q that says %q", got, c.id, c.says)
			}
			if n := m.front.Seen().Asked; n != 0 {
				t.Error("work was started")
			}
			if n := m.counters.Counts().Malformed; n != 1 {
				t.Errorf("%d counted as malformed", n)
			}
		})
	}
}

func TestTextsThatLookDangerousAreOnlyText(t *testing.T) {
	m := serveUDP(t, nil)
	for id, text := range map[string]string{
		"../../etc/x": "a",
		"escapes":     "\x1b]0;x\x07",
		"forged":      "line1\n{\"level\":\"info\",\"msg\":\"forged\"}",
		"fragments":   strings.Repeat("x", 1473),
		"largest":     strings.Repeat("x", comm.DatagramBytesMax-len(datagram("largest", ""))),
	} {
		m.send(datagram(id, text))
		m.want(comm.Datagram{ID: id, Type: comm.DatagramAccepted})
		if r, ok, _ := m.front.Request(context.Background(), udpKey(id)); !ok || r.Text != text {
			t.Errorf("%s: the record is %.100q (%t)", id, r.Text, ok)
		}
	}
}

func TestDatagramsAreAcceptedInTheOrderOfArrival(t *testing.T) {
	m := serveUDP(t, nil)
	var want []string
	for i := range 20 {
		id := fmt.Sprintf("m%d", 20-i)
		want = append(want, id)
		m.send(datagram(id, "a"))
	}
	for _, id := range want {
		m.want(comm.Datagram{ID: id, Type: comm.DatagramAccepted})
	}
	same(t, want, m.front.Seen().Accepted)
}

func TestCOM8ADatagramSentAgainIsAttachedOrAnsweredFromTheRecord(t *testing.T) {
	m := serveUDP(t, nil)
	again := datagram("m1", "hello")
	accepted := comm.Datagram{ID: "m1", Type: comm.DatagramAccepted}
	for range 3 {
		m.send(again)
		m.want(accepted)
	}
	other := m.dial()
	m.sendFrom(other, again)
	if got := m.receiveAt(other); got != accepted {
		t.Errorf("another socket hears %+v", got)
	}
	m.await(func(n fronttest.Seen) bool { return n.Watching == 2 }) // one per sender

	m.send(datagram("m1", "another text"))
	if got := m.receive(); got.Code != comm.CodeConflict || got.Type != comm.DatagramError {
		t.Errorf("another text under the id: %+v", got)
	}
	reply := comm.Datagram{ID: "m1", Type: comm.DatagramReply, Content: "hi"}
	m.front.Reply(udpKey("m1"), "hi", false)
	m.want(reply)
	if got := m.receiveAt(other); got != reply {
		t.Errorf("another socket hears %+v", got)
	}
	m.send(again)
	m.want(reply)
	m.wantSilence()
	if got := m.front.Seen().Accepted; len(got) != 2 {
		t.Errorf("accepted %q", got)
	}
}

func TestCOM7UDPPassesOnWhatTheDaemonRefuses(t *testing.T) {
	for err, code := range map[error]comm.Code{
		engine.ErrBusy:                comm.CodeBusy,
		engine.ErrStopping:            comm.CodeStopping,
		engine.ErrNoSpace:             comm.CodeNoSpace,
		errors.New("/secret: broken"): comm.CodeInternal,
	} {
		m := serveUDP(t, func(o *comm.UDPOptions) { o.WatchesMax = 1 })
		m.front.Refuse(err)
		for _, id := range []string{"m1", "m2"} { // a refused request takes no place
			m.send(datagram(id, "hello"))
			got := m.receive()
			if got.Type != comm.DatagramError || !got.IsError || got.ID != id || got.Code != code || strings.Contains(got.Content, "secret") {
				t.Errorf("%v: got %+v; want Type %q, IsError, ID %q, Code %q, Content without %q", err, got, comm.DatagramError, id, code, "secret")
			}
		}
		if n := m.counters.Counts().Refused; n != 2 {
			t.Errorf("%v: %d counted", err, n)
		}
	}
}

func TestOpenWatchesAreBoundedAndBusyStartsNothing(t *testing.T) {
	m := serveUDP(t, func(o *comm.UDPOptions) { o.WatchesMax = 1 })
	m.send(datagram("m1", "hello"))
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	m.send(datagram("m2", "hello"))
	if got := m.receive(); got.ID != "m2" || got.Code != comm.CodeBusy {
		t.Errorf("one too many: %+v", got)
	}
	m.send(datagram("m1", "hello"))
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	same(t, []string{"m1"}, m.front.Seen().Accepted)
	for _, id := range []string{"m1", "m3", "m4"} { // the reply frees the place
		m.send(datagram(id, "hello"))
		m.want(comm.Datagram{ID: id, Type: comm.DatagramAccepted})
		m.front.Reply(udpKey(id), "hi", false)
		m.want(comm.Datagram{ID: id, Type: comm.DatagramReply, Content: "hi"})
	}
}

func TestAFloodIsAnsweredAtOnce(t *testing.T) {
	m := serveUDP(t, nil)
	release := m.front.Hold()
	defer release()
	m.send(datagram("first", "a"))
	m.await(func(n fronttest.Seen) bool { return n.Held == 1 })
	waiting := 0
	for i := 0; ; i++ { // one at a time, so that the system loses none
		m.send(datagram(fmt.Sprintf("m%d", i), "a"))
		m.send(datagram("bad", ""))
		got := m.receive()
		if got.Code == comm.CodeBusy {
			break
		}
		if got.ID != "bad" {
			t.Fatalf("got %+v; want ID %q", got, "bad")
		}
		waiting++
	}
	if waiting == 0 || waiting > 1000 {
		t.Errorf("%d requests wait to be accepted", waiting)
	}
	if got := m.receive(); got.ID != "bad" {
		t.Fatalf("got %+v; want ID %q", got, "bad")
	}
	if got := m.counters.Counts().Refused; got != 1 {
		t.Errorf("%d counted as refused", got)
	}
	m.send(datagram("another", "a"))
	if got := m.receive(); got.Code != comm.CodeBusy || got.ID != "another" {
		t.Errorf("got %+v; want Code %q, ID %q", got, comm.CodeBusy, "another")
	}
}

func TestALongReplyIsCutVisibly(t *testing.T) {
	texts := map[string]string{
		"letters": strings.Repeat("x", 100_000),
		"escapes": strings.Repeat("\x01", 30_000),
	}
	for i := range 12 { // so that the limit falls on each byte of a character
		texts[fmt.Sprintf("characters after %d letters", i)] = strings.Repeat("x", i) + strings.Repeat("狐", 40_000)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			m := serveUDP(t, nil)
			m.send(datagram("a/1", "hello"))
			m.want(comm.Datagram{ID: "a/1", Type: comm.DatagramAccepted})
			m.front.Reply(udpKey("a/1"), text, false)
			got := m.receive()
			kept, mark, ok := strings.Cut(got.Content, "\n[cut: ")
			if !got.Cut || !ok || !strings.HasPrefix(text, kept) || !utf8.ValidString(kept) {
				t.Fatalf("cut %t, mark %q", got.Cut, mark)
			}
			want := fmt.Sprintf("%d more bytes; GET /v1/requests/a%%2F1?channel=udp has all]", len(text)-len(kept))
			if mark != want {
				t.Errorf("the mark is %q, want %q", mark, want)
			}
			if data, _ := json.Marshal(got); len(data) < comm.ReplyDatagramBytesMax-20 {
				t.Errorf("only %d bytes are used", len(data))
			}
		})
	}
	m := serveUDP(t, nil)
	m.send(datagram("m1", "hello"))
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	empty, _ := json.Marshal(comm.Datagram{ID: "m1", Type: comm.DatagramReply})
	fits := strings.Repeat("<", comm.ReplyDatagramBytesMax-len(empty))
	m.front.Reply(udpKey("m1"), fits, false)
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramReply, Content: fits})
}

func TestUDPEndsWithItsContext(t *testing.T) {
	m := serveUDP(t, nil)
	m.send(datagram("m1", "hello"))
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	m.await(watching)
	release := m.front.Hold()
	defer release()
	m.send(datagram("m2", "hello"))
	m.await(func(n fronttest.Seen) bool { return n.Held == 1 })
	if err := m.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	m.await(func(n fronttest.Seen) bool { return n.Watching == 0 })
}

func TestUDPTellsWhyItCouldNot(t *testing.T) {
	u, err := comm.NewUDP(fronttest.New(), comm.UDPOptions{Token: token, RequestBytesMax: 1})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := listener.UDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if err := u.Serve(context.Background(), conn); err == nil || !strings.Contains(err.Error(), conn.LocalAddr().String()) {
		t.Errorf("Serve: %v", err)
	}
}

// COM-3, COM-86, COM-87, COM-88: a client's token is valid over UDP as over HTTP: its requests are
// its own, a token without the right ask is refused, and revoking a token ends what is open.
func TestCOM86AClientsTokenIsGoodOverUDP(t *testing.T) {
	clients, err := access.Open(t.TempDir(), access.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made := func(name string, right access.Right) string {
		shown, err := clients.Add(name, access.Rights{right})
		if err != nil {
			t.Fatal(err)
		}
		return shown
	}
	ci, eve, sensor := made("ci", access.Ask), made("eve", access.Ask), made("sensor", access.Events)
	m := serveUDP(t, func(o *comm.UDPOptions) { o.Clients = clients })
	letter := func(token, id, text string) string {
		return `{"id":"` + id + `","text":"` + text + `","session":"notes","token":"` + token + `"}`
	}
	of := func(principal, id string) fsm.RequestKey {
		return fsm.RequestKey{Principal: principal, Channel: comm.ChannelUDP, ID: id}
	}
	m.send(letter(ci, "m1", "of ci"))
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	m.send(letter(eve, "m1", "of eve")) // the same id is another request
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramAccepted})
	got := m.front.Seen().Requests
	if len(got) != 2 || got[0].Key != of("ci", "m1") || got[0].Session != "client:ci/notes" || got[1].Key != of("eve", "m1") || got[1].Session != "client:eve/notes" {
		t.Errorf("got %+v; want 2 requests: %v in session %q, and %v in session %q", got, of("ci", "m1"), "client:ci/notes", of("eve", "m1"), "client:eve/notes")
	}
	m.send(letter(sensor, "m2", "of one who may report events alone"))
	m.send(letter(ci[1:], "m2", "of nobody"))
	m.wantSilence()
	if n := m.counters.Counts().BadTokens; n != 2 {
		t.Errorf("%d tokens are counted as wrong", n)
	}
	m.await(func(n fronttest.Seen) bool { return n.Watching == 3 }) // with the probe
	if taken, err := clients.Revoke("ci"); !taken || err != nil {
		t.Fatalf("got %t, %v; want true", taken, err)
	}
	m.await(func(n fronttest.Seen) bool { return n.Watching == 2 })
	m.front.Reply(of("ci", "m1"), "not sent", false)
	m.send(letter(ci, "m3", "too late"))
	m.front.Reply(of("eve", "m1"), "for eve", false)
	m.want(comm.Datagram{ID: "m1", Type: comm.DatagramReply, Content: "for eve"})
	if n := len(m.front.Seen().Accepted); n != 3 {
		t.Errorf("%d are accepted", n)
	}
}

func TestUDPFreesItsAddressAtItsEnd(t *testing.T) {
	m := serveUDP(t, nil)
	if err := m.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	again, err := net.ListenUDP("udp", m.to)
	if err != nil {
		t.Fatalf("the next listener at %s: %v", m.to, err)
	}
	_ = again.Close()
}
