package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm/client"
	"shelly/runtime/datafolder"
	"shelly/runtime/memory"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	proc "shelly/runtime/process"
	"shelly/runtime/store"
)

const (
	startDimensions = 768
	// idleAfter is how long after its start a daemon is measured: it is idle after a second.
	idleAfter = 3 * time.Second
)

// BenchmarkStart starts the built program on a folder without memories and on one with 100,000,
// with vectors of 768 numbers. Metrics: "ready" is from exec to the line with its address,
// "recall" from then to the first answer of a search by keyword and vector, "stop" from the
// signal to the end, each in ms; "idle" is the resident memory some seconds after the start,
// "recalled" after twenty more searches, in MiB. The yardstick is the same program printing its
// version: "of-version" is "ready" as a multiple of that.
func BenchmarkStart(b *testing.B) {
	bench := newStartBench(b)
	for _, entries := range []int{0, 100_000} {
		data := bench.folder(b, entries)
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			var version time.Duration
			sum := map[string]float64{}
			for b.Loop() {
				for what, x := range bench.life(b, data, entries > 0) {
					sum[what] += x
				}
				version += bench.verb(b, 0, "version")
			}
			for what, x := range sum {
				b.ReportMetric(x/float64(b.N), what)
			}
			b.ReportMetric(sum["ready-ms"]/(float64(version.Microseconds())/1000), "of-version")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkMemoryVerb measures a verb on a stopped folder of 100,000 memories, from exec to its
// end. "of-version" is that as a multiple of the yardstick, printing the version.
func BenchmarkMemoryVerb(b *testing.B) {
	bench := newStartBench(b)
	data := bench.folder(b, 100_000)
	for _, verb := range [][]string{{"list", "--limit", "5"}, {"show", "h77"}, {"search", "--mode", "keyword", "disk", "word7"}, {"search", "disk", "word7"}} {
		b.Run(strings.Join(verb[:min(3, len(verb))], "_"), func(b *testing.B) {
			var took, version time.Duration
			for b.Loop() {
				took += bench.verb(b, 0, append(append([]string{"memory"}, verb...), bench.at(data)...)...)
				version += bench.verb(b, 0, "version")
			}
			b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms/verb")
			b.ReportMetric(float64(took)/float64(version), "of-version")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// startBench is the built program, and a model server for it.
type startBench struct {
	bin, url string
	model    string // that embeds
}

func newStartBench(b *testing.B) *startBench {
	b.Helper()
	bench := &startBench{bin: filepath.Join(b.TempDir(), "shelly")}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bench.bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	server := httptest.NewServer(mock.New(mock.Options{Brain: threeTools{}, EmbedDims: startDimensions}))
	b.Cleanup(server.Close)
	bench.url = server.URL
	c, err := ollama.New(ollama.Options{BaseURL: bench.url, Model: mock.DefaultModel, EmbedModel: mock.DefaultEmbedModel})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if _, bench.model, err = c.Embed(b.Context(), "a need"); err != nil {
		b.Fatal(err)
	}
	return bench
}

// folder makes a data folder with n memories, which a daemon has used once.
func (s *startBench) folder(b *testing.B, entries int) string {
	b.Helper()
	data := filepath.Join(b.TempDir(), fmt.Sprint("data", entries))
	kept, err := store.Open(datafolder.Store(data), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(entries)))
	for i := range entries {
		e := fsm.Entry{ID: fmt.Sprint("h", i), At: 1e12 + fsm.Millis(1000*i), Kind: "note", Session: fmt.Sprint("s", i%100), Model: s.model, Summary: "disk "}
		for range startDimensions {
			e.Vector = binary.LittleEndian.AppendUint32(e.Vector, math.Float32bits(float32(rng.NormFloat64())))
		}
		for n := range 49 {
			word := fmt.Sprint("word", int(rng.ExpFloat64()*100), " ")
			if n < 14 {
				e.Summary += word
			} else {
				e.Text += word
			}
		}
		must(b, kept.PutEntry(e))
	}
	m, err := memory.Open(kept, memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m.Close()
	must(b, kept.Close())
	s.life(b, data, false)
	return data
}

// at returns the flags by which a command finds folder and server.
func (s *startBench) at(data string) []string {
	return []string{"--data", data, "--set", "brain.url=" + s.url, "--set", "brain.model=" + mock.DefaultModel, "--set", "brain.embed_model=" + mock.DefaultEmbedModel}
}

// verb runs a command, which must end with a code, and returns how long it took.
func (s *startBench) verb(b *testing.B, code int, args ...string) time.Duration {
	b.Helper()
	c := exec.Command(s.bin, args...)
	start := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(start)
	if c.ProcessState.ExitCode() != code {
		b.Fatalf("%s: got %v; want the code %d\n%s", args, err, code, out)
	}
	return took
}

// life starts the daemon, has it recall, measures it idle and stops it, and returns the
// metrics.
func (s *startBench) life(b *testing.B, data string, recalls bool) map[string]float64 {
	b.Helper()
	args := append([]string{"run", "--workspace", b.TempDir(), "--set", "comm.http=127.0.0.1:0", "--set", "comm.udp=off"}, s.at(data)...)
	c := exec.Command(s.bin, args...)
	log, err := c.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	must(b, c.Start())
	listens := make(chan bool)
	go func() {
		lines := bufio.NewScanner(log)
		for told := false; lines.Scan(); {
			if !told && strings.Contains(lines.Text(), "listening") {
				told = true
				listens <- true
			}
		}
		close(listens)
	}()
	if !<-listens {
		b.Fatal("the daemon ended before it listened")
	}
	m := map[string]float64{"ready-ms": msSince(start)}
	mib := func() float64 { return float64(proc.Resident(c.Process.Pid)) / (1 << 20) }
	if recalls {
		start = time.Now()
		recall(b, data, 7)
		m["recall-ms"] = msSince(start)
	}
	<-time.After(idleAfter)
	m["idle-MiB"] = mib()
	for n := range 20 {
		if recalls {
			recall(b, data, n)
			m["recalled-MiB"] = mib()
		}
	}
	start = time.Now()
	must(b, c.Process.Signal(syscall.SIGTERM))
	for range listens {
	}
	must(b, c.Wait())
	m["stop-ms"] = msSince(start)
	return m
}

func msSince(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }

// recall searches the daemon's memory once.
func recall(b *testing.B, data string, n int) {
	b.Helper()
	found, err := client.New(data, client.Options{}).Memory().Search(context.Background(), memory.Query{Text: fmt.Sprintf("disk word%d", n), TopK: 5})
	if err != nil || len(found.Found) != 5 || found.Keywords != "" {
		b.Fatalf("found %+v, %v", found, err)
	}
}

// threeTools is an instant model that lists the folder three times, one call per answer, and
// then answers: four model calls and three read-only tools a turn, and one more call for the
// summary.
type threeTools struct{}

func (threeTools) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	results := 0
	for _, m := range q.Messages {
		if m.Role == fsm.RoleTool {
			results++
		}
	}
	if q.Purpose == string(fsm.PurposeAnswer) && results < 3 {
		return mock.Answer{Calls: []fsm.ToolCall{{ID: fmt.Sprint(results), Name: "list_dir", Args: `{"path":"."}`}}}, nil
	}
	return mock.Answer{Text: "done"}, nil
}
