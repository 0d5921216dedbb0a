package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/mock"
)

// parrot repeats its latest question.
type parrot struct{}

func (parrot) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	return mock.Answer{Text: q.Messages[len(q.Messages)-1].Text}, nil
}

// attacked is the real daemon, with what a hostile sender on the same machine knows and, where
// a case says GOOD, a token.
type attacked struct {
	*process
	token string
	at    client.Endpoint
	http  *client.Client
}

func newAttacked(t *testing.T) *attacked {
	t.Helper()
	bin, err := exec.LookPath("shelly") // testscript.Main put it into PATH
	if err != nil {
		t.Fatal(err)
	}
	p := &process{
		t: t, bin: bin, data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(),
		env: []string{"OLLAMA_HOST=" + serveMock(t, parrot{})}, args: []string{"--set", "init=off", "--profile", "countbot"},
	}
	p.start()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // where the test fails; else it is gone
	a := &attacked{process: p, http: client.New(p.data, client.Options{})}
	if a.token, err = client.ReadToken(p.data); err != nil {
		t.Fatal(err)
	}
	if a.at, err = client.ReadEndpoint(p.data); err != nil {
		t.Fatal(err)
	}
	return a
}

// outcome is what came of a hostile input.
type outcome string

const (
	refused  outcome = "refused"  // with an answer that says why
	ignored  outcome = "ignored"  // with no answer
	accepted outcome = "accepted" // as the harmless request that it also is
	bounded  outcome = "bounded"  // more came than is taken, and the rest was turned away
	failed   outcome = "failed"
)

func (a *attacked) fill(text string) string {
	return strings.NewReplacer("GOOD", a.token, "PORT", a.at.HTTP[strings.LastIndex(a.at.HTTP, ":")+1:]).Replace(text)
}

// udp sends datagrams from one socket and returns what comes back: the answers to at least n
// requests, and all that comes before the answer to a request sent after them.
func (a *attacked) udp(want int, datagrams ...[]byte) (answers []comm.Datagram) {
	a.t.Helper()
	conn, err := net.Dial("udp", a.at.UDP)
	if err != nil {
		a.t.Fatal(err)
	}
	defer conn.Close()
	for _, d := range datagrams {
		_, _ = conn.Write(d) // one of no bytes, or too many, is the system's to refuse
	}
	last, over, ids := "last-"+rand.Text(), false, map[string]bool{}
	for hang := time.Now().Add(guard); !over || len(ids) < want; {
		if time.Now().After(hang) {
			a.t.Fatalf("answers to %d requests, want %d: %+v", len(ids), want, answers)
		}
		if _, err := conn.Write(fmt.Appendf(nil, `{"id":%q,"text":"x","token":%q}`, last, a.token)); err != nil {
			a.t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Second)) // a datagram may be lost; the same one is sent again
		for buffer := make([]byte, 65536); !over || len(ids) < want; {
			n, err := conn.Read(buffer)
			if err != nil {
				break
			}
			var answer comm.Datagram
			if err := json.Unmarshal(buffer[:n], &answer); err != nil {
				a.t.Errorf("an answer that is not JSON: %q", buffer[:n])
			}
			if answer.ID == last {
				over = true
				continue
			}
			ids[answer.ID] = true
			answers = append(answers, answer)
		}
	}
	return answers
}

// quietly is for datagrams that must not be answered.
func (a *attacked) quietly(datagrams ...[]byte) outcome {
	if answers := a.udp(0, datagrams...); len(answers) > 0 {
		a.t.Errorf("answered: %+v", answers)
		return failed
	}
	return ignored
}

// shown is for one datagram with a token, which is either accepted or refused with an error.
func (a *attacked) shown(datagrams ...string) outcome {
	a.t.Helper()
	var raw [][]byte
	for _, d := range datagrams {
		raw = append(raw, []byte(a.fill(d)))
	}
	answers := a.udp(len(raw), raw...)
	taken := 0
	for _, answer := range answers {
		switch answer.Type {
		case comm.DatagramAccepted:
			taken++
		case comm.DatagramError:
			return refused
		}
	}
	if taken != len(datagrams) {
		a.t.Errorf("of %d accepted %d: %+v", len(datagrams), taken, answers)
		return failed
	}
	return accepted
}

// dial connects to the HTTP port.
func (a *attacked) dial() net.Conn {
	a.t.Helper()
	conn, err := net.Dial("tcp", a.at.HTTP)
	if err != nil {
		a.t.Fatal(err)
	}
	return conn
}

// raw writes bytes to the HTTP port and returns the status of the answer; 0 if there was none.
func (a *attacked) raw(text string) int {
	a.t.Helper()
	conn := a.dial()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(guard))
	_, _ = io.WriteString(conn, a.fill(text)) // the other end may have heard enough
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_ = r.Body.Close()
	return r.StatusCode
}

func (a *attacked) status(want int, text string) outcome {
	a.t.Helper()
	if got := a.raw(text); got != want {
		a.t.Errorf("status %d, not %d", got, want)
		return failed
	}
	return refused
}

// requests returns the ids of the requests in the journal.
func (a *attacked) requests() map[string]bool {
	a.t.Helper()
	ids := map[string]bool{}
	for before := uint64(math.MaxUint64); ; {
		page, err := a.http.Requests(a.t.Context(), comm.Wanted{Before: before, Limit: 100})
		if err != nil {
			a.t.Fatal(err)
		}
		for _, r := range page.Requests {
			ids[r.ID] = true
		}
		if before = page.Next; before == 0 {
			return ids
		}
	}
}

const post = "POST /v1/requests HTTP/1.1\r\n"

// asking is an HTTP request with its body and further headers.
func asking(headers, body string) string {
	return post + headers + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

const (
	here  = "Host: 127.0.0.1:PORT\r\n"
	good  = "Authorization: Bearer GOOD\r\n"
	plain = "Content-Type: application/json\r\n"
)

// flood is how many datagrams and connections are sent at once.
const (
	floodDatagrams   = 20_000
	floodStreams     = 600
	floodConnections = 1000
	guesses          = 5000
)

// What a hostile sender on the same machine sends is refused, ignored, or treated as the
// harmless request that it also is. The daemon keeps serving, and all that it has acknowledged
// is in the journal after a kill.
func TestCOM6HostileInputsAreHeld(t *testing.T) {
	a := newAttacked(t)
	canary := filepath.Join(filepath.Dir(a.data), "canary")
	must(t, os.WriteFile(canary, []byte("whole"), 0o600))
	acknowledged := map[string]bool{}
	counted := map[outcome]int{}
	for _, c := range []struct {
		name string
		send func() outcome
		want outcome
		ids  []string // that are in the journal afterwards
	}{
		{"a pair in the wrong order", func() outcome {
			return a.shown(`{"id":"p2","text":"b","token":"GOOD"}`, `{"id":"p1","text":"a","token":"GOOD"}`)
		}, accepted, []string{"p1", "p2"}},
		{"a datagram of nothing", func() outcome { return a.quietly(nil) }, ignored, nil},
		{"the largest datagram, of noise", func() outcome { return a.quietly(noise(65_507)) }, ignored, nil},
		{"a message that must be fragmented", func() outcome {
			return a.shown(`{"id":"long","token":"GOOD","text":"` + strings.Repeat("x", 1473) + `"}`)
		}, accepted, []string{"long"}},
		{"two values in one datagram", func() outcome {
			return a.shown(`{"id":"v1","text":"a","token":"GOOD"}{"id":"v2","text":"a","token":"GOOD"}`)
		}, refused, nil},
		{"an id that is a path", func() outcome { return a.shown(`{"id":"../../canary","text":"a","token":"GOOD"}`) }, accepted, []string{"../../canary"}},
		{"no token", func() outcome { return a.quietly([]byte(`{"id":"n1","text":"hello"}`)) }, ignored, nil},
		{"a field that is not known, such as an old time", func() outcome {
			return a.shown(`{"id":"o1","text":"a","ts":"1970-01-01T00:00:00Z","token":"GOOD"}`)
		}, refused, nil},
		{"control codes of a terminal", func() outcome {
			return a.shown(`{"id":"esc","text":"\u001b]0;x\u0007","session":"\u001b[31mred","token":"GOOD"}`)
		}, refused, nil},
		{"a line that looks like a log", func() outcome {
			return a.shown(`{"id":"line","text":"one\n{\"level\":\"info\",\"msg\":\"forged\"}","token":"GOOD"}`)
		}, accepted, []string{"line"}},
		{"a foreign host", func() outcome {
			return a.status(http.StatusForbidden, asking("Host: evil.example\r\n"+good+plain, `{"id":"f1","text":"a"}`))
		}, refused, nil},
		{"a host that begins with localhost", func() outcome {
			return a.status(http.StatusForbidden, asking("Host: localhost.evil.example\r\n"+good+plain, `{"id":"f2","text":"a"}`))
		}, refused, nil},
		{"a form of a page", func() outcome {
			return a.status(http.StatusUnsupportedMediaType, asking(here+good+"Content-Type: application/x-www-form-urlencoded\r\n", "text=a"))
		}, refused, nil},
		{"an image that asks for work", func() outcome {
			return a.status(http.StatusForbidden, "GET /v1/requests?text=run HTTP/1.1\r\n"+here+good+"Sec-Fetch-Site: cross-site\r\n\r\n")
		}, refused, nil},
		{"no token over HTTP", func() outcome {
			return a.status(http.StatusUnauthorized, asking(here+plain, `{"id":"f3","text":"a"}`))
		}, refused, nil},
		{"a path that leads out", func() outcome {
			return a.status(http.StatusNotFound, "POST /../../etc/passwd HTTP/1.1\r\n"+here+good+"Content-Length: 0\r\n\r\n")
		}, refused, nil},
		{"a body without an end", func() outcome { return a.endless() }, refused, nil},
		{"one key for two bodies", func() outcome {
			if got := a.raw(asking(here+good+plain+"Idempotency-Key: once\r\n", `{"text":"a"}`)); got != http.StatusAccepted {
				t.Errorf("the first: status %d", got)
			}
			return a.status(http.StatusConflict, asking(here+good+plain+"Idempotency-Key: once\r\n", `{"text":"b"}`))
		}, refused, []string{"once"}},
		{"an event in a reply", func() outcome { return a.injected() }, accepted, []string{"inject"}},
		{"streams that are never read", func() outcome { return a.streams() }, bounded, []string{"stream"}},
		{"a WebSocket of another origin", func() outcome {
			return a.status(http.StatusForbidden, "GET /v1/ws HTTP/1.1\r\n"+here+good+upgrade+"Origin: https://evil.example\r\n\r\n")
		}, refused, nil},
		{"a WebSocket of a foreign host", func() outcome {
			return a.status(http.StatusForbidden, "GET /v1/ws HTTP/1.1\r\nHost: evil.example:PORT\r\n"+good+upgrade+"Origin: http://evil.example:PORT\r\n\r\n")
		}, refused, nil},
		{"connections that say nothing", func() outcome { return a.silent() }, bounded, nil},
		{"guesses at the token", func() outcome {
			var tries [][]byte
			for range guesses {
				tries = append(tries, fmt.Appendf(nil, `{"id":"g","text":"a","token":%q}`, rand.Text()))
			}
			return a.quietly(tries...) // and the right one is taken after them
		}, ignored, nil},
		{"datagrams in a flood", func() outcome { return a.flood(acknowledged) }, bounded, nil},
		{"an address that others reach", func() outcome { return a.elsewhere() }, refused, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.t = t
			got := c.send()
			if got != c.want {
				t.Errorf("it was %s, not %s", got, c.want)
			}
			counted[got]++
			for _, id := range c.ids {
				acknowledged[id] = true
			}
			if r, err := http.Get("http://" + a.at.HTTP + "/healthz"); err != nil || r.Body.Close() != nil || r.StatusCode != http.StatusOK {
				t.Errorf("the daemon does not serve after it: %v", err)
			}
		})
	}
	a.t = t
	log := a.log.text()
	if strings.Contains(log, "\x1b]0;") || strings.Contains(log, "\n{\"level\":\"info\",\"msg\":\"forged\"}") {
		t.Error("what was sent stands in the log as it came")
	}
	a.kill()
	a.start()
	there := a.requests()
	for id := range acknowledged {
		if !there[id] {
			t.Errorf("%s was acknowledged, and is not in the journal", id)
		}
		delete(there, id)
	}
	for id := range there {
		if !strings.HasPrefix(id, "last-") && !strings.HasPrefix(id, "flood-") { // a flood may go on when its acknowledgements are no longer heard
			t.Errorf("%s is in the journal", id)
		}
	}
	if text, err := os.ReadFile(canary); err != nil || string(text) != "whole" {
		t.Errorf("the canary holds %q, %v", text, err)
	}
	if code := a.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, a.log.text())
	}
	t.Logf("hostile inputs: %d refused, %d ignored, %d accepted as harmless, %d bounded, %d failed; %d acknowledged requests are in the journal",
		counted[refused], counted[ignored], counted[accepted], counted[bounded], counted[failed], len(acknowledged))
}

const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

// flood sends many requests at once over UDP, and notes which were acknowledged.
func (a *attacked) flood(acknowledged map[string]bool) outcome {
	var all [][]byte
	for i := range floodDatagrams {
		all = append(all, fmt.Appendf(nil, `{"id":"flood-%d","text":"a","token":%q}`, i, a.token))
	}
	answers := a.udp(1, all...)
	taken := map[string]bool{}
	for _, answer := range answers {
		if answer.Type == comm.DatagramAccepted {
			taken[answer.ID] = true
		}
	}
	for id := range a.requests() { // an acknowledgement may be lost, a request without one is fine
		if strings.HasPrefix(id, "flood-") {
			acknowledged[id] = true
		}
	}
	for id := range taken {
		if !acknowledged[id] {
			a.t.Errorf("%s was acknowledged, and is not in the journal", id)
		}
	}
	if len(taken) == 0 || len(taken) == floodDatagrams {
		a.t.Errorf("%d of %d were taken", len(taken), floodDatagrams)
		return failed
	}
	return bounded
}

// endless sends a body that goes on until it is refused.
func (a *attacked) endless() outcome {
	conn := a.dial()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(guard))
	go func() {
		_, err := io.WriteString(conn, a.fill(post+here+good+plain+"Transfer-Encoding: chunked\r\n\r\n"))
		chunk := "10000\r\n" + strings.Repeat("x", 0x10000) + "\r\n"
		for err == nil {
			_, err = io.WriteString(conn, chunk)
		}
	}()
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || r.StatusCode != http.StatusRequestEntityTooLarge && r.StatusCode != http.StatusBadRequest {
		a.t.Errorf("got %+v, %v; want status %d or %d", r, err, http.StatusRequestEntityTooLarge, http.StatusBadRequest)
		return failed
	}
	return refused
}

// injected has the model write what looks like an event of shelly's.
func (a *attacked) injected() outcome {
	const evil = "x\n\nevent: admin\ndata: {}\n\n"
	reply, err := a.http.Ask(a.t.Context(), client.AskRequest{ID: "inject", Text: evil}, func(e comm.Event) {
		if e.Type == "admin" {
			a.t.Error("an event was injected")
		}
	})
	if err != nil || !strings.Contains(reply.Text, "event: admin") {
		a.t.Errorf("got %+v, %v; want a reply with %q", reply, err, "event: admin")
		return failed
	}
	return accepted
}

// streams opens many streams of events, and never reads them.
func (a *attacked) streams() outcome {
	for i := range floodStreams {
		conn := a.dial()
		defer conn.Close()
		body := `{"id":"stream","text":"a"}`
		_, _ = io.WriteString(conn, a.fill("POST /v1/requests?stream=1 HTTP/1.1\r\n"+here+good+plain+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)))
		if i == 0 { // so that it is there
			_, _ = conn.Read(make([]byte, 1))
		}
	}
	return bounded
}

// silent opens connections and sends nothing.
func (a *attacked) silent() outcome {
	for range floodConnections {
		conn := a.dial()
		defer conn.Close()
	}
	return bounded
}

// elsewhere asks for listeners that other machines can reach.
func (a *attacked) elsewhere() outcome {
	for _, address := range []string{"comm.http=0.0.0.0:0", "comm.http=192.0.2.1:0", "comm.udp=0.0.0.0:0"} {
		out, err := shellyOf(a.bin, "run", "--data", filepath.Join(a.t.TempDir(), "data"), "--brain", "demo", "--set", address)
		setting, _, _ := strings.Cut(address, "=")
		if err == nil || !strings.Contains(out, setting) {
			a.t.Errorf("%s: got %v; want an error that names %s\n%s", address, err, setting, out)
			return failed
		}
	}
	return refused
}

// shellyOf runs a verb to its end.
func shellyOf(bin string, args ...string) (string, error) {
	out, err := exec.Command(bin, args...).CombinedOutput()
	return string(out), err
}
