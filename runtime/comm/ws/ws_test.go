package ws_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"shelly/fsm"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
	"shelly/runtime/comm/ws"
)

const (
	token = "0123456789abcdef0123456789abcdef"
	hang  = 30 * time.Second // bounds what must happen anyway
)

type site struct {
	t       *testing.T
	ctx     context.Context
	front   *fronttest.Front
	clients *access.Clients
	counts  *comm.Counters
	address string
	stop    func()
	ended   chan error // what Serve returned
}

func serve(t *testing.T) *site {
	t.Helper()
	clients, err := access.Open(t.TempDir(), access.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	s := &site{t: t, ctx: ctx, front: fronttest.New(), clients: clients, counts: &comm.Counters{}}
	h, err := comm.NewHTTP(s.front, comm.HTTPOptions{
		Token: token, Clients: clients, RequestBytesMax: 4096, Counters: s.counts, Routes: []comm.Route{ws.New(s.front, ws.Options{BytesMax: 4096})},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := listener.TCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = l.Addr().String()
	serving, stop := context.WithCancel(context.Background())
	s.stop, s.ended = stop, make(chan error, 1)
	go func() { s.ended <- h.Serve(serving, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-s.ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
		cancel()
	})
	return s
}

func (s *site) dial(o *websocket.DialOptions) (*websocket.Conn, int, error) {
	conn, response, err := websocket.Dial(s.ctx, "ws://"+s.address+ws.Route, o)
	status := 0
	if response != nil {
		status = response.StatusCode
	}
	if conn != nil {
		s.t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, status, err
}

func (s *site) with(shown string) *websocket.Conn {
	s.t.Helper()
	conn, status, err := s.dial(&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + shown}}})
	if err != nil {
		s.t.Fatalf("status %d: %v", status, err)
	}
	return conn
}

func (s *site) send(c *websocket.Conn, text string) {
	s.t.Helper()
	if err := c.Write(s.ctx, websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// want reads the next frame and looks for texts in it.
func (s *site) want(c *websocket.Conn, texts ...string) {
	s.t.Helper()
	_, data, err := c.Read(s.ctx)
	if err != nil {
		s.t.Fatalf("%v; want %q", err, texts)
	}
	for _, text := range texts {
		if !strings.Contains(string(data), text) {
			s.t.Fatalf("%s has no %s", data, text)
		}
	}
}

func key(principal, id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: principal, Channel: comm.ChannelHTTP, ID: id}
}

func TestCOM93ManyRequestsGoOverOneConnection(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	for _, id := range []string{"a", "b"} {
		s.send(c, `{"type":"ask","id":"`+id+`","text":"hello"}`)
		s.want(c, `"type":"accepted"`, `"id":"`+id+`"`, `"at":"0.0.0.0.0.0.0"`)
		s.want(c, `"type":"state"`)
	}
	if n := s.front.Seen().Begun; n != 2 { // COM-4
		t.Errorf("%d are told from the beginning", n)
	}
	s.front.Reply(key("local", "b"), "for b", false)
	s.want(c, `"type":"reply"`, `"text":"for b"`)
	s.front.Reply(key("local", "a"), "for a", false)
	s.want(c, `"type":"reply"`, `"text":"for a"`)
	s.send(c, `{"type":"ask","id":"a","text":"another"}`)
	s.want(c, `"type":"error"`, `"code":"conflict"`, `"id":"a"`)
	s.send(c, `{"type":"follow","id":"a","after":"1.2.3.4.5.6.7"}`)
	s.want(c, `"type":"reply"`, `"text":"for a"`)
	s.send(c, `{"type":"cancel","id":"a"}`)
	s.want(c, `"type":"taken"`, `"of":"cancel"`, `"taken":true`)
}

func TestCOM93AFrameThatIsWrongIsAnsweredAndNothingElseEnds(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	for text, says := range map[string]string{
		`{`: "bad_request", `[]`: "bad_request", `{"type":"x"}`: "bad_request", `{"type":"ask","type":"ask"}`: "given twice", `{"type":"ask","id":"a","text":""}`: "bad_request",
		`{"type":"follow","id":"none"}`: "not_found", `{"type":"follow","id":"none","after":"1"}`: "not a position", `{"type":"approve","id":"none","key":"k"}`: "not_found",
		`{"type":"ask","id":"a","text":"b","more":"c"}`: "unknown field", `{"type":"follow","id":"` + strings.Repeat("i", 3000) + `"}`: "longer than 128 bytes",
		`{"type":"follow"}`: `field \"id\" is missing`, `{"type":"leave"}`: `field \"id\" is missing`, `{"type":"cancel"}`: `field \"id\" is missing`,
		`{"type":"approve","id":"a"}`: `field \"key\" is missing`, `{"type":"deny","id":"a","reason":"b"}`: `field \"key\" is missing`,
	} {
		s.send(c, text)
		s.want(c, `"type":"error"`, says)
	}
	if err := c.Write(s.ctx, websocket.MessageBinary, []byte(`{"type":"ask"}`)); err != nil {
		t.Fatal(err)
	}
	s.want(c, "not text")
	if n := len(s.front.Seen().Accepted); n != 0 {
		t.Errorf("%d requests were accepted", n)
	}
	s.send(c, strings.Repeat("x", 5000))
	if _, _, err := c.Read(s.ctx); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("a frame that is too long: %v", err)
	}
}

// What comes over a WebSocket is counted like all else that comes to the listener (OBS-2).
func TestOBS2FramesAreCounted(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	s.send(c, `{"type":"ask",`)
	s.want(c, `"bad_request"`)
	s.send(c, `{"type":"ask","id":"a","text":"hello"}`)
	s.want(c, `"accepted"`)
	if got, want := s.counts.Counts(), (comm.Counts{Accepted: 1, Malformed: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestCOM93TheTokenIsShownAsOverHTTP(t *testing.T) {
	s := serve(t)
	made, err := s.clients.Add("ci", access.Rights{access.Ask})
	if err != nil {
		t.Fatal(err)
	}
	sensor, err := s.clients.Add("sensor", access.Rights{access.Events})
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]struct {
		o    websocket.DialOptions
		want int
	}{
		"none":           {websocket.DialOptions{}, 401},
		"a wrong one":    {websocket.DialOptions{Subprotocols: []string{ws.Protocol, "bearer.x"}}, 401},
		"no right":       {websocket.DialOptions{Subprotocols: []string{ws.Protocol, "bearer." + sensor}}, 403},
		"a subprotocol":  {websocket.DialOptions{Subprotocols: []string{ws.Protocol, "bearer." + made}}, 101},
		"a foreign page": {websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}, "Origin": {"https://evil.example"}}}, 403},
	} {
		conn, status, _ := s.dial(&one.o)
		if status != one.want || conn != nil && conn.Subprotocol() != ws.Protocol {
			t.Errorf("%s: status %d, want %d", name, status, one.want)
		}
	}
	c := s.with(made)
	s.send(c, `{"type":"ask","id":"a","text":"hello"}`)
	s.want(c, `"type":"accepted"`)
	s.want(c, `"type":"state"`)
	if _, ok, _ := s.front.Request(s.ctx, key("ci", "a")); !ok {
		t.Error("the request is not the client's")
	}
	s.send(c, `{"type":"approve","id":"a","key":"k"}`)
	s.want(c, `"code":"forbidden"`)
	if _, err := s.clients.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	s.parted(c, websocket.StatusPolicyViolation, "the token was revoked")
}

// parted reads the last frames of a connection: those of no request, or its last events, and why it
// ends.
func (s *site) parted(c *websocket.Conn, code websocket.StatusCode, reason string) {
	s.t.Helper()
	for {
		_, _, err := c.Read(s.ctx)
		if err == nil {
			continue
		}
		if got := (websocket.CloseError{}); !errors.As(err, &got) || got.Code != code || got.Reason != reason {
			s.t.Errorf("the connection ended with %v; want %d, %s", err, code, reason)
		}
		return
	}
}

// A connection ends with a close frame that says why, whether its client answers it or not.
func TestCOM93AConnectionEndsWithTheReasonWhenShellyStops(t *testing.T) {
	s := serve(t)
	answers, silent := s.with(token), s.with(token)
	s.send(answers, `{"type":"ask","id":"a","text":"hello"}`)
	s.want(answers, `"type":"accepted"`)
	s.want(answers, `"type":"state"`)
	s.stop()
	s.parted(answers, websocket.StatusGoingAway, "shelly is stopping")
	if err := <-s.ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	s.ended <- nil
	s.parted(silent, websocket.StatusGoingAway, "shelly is stopping")
}

func TestCOM93ARefusedAskEndsNoFollowing(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	s.send(c, `{"type":"ask","id":"a","text":"hello"}`)
	s.want(c, `"type":"accepted"`)
	s.want(c, `"type":"state"`)
	s.send(c, `{"type":"ask","id":"a","text":"another"}`)
	s.want(c, `"type":"error"`, `"code":"conflict"`)
	s.front.Reply(key("local", "a"), "for a", false)
	s.want(c, `"type":"reply"`, `"text":"for a"`)
}

// The hostile inputs for WebSockets of the corpus: d071, d073 and d076.
func TestCOM93HostileInputsAreRefusedOrBounded(t *testing.T) {
	s := serve(t)
	const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer " + token + "\r\n"
	port := s.address[strings.LastIndex(s.address, ":"):]
	for name, head := range map[string]string{
		"d071": "Host: 127.0.0.1" + port + "\r\nOrigin: https://evil.example\r\n", "d073": "Host: evil.example" + port + "\r\nOrigin: http://evil.example" + port + "\r\n",
	} {
		conn := s.raw("GET " + ws.Route + " HTTP/1.1\r\n" + head + upgrade + "\r\n")
		answer, _ := io.ReadAll(conn)
		if !bytes.HasPrefix(answer, []byte("HTTP/1.1 403 ")) {
			t.Errorf("%s: got %.60s; want status 403", name, answer)
		}
	}
	conn := s.raw("GET " + ws.Route + " HTTP/1.1\r\nHost: " + s.address + "\r\n" + upgrade + "\r\n")
	go func() { // d076: a million fragments of one byte each
		fragment, first := []byte{0x00, 0x81, 0, 0, 0, 0, 'x'}, []byte{0x01, 0x81, 0, 0, 0, 0, 'x'}
		_, err := conn.Write(first)
		for n := 0; n < 1_000_000 && err == nil; n += 1000 {
			_, err = conn.Write(bytes.Repeat(fragment, 1000))
		}
	}()
	answer, _ := io.ReadAll(conn)
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 101 ")) || !bytes.Contains(answer, []byte{0x03, 0xf1}) { // 1009: too big
		t.Errorf("d076: %q", answer[:min(len(answer), 300)])
	}
	var status struct{ OK bool }
	r, err := http.Get("http://" + s.address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if err := json.NewDecoder(r.Body).Decode(&status); err != nil || !status.OK {
		t.Errorf("afterwards: %+v, %v", status, err)
	}
}

func (s *site) raw(text string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(hang))
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// A frame that breaks the protocol ends the connection with the code that says so.
func TestCOM93AWrongFrameEndsTheConnectionAsAProtocolError(t *testing.T) {
	for name, wrong := range map[string]string{
		"unmasked": "\x81\x02{}", "of a negative length": "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00", "of an unknown kind": "\x83\x80\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) { endsTheConnection(t, wrong) })
	}
}

// A request that begins no WebSocket is answered like any other that is malformed (COM-6).
func TestCOM93WhatBeginsNoWebSocketIsAProblem(t *testing.T) {
	s := serve(t)
	for name, headers := range map[string]string{
		"no key": "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", "another protocol": "Connection: Upgrade\r\nUpgrade: h2c\r\n",
		"another version": "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
	} {
		conn := s.raw("GET " + ws.Route + " HTTP/1.1\r\nHost: " + s.address + "\r\nAuthorization: Bearer " + token + "\r\n" + headers + "\r\n")
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		var body comm.ProblemBody
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || answer.StatusCode != http.StatusBadRequest || body.Error.Code != comm.CodeBadRequest || !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: got %s %v %+v, %v; want %d, code %q, as JSON", name, answer.Status, answer.Header, body, err, http.StatusBadRequest, comm.CodeBadRequest)
		}
	}
}

func endsTheConnection(t *testing.T, wrong string) {
	s := serve(t)
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(hang)); err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", ws.Route, s.address, token)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %+v, %v; want StatusCode 101", answer, err)
	}
	if _, err := io.WriteString(conn, wrong); err != nil {
		t.Fatal(err)
	}
	var frame [4]byte
	if _, err := io.ReadFull(in, frame[:]); err != nil || frame[0] != 0x88 || int(frame[2])<<8|int(frame[3]) != int(websocket.StatusProtocolError) {
		t.Errorf("got % x, %v; want a close frame with %d", frame, err, websocket.StatusProtocolError)
	}
}

// told returns what a person has told the daemon last.
func (s *site) told() fsm.Fact {
	s.t.Helper()
	all := s.front.Seen().Told
	if len(all) == 0 {
		s.t.Fatal("nothing was told")
	}
	return all[len(all)-1].Fact
}

func TestCOM93APersonDecidesOverTheConnection(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	s.send(c, `{"type":"ask","id":"a","text":"hello"}`)
	s.want(c, `"type":"accepted"`)
	s.want(c, `"type":"state"`)
	for _, tt := range []struct {
		frame string
		want  fsm.Decided
	}{
		{`{"type":"approve","id":"a","key":"k"}`, fsm.Decided{Handle: 1, Key: "k", Approve: true, By: "local"}},
		{`{"type":"approve","id":"a","key":"k","grant":"session"}`, fsm.Decided{Handle: 1, Key: "k", Approve: true, Grant: fsm.GrantSession, By: "local"}},
		{`{"type":"deny","id":"a","key":"k","reason":"not today"}`, fsm.Decided{Handle: 1, Key: "k", Reason: "not today", By: "local"}},
		{`{"type":"deny","id":"a","key":"k"}`, fsm.Decided{Handle: 1, Key: "k", By: "local"}},
	} {
		s.send(c, tt.frame)
		s.want(c, `"type":"taken"`, `"taken":true`)
		if got := s.told(); got != fsm.Fact(tt.want) {
			t.Errorf("%s: got %+v; want %+v", tt.frame, got, tt.want)
		}
	}
	told := len(s.front.Seen().Told)
	for frame, says := range map[string]string{
		`{"type":"approve","id":"a","key":"k","grant":"forever"}`: "bad_request",
		`{"type":"deny","id":"a","key":"k","grant":"session"}`:    "bad_request",
		`{"type":"approve","id":"a","key":"k","reason":"fine"}`:   "bad_request",
		`{"type":"approve","id":"b","key":"k"}`:                   "not_found",
	} {
		s.send(c, frame)
		s.want(c, `"type":"error"`, says)
		if n := len(s.front.Seen().Told); n != told {
			t.Errorf("%s: it was told", frame)
		}
	}
}

func TestCOM93ARequestIsAskedInItsChat(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	for frame, want := range map[string]fsm.Origin{
		`{"type":"ask","id":"a","text":"hello"}`:                                {},
		`{"type":"ask","id":"b","text":"hello","chat":"x"}`:                     {Channel: comm.ChannelHTTP, Chat: "x"},
		`{"type":"ask","id":"c","text":"hello","channel":"phone","chat":"mia"}`: {Channel: "phone", Chat: "mia"},
	} {
		s.send(c, frame)
		s.want(c, `"type":"accepted"`)
		s.want(c, `"type":"state"`)
		all := s.front.Seen().Requests
		if got := all[len(all)-1].Origin; got != want {
			t.Errorf("%s: got %+v; want %+v", frame, got, want)
		}
	}
}

// Of what a client has left it hears no more, and following it again begins where it says.
func TestCOM93WhatIsLeftIsNoLongerTold(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	for _, id := range []string{"a", "b"} {
		s.send(c, `{"type":"ask","id":"`+id+`","text":"hello"}`)
		s.want(c, `"type":"accepted"`)
		s.want(c, `"type":"state"`)
	}
	s.send(c, `{"type":"leave","id":"a"}`)
	s.send(c, `{"type":"none"}`)
	s.want(c, "is unknown") // so it has been left
	s.front.Reply(key("local", "a"), "for a", false)
	s.front.Reply(key("local", "b"), "for b", false)
	s.want(c, `"type":"reply"`, `"text":"for b"`)
	s.send(c, `{"type":"ask","id":"a","text":"hello","after":"1.2.3.4.5.6.7"}`)
	s.want(c, `"type":"accepted"`, `"at":"1.2.3.4.5.6.7"`)
	s.want(c, `"type":"reply"`, `"text":"for a"`)
}

// A connection follows a bounded number of requests, and one that ends or is left makes room.
func TestCOM93AConnectionFollowsABoundedNumberOfRequests(t *testing.T) {
	s := serve(t)
	c := s.with(token)
	ask := func(id string) { s.send(c, `{"type":"ask","id":"`+id+`","text":"hello"}`) }
	for n := range ws.FollowsMax {
		ask(fmt.Sprint("r", n))
		s.want(c, `"type":"accepted"`)
		s.want(c, `"type":"state"`)
	}
	ask("more")
	s.want(c, `"type":"error"`, `"code":"busy"`, `"id":"more"`)
	if n := len(s.front.Seen().Accepted); n != ws.FollowsMax {
		t.Errorf("%d were accepted; busy means that nothing has happened", n)
	}
	ask("r0") // which is followed already
	s.want(c, `"type":"accepted"`)
	s.want(c, `"type":"state"`)
	s.send(c, `{"type":"leave","id":"r1"}`)
	ask("more")
	s.want(c, `"type":"accepted"`, `"id":"more"`)
	s.want(c, `"type":"state"`)
	ask("another")
	s.want(c, `"type":"error"`, `"code":"busy"`)
}

// A connection that has ended takes no place.
func TestCOM93ConnectionsThatHaveEndedMakeRoom(t *testing.T) {
	s := serve(t)
	for n := range 2*ws.Max + 2 {
		c := s.with(token)
		s.send(c, `{"type":"none"}`)
		s.want(c, "is unknown")
		if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
	}
}
