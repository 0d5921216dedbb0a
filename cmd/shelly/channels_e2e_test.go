//go:build channels_e2e

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"shelly/runtime/channel"
	"shelly/runtime/channel/xmpp"
	"shelly/runtime/comm/client"
	"shelly/runtime/mock"
)

// prosody is the real server, from Debian's package, on a port of this machine. It cannot run
// as root.
type prosody struct {
	t    *testing.T
	dir  string
	addr string
	user *syscall.SysProcAttr
	cmd  *exec.Cmd
}

const chatDomain = "chat.test"

// prosodyConfig is a format with the folder and the port.
const prosodyConfig = `
data_path = "%[1]s/data"
pidfile = "%[1]s/pid"
certificates = "%[1]s"
modules_enabled = { "roster", "saslauth", "tls", "smacks", "ping" }
modules_disabled = { "s2s" }
interfaces = { "127.0.0.1" }
c2s_ports = { %[2]s }
c2s_direct_tls_ports = {}
c2s_require_encryption = true
authentication = "internal_hashed"
log = { info = "%[1]s/log" }
VirtualHost "chat.test"
  ssl = { key = "%[1]s/key.pem", certificate = "%[1]s/cert.pem" }
`

// newProsody starts a server with these accounts; the password of each is pw-NAME.
func newProsody(t *testing.T, accounts ...string) *prosody {
	t.Helper()
	for _, program := range []string{"prosody", "prosodyctl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s (apt-get install prosody): the channel was not tried with a real server", program)
		}
	}
	dir, err := os.MkdirTemp("/tmp", "prosody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &prosody{t: t, dir: dir, addr: l.Addr().String(), user: &syscall.SysProcAttr{}}
	must(t, l.Close())
	_, port, _ := net.SplitHostPort(p.addr)
	p.certify()
	p.write("conf.lua", fmt.Sprintf(prosodyConfig, dir, port))
	must(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	if os.Getuid() == 0 {
		p.user.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		if out, err := exec.Command("chown", "-R", "65534:65534", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, a := range accounts {
		cmd := exec.Command("prosodyctl", "--config", dir+"/conf.lua", "register", a, chatDomain, "pw-"+a)
		cmd.SysProcAttr = p.user
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make the account %s: %v\n%s", a, err, out)
		}
	}
	p.start()
	t.Cleanup(p.stop)
	return p
}

func (p *prosody) write(name, text string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600))
}

// certify makes the domain's self-signed certificate.
func (p *prosody) certify() {
	p.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{chatDomain}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		p.t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	p.write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})))
}

func (p *prosody) start() {
	p.t.Helper()
	p.cmd = exec.Command("prosody", "--config", p.dir+"/conf.lua", "-F")
	p.cmd.SysProcAttr, p.cmd.Dir = p.user, p.dir
	must(p.t, p.cmd.Start())
	for deadline := time.Now().Add(30 * time.Second); ; {
		conn, err := net.Dial("tcp", p.addr)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(p.dir + "/log")
			p.t.Fatalf("prosody does not come up: %v\n%s", err, text)
		}
		<-time.After(50 * time.Millisecond)
	}
}

func (p *prosody) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// person is a person with a chat client.
type person struct {
	*xmpp.XMPP
	t    *testing.T
	mu   sync.Mutex
	more *sync.Cond
	got  []channel.Message
	up   chan string
}

// logsIn connects a person's client for the rest of the test, again after the server was away.
func (p *prosody) logsIn(name string) *person {
	p.t.Helper()
	who := &person{t: p.t, up: make(chan string, 16)}
	who.more = sync.NewCond(&who.mu)
	who.XMPP = xmpp.New(xmpp.Options{
		Name: name, Account: name + "@" + chatDomain, Password: func() (string, error) { return "pw-" + name, nil },
		Server: p.addr, TLS: xmpp.StartTLS, CAFile: p.dir + "/cert.pem", Now: time.Now,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = who.Run(ctx, who)
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	p.t.Cleanup(func() { cancel(); <-done })
	<-who.up
	return who
}

// Typing implements [channel.Inbound].
func (*person) Typing(_, _ string) {}

// Take implements [channel.Inbound].
func (w *person) Take(_ context.Context, m channel.Message) (channel.Taken, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = append(w.got, m)
	w.more.Broadcast()
	return channel.Taken{}, nil
}

// Allows implements [channel.Inbound].
func (w *person) Allows(string) bool { return true }

// Up implements [channel.Inbound].
func (w *person) Up(how string) { w.up <- how }

// Returned implements [channel.Inbound].
func (w *person) Returned(string, string, error) {}

// writes sends a message to shelly.
func (w *person) writes(id, text string) {
	w.t.Helper()
	if err := w.Send(w.t.Context(), channel.Outbound{ID: id, Chat: "shelly@" + chatDomain, Text: text}); err != nil {
		w.t.Fatalf("%s: %v", id, err)
	}
}

// chatMax bounds the wait for a message.
const chatMax = time.Minute

// hears waits for a message that contains a text, and returns all that have come, without
// repeats.
func (w *person) hears(text string) []string {
	w.t.Helper()
	late := false
	defer time.AfterFunc(chatMax, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		late = true
		w.more.Broadcast()
	}).Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		var all []string
		seen, found := map[string]bool{}, false
		for _, m := range w.got {
			if !seen[m.ID] { // which is made of the id that the message had
				seen[m.ID] = true
				all = append(all, m.Text)
				found = found || strings.Contains(m.Text, text)
			}
		}
		if found {
			return all
		}
		if late {
			w.t.Fatalf("%q has not come; there are %q", text, all)
		}
		w.more.Wait()
	}
}

// chatBrain answers its latest question, at once or when it is allowed to.
type chatBrain struct {
	asked chan string   // of a question that is to take long
	may   chan struct{} // it has taken long enough
}

const longLine = "This is line %d of a long answer, and it says no more than the others do.\n"

// Answer implements [mock.Brain].
func (b *chatBrain) Answer(ctx context.Context, q mock.Question) (mock.Answer, error) {
	last := strings.TrimSpace(q.Messages[len(q.Messages)-1].Text)
	switch {
	case strings.HasSuffix(last, "slowly"):
		select {
		case b.asked <- last:
		default:
		}
		select {
		case <-b.may:
		case <-ctx.Done():
			return mock.Answer{}, ctx.Err()
		}
	case strings.HasSuffix(last, "at length"):
		text := ""
		for n := range 200 {
			text += fmt.Sprintf(longLine, n)
		}
		return mock.Answer{Text: text + "The end."}, nil
	}
	words := strings.Fields(last)
	return mock.Answer{Text: "You said: " + words[len(words)-1]}, nil
}

// channels returns the state of a daemon's channels.
func (p *process) channels() channel.State {
	p.t.Helper()
	all, err := client.New(p.data, client.Options{}).Channels(p.t.Context())
	if err != nil || len(all) != 1 {
		p.t.Fatalf("got %+v, %v; want 1 channel", all, err)
	}
	return all[0]
}

// Two people, one of whom is allowed to talk, write to the agent over a real server. It answers
// that one, also after a kill of the daemon and a restart of the server; a thousand messages do
// not drown it; a long answer arrives whole (CHN-3 to CHN-8, CHN-30 to CHN-32).
func TestChannelsPeopleTalkOverProsody(t *testing.T) {
	server := newProsody(t, "shelly", "mia", "eve")
	brain := &chatBrain{asked: make(chan string, 1), may: make(chan struct{})}
	password := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(password, []byte("pw-shelly\n"), 0o600))
	settings, err := json.Marshal(map[string]any{"phone": map[string]any{
		"kind": "xmpp", "account": "shelly@" + chatDomain, "password_from": password, "server": server.addr, "ca_file": server.dir + "/cert.pem", "allow": []string{"mia@" + chatDomain},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := &process{
		t: t, bin: buildShelly(t), data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(), env: []string{"OLLAMA_HOST=" + serveMock(t, brain)},
		args: []string{"--set", "init=off", "--set", "channels=" + string(settings), "--set", "switches.no_cognition=true", "--set", "switches.remember=off"},
	}
	d.startUntil("a channel works")
	mia, eve := server.logsIn("mia"), server.logsIn("eve")

	mia.writes("m1", "hello")
	mia.hears("You said: hello")
	eve.writes("e1", "let me in")
	mia.writes("m2", "again") // after hers
	mia.hears("You said: again")
	if s := d.channels(); s.Refused != 1 || len(eve.got) != 0 || s.Up == "" {
		t.Errorf("%+v; eve has heard %v", s, eve.got)
	}

	mia.writes("m3", "tell me at length")
	all := strings.Join(mia.hears("The end."), "\n")
	for n := range 200 {
		if line := strings.TrimSpace(fmt.Sprintf(longLine, n)); strings.Count(all, line) != 1 {
			t.Errorf("line %d came %d times", n, strings.Count(all, line))
		}
	}

	mia.writes("m4", "think slowly")
	<-brain.asked
	d.kill()
	mia.writes("m5", "meanwhile") // the server keeps it
	close(brain.may)
	d.startUntil("a channel works")
	mia.hears("You said: slowly")
	mia.hears("You said: meanwhile")

	server.stop()
	d.log.await(t, "a channel does not work")
	server.start()
	<-mia.up
	mia.writes("m6", "back")
	mia.hears("You said: back")

	began := time.Now()
	for n := range 1000 {
		mia.writes("b"+strconv.Itoa(n), "burst-"+strconv.Itoa(n))
	}
	sent := time.Since(began)
	heard := mia.hears("Too many messages")
	s := d.channels()
	for s.Received+s.Refused < 1000 { // on a busy machine the burst goes on arriving after the warning
		s = d.channels()
	}
	if s.Refused < 900 || s.Received > 60 {
		t.Errorf("got %+v; want at least 900 Refused, at most 60 Received", s)
	}
	t.Logf("1,000 messages in %v: %d requests, %d refused; mia has %d messages", sent.Round(time.Millisecond), s.Received, s.Refused, len(heard))
	if code := d.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
