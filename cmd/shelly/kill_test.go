//go:build failpoint

package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"shelly/runtime/failpoint"
)

var (
	killsAtPoints = flag.Int("kills", 150, "kills at named points; 0: at each hit of each")
	killsAtRandom = flag.Int("random-kills", 50, "runs with kills at random moments")
	killsOfFronts = flag.Int("front-kills", 0, "kills at named points for each kind of client; 0: at each of them")
	killSeed      = flag.Uint64("kill-seed", 1, "of the choice of hits and moments")
)

// killArgs is a daemon that does everything within few requests: it wants to be
// reminded, consolidates each session on its second turn and remembers each request.
func killArgs() []string {
	return []string{
		"--allow-exec", "--profile", "nanobot", "--brain", "ollama",
		"--set", "switches.no_cognition=false", "--set", "switches.remember=each", "--set", "limits.max_history=2",
		"--set", "limits.max_active=2", "--set", "limits.max_crashes=9", "--set", "prompts.question=" + askedWhat, "--set", "log.level=debug",
	}
}

// killFigures is what is counted over all runs.
type killFigures struct {
	mu      sync.Mutex
	kills   map[string]int // by point
	missed  int            // runs in which the point was hit fewer times
	unknown int            // outcomes
}

func (f *killFigures) add(point string, unknown int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unknown += unknown
	if point == "" {
		f.missed++
		return
	}
	f.kills[point]++
}

func (f *killFigures) total() (n int) {
	for _, count := range f.kills {
		n += count
	}
	return n
}

func (f *killFigures) String() string {
	var b strings.Builder
	for _, point := range slices.Sorted(func(yield func(string) bool) {
		for p := range f.kills { // order-free: they are sorted
			if !yield(p) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, "\n%6d %s", f.kills[point], point)
	}
	return b.String()
}

// campaign is runs of one kind, each with a daemon that is killed.
type campaign struct {
	t       *testing.T
	world   func(t testing.TB) *killed
	then    func(t testing.TB, k *killed) // what else is checked after a run; nil: nothing
	figures killFigures
}

// ofTalks is runs in which these conversations are had.
func ofTalks(talks func() [][]*killAsk) func(t testing.TB) *killed {
	return func(t testing.TB) *killed {
		k := newKilled(t, killArgs()...)
		k.talks = talks
		return k
	}
}

// at has a run for each hit, with a kill there.
func (c *campaign) at(specs []string) {
	c.each("at", specs, func(k *killed, spec string) { k.runAt(spec, &c.figures) })
	c.t.Logf("%d runs, %d kills, %d runs that ended before, %d outcomes unknown, seed %d:%v",
		len(specs), c.figures.total(), c.figures.missed, c.figures.unknown, *killSeed, &c.figures)
	if c.figures.missed*4 > len(specs) {
		c.t.Errorf("%d of %d runs ended without a kill", c.figures.missed, len(specs))
	}
}

// atRandom has runs with up to three kills each.
func (c *campaign) atRandom(runs int) {
	seeds := make([]string, runs)
	for n := range seeds {
		seeds[n] = fmt.Sprint(*killSeed + uint64(n))
	}
	c.each("seed", seeds, func(k *killed, name string) {
		seed, _ := strconv.ParseUint(name, 10, 64) // it was written above
		killedAtRandom(k, seed, &c.figures)
	})
	c.t.Logf("%d runs, %d outcomes unknown, seeds from %d:%v", c.figures.total(), c.figures.unknown, *killSeed, &c.figures)
}

// each has the runs, some at once.
func (c *campaign) each(group string, names []string, run func(k *killed, name string)) {
	c.figures.kills = map[string]int{}
	c.t.Run(group, func(t *testing.T) {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				k := c.world(t)
				run(k, name)
				if c.then != nil {
					c.then(t, k)
				}
			})
		}
	})
}

// The daemon is killed with SIGKILL at every named point, at hits that the seed chooses
// or at each, while two clients talk with it; it is started again, and they go on.
// Afterwards every acknowledged request is in the journal once and has one reply, which
// stays the same; no command has run twice, and where nobody can know whether it has, the
// reply says so; memory, sessions and files are whole (INF-13, JRN-3, JRN-4, JRN-5, JRN-9,
// JRN-10, JRN-12, COM-2, COM-8, MEM-1, SES-3).
func TestKilledAtANamedPointNothingIsLostOrDoneTwice(t *testing.T) {
	hits := countedHits(t)
	t.Logf("%d points are hit %d times", len(hits), killSum(hits))
	c := campaign{t: t, world: ofTalks(killConversations)}
	c.at(chosenHits(hits, *killsAtPoints, *killSeed))
}

// runAt is run with a kill at a point.
func (k *killed) runAt(spec string, f *killFigures) {
	at := ""
	unknown := k.run(func(l *life) {
		if l.number == 1 {
			at, _, _ = strings.Cut(spec, ":")
		}
	}, "SHELLY_FAILPOINT="+spec)
	f.add(at, unknown)
}

// run has the conversations with a daemon that is started again whenever it was killed;
// the environment is that of the first process. It returns how many outcomes are
// unknown once all is checked.
func (k *killed) run(ended func(l *life), env ...string) (unknown int) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	all := k.talks()
	done := make(chan error, len(all))
	for _, requests := range all {
		go func() { done <- k.converse(ctx, requests) }()
	}
	requests := slices.Concat(all...)
	l := k.start(env...)
	for left := len(all); left > 0; {
		select {
		case err := <-done:
			if err != nil {
				l.kill()
				k.t.Fatalf("%v\n%s", err, l.log.text())
			}
			left--
		case <-l.ended:
			if !l.wasKilled() {
				k.t.Fatalf("the daemon ended by itself: %v\n%s", l.cmd.ProcessState, l.log.text())
			}
			ended(l)
			k.noComplaint(l)
			l = k.start()
		}
	}
	for killed := true; killed; {
		serves := make(chan struct{})
		go func(after int) { _, _ = k.await(ctx, after); close(serves) }(l.number - 1)
		select { // a process that does not heed signals yet is ended by one as it is
		case <-serves:
		case <-l.ended: // it was killed before it came to serve
		}
		if killed = k.stop(l); killed {
			ended(l)
			l = k.start()
		}
	}
	k.noComplaint(l)
	k.doom = nil
	l = k.start()
	k.again(ctx, l, requests)
	l.kill()
	return k.check(requests)
}

// noComplaint: a process has found nothing wrong with itself or the journal.
func (k *killed) noComplaint(l *life) {
	k.t.Helper()
	for _, word := range []string{"invariant", "decided differently", "a defect of shelly", "is not told"} {
		if strings.Contains(l.log.text(), word) {
			k.t.Errorf("the daemon says %q:\n%s", word, l.log.text())
		}
	}
}

// countedHits returns how often each point is hit by a run without a kill.
func countedHits(t *testing.T) map[string]int {
	t.Helper()
	hits := newKilled(t, killArgs()...).hits()
	points := map[string]bool{}
	for name := range hits { // order-free: a set
		point, _, _ := strings.Cut(name, "/")
		points[point] = true
	}
	for _, p := range failpoint.Points() {
		if !points[string(p)] && !strings.HasPrefix(string(p), "channel.") { // that a run with one comes to
			t.Errorf("the run does not come to point %s", p)
		}
	}
	return hits
}

// hits returns how often each point is hit by the conversations without a kill.
func (k *killed) hits() map[string]int {
	k.t.Helper()
	log := filepath.Join(k.t.TempDir(), "hits")
	if unknown := k.run(func(*life) { k.t.Fatal("it was killed") }, "SHELLY_FAILPOINT_LOG="+log); unknown > 0 {
		k.t.Errorf("%d outcomes are unknown, and nothing was killed", unknown)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		k.t.Fatal(err)
	}
	hits := map[string]int{}
	for _, name := range strings.Fields(string(text)) {
		hits[name]++
	}
	return hits
}

// firstHits is each point at its first hit, or, of kinds of clients that are numbered from 0, as
// many for each as the flag says: other points for the next kind, so that few are left out of all.
func firstHits(hits map[string]int, kind int) (specs []string) {
	for name := range hits { // order-free: they are sorted
		specs = append(specs, name+":1")
	}
	slices.Sort(specs)
	if *killsOfFronts == 0 || *killsOfFronts >= len(specs) {
		return specs
	}
	rng := rand.New(rand.NewPCG(*killSeed, 0))
	rng.Shuffle(len(specs), func(i, j int) { specs[i], specs[j] = specs[j], specs[i] })
	from := kind * *killsOfFronts % len(specs)
	return slices.Concat(specs[from:], specs[:from])[:*killsOfFronts]
}

func killSum(hits map[string]int) (n int) {
	for _, count := range hits {
		n += count
	}
	return n
}

// chosenHits picks hits to be killed at: each point's first and last, and of the rest so
// many that there are most in all, or each where most is 0.
func chosenHits(hits map[string]int, most int, seed uint64) (specs []string) {
	var rest []string
	for name, count := range hits { // order-free: they are sorted
		for n := 1; n <= count; n++ {
			spec := fmt.Sprintf("%s:%d", name, n)
			if most == 0 || n == 1 || n == count {
				specs = append(specs, spec)
			} else {
				rest = append(rest, spec)
			}
		}
	}
	slices.Sort(rest)
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	specs = append(specs, rest[:min(len(rest), max(0, most-len(specs)))]...)
	slices.Sort(specs)
	return specs
}

// The daemon is killed up to three times at random moments: as it logs a line, or as it
// asks the model. The same must hold.
func TestKilledAtRandomNothingIsLostOrDoneTwice(t *testing.T) {
	c := campaign{t: t, world: ofTalks(killConversations)}
	c.atRandom(*killsAtRandom)
}

// killedAtRandom is one run with up to three kills.
func killedAtRandom(k *killed, seed uint64, f *killFigures) {
	rng := rand.New(rand.NewPCG(seed, 1))
	plan := make([]int, 3) // of each process: the model call or, where negative, the line of the log
	for i := range plan {
		if plan[i] = 1 + rng.IntN(12); rng.IntN(2) == 0 {
			plan[i] = -1 - rng.IntN(150)
		}
	}
	k.doom = func(l *life) {
		if l.number > len(plan) {
			return
		}
		if at := plan[l.number-1]; at < 0 {
			go func() {
				l.log.awaitLine(-at)
				l.signalKill()
			}()
		} else {
			k.brain.after(at, l.signalKill)
		}
	}
	kills := 0
	unknown := k.run(func(*life) { kills++ })
	f.add(fmt.Sprintf("%d kills", kills), unknown)
}
