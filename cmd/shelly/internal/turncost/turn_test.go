//go:build linux

package turncost_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asModel is the environment variable that makes the test program act as the model.
const asModel = "SHELLY_BENCH_MODEL"

func TestMain(m *testing.M) {
	if os.Getenv(asModel) != "" {
		serveModel()
	}
	os.Exit(m.Run())
}

// rounds is how many turns a round has, by the number of sessions.
var rounds = map[int]int{1: 16, 64: 256}

// sessionTurns is the number of turns after which a session is replaced by a new one.
const sessionTurns = 20

// BenchmarkTurn measures one turn of four model calls and three reads through the daemon, from
// the request to its reply, with one session and with 64 concurrent ones. Its yardsticks are two
// bare loops, whose turns alternate with it: one that keeps nothing, and one that makes the two
// syncs that a turn needs. of-bare-loop and of-synced-loop are the daemon's turns per second as a
// share of theirs, and cpu-of-bare-loop is its CPU time per turn as a multiple of theirs. CPU
// time does not include the model, which is a process of its own. The long loops send as much in
// each call as the daemon sent on average in the round before theirs (sent-KB/call is the mean of
// all its rounds), and the model has to read it all. of-eino is the same share for eino's ReAct
// agent with eino's own client for OpenAI's API, which keeps nothing either. of-eino-ollama is that for an agent with Ollama's client, which clears 8 MB for each
// answer and so is slower. cpu-of-eino compares with the former.
func BenchmarkTurn(b *testing.B) {
	for _, sessions := range []int{1, 64} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) { benchTurn(b, sessions) })
	}
}

func benchTurn(b *testing.B, sessions int) {
	folder := b.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("a\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	model := startModel(b)
	d := startDaemon(b, model, folder, sessions)
	nothing, synced := loops(b, model, folder, sessions)
	peer := startEino(b, model, folder)
	n, turns := 0, rounds[sessions]
	round := func(turn func(session, n int) error) time.Duration {
		n++
		return together(b, sessions, turns, func(session, i int) error { return turn(session, n*(turns/sessions)+i) })
	}
	plain := func(l *bare) func(int, int) error {
		return func(session, n int) error { return l.turn(fmt.Sprint(session, " ", n)) }
	}
	daemons := sending(b, model, func() { round(d.turn) }) // warm up: the model's abilities are asked for, connections are made
	peer.round(b, "ollama", sessions, turns)
	peer.round(b, "openai", sessions, turns)
	var its, bareCost, longCost, eino, native cost
	var sent traffic
	var syncedTook, longSyncedTook time.Duration
	all := 0
	for b.Loop() {
		before := ownCPU()
		bares := sending(b, model, func() { bareCost.took += round(plain(nothing)) })
		bareCost.cpu += ownCPU() - before
		longer := daemons.perCall() - bares.perCall()
		syncedTook += round(plain(synced))
		before = ownCPU()
		longCost.took += round(plain(nothing.longer(longer)))
		longCost.cpu += ownCPU() - before
		longSyncedTook += round(plain(synced.longer(longer)))
		eino.add(peer.round(b, "openai", sessions, turns))
		native.add(peer.round(b, "ollama", sessions, turns))
		before = d.cpu(b)
		daemons = sending(b, model, func() { its.took += round(d.turn) })
		its.cpu += d.cpu(b) - before
		sent.calls, sent.bytes = sent.calls+daemons.calls, sent.bytes+daemons.bytes
		all += turns / sessions * sessions
	}
	b.ReportMetric(float64(all)/its.took.Seconds(), "turns/s")
	b.ReportMetric(float64(its.cpu.Microseconds())/float64(all), "cpu-µs/turn")
	b.ReportMetric(float64(sent.perCall())/1000, "sent-KB/call")
	its.against(b, "bare-loop", bareCost)
	its.against(b, "synced-loop", cost{took: syncedTook})
	its.against(b, "long-loop", longCost)
	its.against(b, "long-synced-loop", cost{took: longSyncedTook})
	if peer != nil {
		its.against(b, "eino", eino)
		its.against(b, "eino-ollama", cost{took: native.took})
	}
}

// cost is what turns took: wall-clock time, and CPU time of the process that ran them.
type cost struct{ took, cpu time.Duration }

func (c *cost) add(o cost) { c.took, c.cpu = c.took+o.took, c.cpu+o.cpu }

// against reports the cost of turns compared with a yardstick, whose CPU time may be unknown.
func (c *cost) against(b *testing.B, name string, yardstick cost) {
	b.ReportMetric(float64(yardstick.took)/float64(c.took), "of-"+name)
	if yardstick.cpu > 0 {
		b.ReportMetric(float64(c.cpu)/float64(yardstick.cpu), "cpu-of-"+name)
	}
}

// traffic is what the model received: calls, and their bytes.
type traffic struct{ calls, bytes int }

func (t traffic) perCall() int { return t.bytes / max(t.calls, 1) }

// sending returns what the model received during a run.
func sending(b *testing.B, model string, run func()) (t traffic) {
	b.Helper()
	before := receivedBy(b, model)
	run()
	after := receivedBy(b, model)
	return traffic{after.calls - before.calls, after.bytes - before.bytes}
}

func receivedBy(b *testing.B, model string) (t traffic) {
	b.Helper()
	resp, err := http.Get(model + "/received")
	if err != nil {
		b.Fatal(err)
	}
	_, err = fmt.Fscan(resp.Body, &t.calls, &t.bytes)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		b.Fatal(err)
	}
	return t
}

// together runs sessions concurrently, each with its share of the turns in sequence.
func together(b *testing.B, sessions, turns int, turn func(session, n int) error) time.Duration {
	b.Helper()
	failed := make(chan error, sessions)
	var all sync.WaitGroup
	start := time.Now()
	for s := range sessions {
		all.Go(func() {
			for i := range turns / sessions {
				if err := turn(s, i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	select {
	case err := <-failed:
		b.Fatal(err)
	default:
	}
	return took
}

// startModel starts the model as a process of its own and returns its address.
func startModel(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asModel+"=1")
	in, out := pipes(b, cmd)
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address)
}

func pipes(b *testing.B, cmd *exec.Cmd) (io.WriteCloser, io.Reader) {
	b.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return in, out
}

// running is the daemon.
type running struct {
	pid   int
	url   string
	token string
	http  *http.Client
}

// startDaemon builds and starts the daemon and waits until it serves.
func startDaemon(b *testing.B, model, folder string, sessions int) *running {
	b.Helper()
	dir := b.TempDir()
	bin, data := filepath.Join(dir, "shelly"), filepath.Join(dir, "data")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "shelly/cmd/shelly")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.Command(bin, "run", "--data", data, "--workspace", folder, "--set", "brain.url="+model, "--set", "init=off",
		"--set", "comm.http=127.0.0.1:0", "--set", "comm.udp=off", "--set", fmt.Sprintf("limits.max_active=%d", sessions), "--set", "limits.max_queue=256")
	cmd.Env = append(os.Environ(), "HOME="+dir)
	log, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	d := &running{pid: cmd.Process.Pid, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sessions}}}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	d.serves(b, bufio.NewScanner(log))
	secret, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil {
		b.Fatal(err)
	}
	d.token = strings.TrimSpace(string(secret))
	return d
}

// serves waits for the log line with the address, and for the one that reports that it serves.
func (d *running) serves(b *testing.B, log *bufio.Scanner) {
	b.Helper()
	var said []string
	for log.Scan() {
		line := log.Text()
		said = append(said, line)
		if _, rest, ok := strings.Cut(line, "http=127.0.0.1:"); ok {
			port, _, _ := strings.Cut(rest, " ")
			d.url = "http://127.0.0.1:" + port
		}
		if strings.Contains(line, "state=serving") {
			break
		}
	}
	if d.url == "" {
		b.Fatalf("the daemon does not log its address:\n%s", strings.Join(said, "\n"))
	}
	go func() {
		for log.Scan() { // so that the daemon can keep logging
		}
	}()
}

// turn sends one request and waits for its reply.
func (d *running) turn(session, n int) error {
	body := fmt.Sprintf(`{"id":"%d-%d","session":"%d-%d","text":"go"}`, session, n, session, n/sessionTurns)
	req, err := http.NewRequest(http.MethodPost, d.url+"/v1/requests?wait=1", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := d.http.Do(req)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !bytes.Contains(got, []byte(answer)) {
		return fmt.Errorf("the daemon answers %d %s", resp.StatusCode, got)
	}
	return nil
}

// clockTick is the unit of a process's times in /proc: there are 100 a second on every Linux.
const clockTick = 10 * time.Millisecond

// cpu returns the CPU time that the daemon has used.
func (d *running) cpu(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	system, failed := strconv.Atoi(fields[12])
	if err = errors.Join(err, failed); err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * clockTick
}

// ownCPU returns the CPU time that this process has used.
func ownCPU() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
