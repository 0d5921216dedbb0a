package repair_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

// world is the world of a machine: a model that has a mail sent for each request, with memory and
// sessions in the store.
type world struct {
	t     *testing.T
	store *store.Store
	facts []fsm.Fact
	sent  map[string]int // how many times each mail was sent, by its text
	mails bool           // calls that send a mail are answered
	saved map[string]fsm.Session
}

// Perform implements engine.World.
func (w *world) Perform(e fsm.Effect) error {
	switch e := e.(type) {
	case fsm.AskBrain:
		last := e.Conversation.Messages[len(e.Conversation.Messages)-1]
		answer := fsm.BrainAnswered{Answered: fsm.To(e.Call), Stop: fsm.StopEndTurn, Text: "it is done: " + last.Text[:min(20, len(last.Text))]}
		if _, number, ok := strings.Cut(last.Text, "send "); ok && e.Tools != fsm.NoTools {
			number, _, _ = strings.Cut(number, " ")
			answer.Stop, answer.Text = fsm.StopToolUse, ""
			answer.Calls = []fsm.ToolCall{{ID: "c", Name: "send_mail", Args: fmt.Sprintf(`{"n":%q}`, number)}}
		}
		w.tell(answer)
	case fsm.RunTool:
		w.sent[e.Args]++
		if w.mails {
			w.tell(fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: "sent"})
		}
	case fsm.Recall:
		w.tell(fsm.Recalled{Answered: fsm.To(e.Call)})
	case fsm.Embed:
		w.tell(fsm.Embedded{Answered: fsm.To(e.Call), Error: "there is no embedding model"})
	case fsm.Store:
		if err := w.store.PutEntry(e.Entry); err != nil {
			return err
		}
		w.tell(fsm.Stored{Answered: fsm.To(e.Call)})
	case fsm.LoadSession:
		w.tell(fsm.SessionLoaded{Answered: fsm.To(e.Call), Session: w.saved[e.Session]})
	case fsm.SaveSession:
		e.State.Version++
		w.saved[e.Session] = e.State
		if err := w.store.PutSession(e.Session, []byte(e.Turn), [][]byte{[]byte(e.Turn)}); err != nil {
			return err
		}
		w.tell(fsm.SessionSaved{Answered: fsm.To(e.Call), Session: e.State})
	}
	return nil
}

func (w *world) tell(f fsm.Fact) { w.facts = append(w.facts, f) }

// daemon is a machine on a data folder.
type daemon struct {
	*world
	data   string
	engine *engine.Engine
	at     fsm.Millis
}

// start opens a data folder and begins an epoch.
func start(t *testing.T, data string, sent map[string]int) *daemon {
	t.Helper()
	s, err := datafolder.Open(data, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: s, sent: sent, mails: true, saved: map[string]fsm.Session{}}
	d := &daemon{world: w, data: data, at: 1}
	if d.engine, err = engine.Open(s, w); err != nil {
		t.Fatal(err)
	}
	d.at = d.engine.Machine().View().Now
	c := profile.Default()
	c.Init = fsm.InitOff
	c.Tools = append([]fsm.ToolDecl{{Name: "send_mail", Effects: fsm.EffectsUnsafe}}, c.Tools...)
	d.turn(fsm.Boot{Config: c, Doubts: d.engine.Doubts()})
	return d
}

// turn gives the machine a fact, and then the results of its effects.
func (d *daemon) turn(f fsm.Fact) {
	d.t.Helper()
	for d.tell(f); len(d.facts) > 0; {
		f := d.facts[0]
		d.facts = d.facts[1:]
		d.at++
		must(d.t, d.engine.Turn(fsm.Input{At: d.at, Fact: f}))
	}
}

// ask sends a request, unless it is already known.
func (d *daemon) ask(n int) {
	d.t.Helper()
	d.at++
	text := fmt.Sprintf("send %d %s", n, bulk(n))
	_, err := d.engine.Accept(d.at, fsm.Requested{Request: key(n), Session: fmt.Sprint("s", n%5), Text: text})
	if err != nil {
		d.t.Fatal(err)
	}
	for len(d.facts) > 0 {
		f := d.facts[0]
		d.facts = d.facts[1:]
		d.turn(f)
	}
}

func (d *daemon) close() {
	d.t.Helper()
	must(d.t, d.store.Close())
}

func key(n int) fsm.RequestKey {
	return fsm.RequestKey{Principal: "local", Channel: "http", ID: fmt.Sprint("q", n)}
}

// bulk returns a text that does not compress.
func bulk(seed int) string {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	text := make([]byte, 600)
	for i := range text {
		text[i] = byte('a' + r.IntN(26))
	}
	return string(text)
}

// replies returns the answer to each request.
func replies(t *testing.T, s *store.Store) map[string]engine.Request {
	t.Helper()
	all := map[string]engine.Request{}
	for before := ^uint64(0); ; {
		page, err := s.Requests(before, engine.ReadMax)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		for _, r := range page {
			all[r.Key.ID] = r
		}
		before = page[len(page)-1].Index
	}
}

// tree returns the content of all files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// folder is a data folder with what is known about it.
type folder struct {
	data     string
	sent     map[string]int            // how many times each mail was sent
	answered map[string]engine.Request // the requests that are done
}

// requests is how many requests a used folder has.
const requests = 60

// used makes data folders that were used over so many starts that tables were compacted: their
// stores have tables and logs, and were at rest in between. The first was closed; the second was
// killed while a mail was being sent.
func used(t *testing.T) (closed, killed folder) {
	t.Helper()
	closed = folder{data: filepath.Join(t.TempDir(), "data"), sent: map[string]int{}}
	var d *daemon
	for n := 1; n <= requests; n++ {
		if n%(requests/12) == 1 {
			if d != nil {
				d.close()
				rested(t, closed.data)
			}
			d = start(t, closed.data, closed.sent)
		}
		d.ask(n)
	}
	closed.answered = replies(t, d.store)
	d.close()
	killed = closed.copy(t)
	d = start(t, killed.data, killed.sent)
	d.mails = false
	d.ask(requests + 1)
	running := killed.copy(t)
	d.close()
	return closed, running
}

// rested leaves a store as it is when at rest: with its tables compacted, if enough overlap.
func rested(t *testing.T, data string) {
	t.Helper()
	s, err := datafolder.Open(data, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	must(t, errors.Join(s.Rest(), s.Close()))
}

// copy returns a folder with the same files, as they are on the disk now.
func (f folder) copy(t *testing.T) folder {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	must(t, os.CopyFS(to, os.DirFS(f.data)))
	return folder{to, maps.Clone(f.sent), f.answered}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
