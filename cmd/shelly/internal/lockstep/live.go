package lockstep

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/memory"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/runtime/session"
	"shelly/runtime/skill"
	"shelly/runtime/store"
	"shelly/runtime/tool"
	"shelly/sim"
	"shelly/sim/script"
	"shelly/sim/strict"
)

// live performs a simulated schedule with the real adapters: the Ollama client
// over a real socket against the mock server, the tool runner, the memory and
// the Pebble store. The store is on a crashable file system in memory, so that a
// crash loses what was not synced.
type live struct {
	fs       *vfs.MemFS
	disk     diskFault                    // what goes wrong with fs
	torn     func(clone *vfs.MemFS) error // what a crash does to fs in addition to losing what was not synced; nil: nothing
	store    *store.Store
	memory   *memory.Memory
	sessions *session.Sessions
	skills   *skill.Library
	client   *ollama.Client
	absent   *ollama.Client // of a server that does not exist
	hasty    *ollama.Client // hardly waits for the first line
	restless *ollama.Client // hardly waits for the end of an answer
	asking   ollama.Options // options of the client
	model    *model         // the model of a live case; nil for any other case
	server   *http.Server
	tools    *tool.Runner
	scratch  string // the folder of the workspace and of the kept files

	config fsm.Config   // the machine's configuration
	result tool.Result  // what the stub returns next
	probed tool.Found   // what its probe answers next
	hangs  func() error // ends the hanging call and returns its outcome
	stream string       // how the first differing stream differs

	mu     sync.Mutex    // guards the fields below, which the server's goroutines share
	asked  fsm.AskBrain  // what the model is asked next
	answer mock.Answer   // what the server answers to it
	unlike string        // how the question that the server received differs from it
	heard  chan struct{} // closed when the server has received a question
}

// callTimeout only guards against a defect: no case takes that long.
const callTimeout = time.Minute

// callWindow is the context window of each call in tokens: the largest that a configuration may
// have, so that the counts of a scenario fit into it unless it scripts context_truncated.
const callWindow = 1 << 24

// storeFolder is the folder of the store on its file system.
const storeFolder = "data"

// newLive starts the adapters for a plan; a live case also has a model. Close stops them.
func newLive(p *sim.Plan, m *model) (_ *live, err error) {
	l := &live{fs: vfs.NewCrashableMem(), hangs: noCall, config: p.Machine(), model: m}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	if l.scratch, err = os.MkdirTemp("", "shelly-live-"); err != nil {
		return nil, err
	}
	if err = writeSkills(l.space(), p.Skills); err != nil {
		return nil, err
	}
	if l.skills, err = openSkills(l.space()); err != nil {
		return nil, err
	}
	if err = l.serve(p.NoVectors); err != nil {
		return nil, err
	}
	l.tools, err = tool.New(tool.Options{ // the simulator cuts no result either
		Workspace: l.space(), ResultBytesMax: strict.TextBytesMax, Added: l.stubs(p.Stubs),
	})
	if err != nil {
		return nil, err
	}
	if err = l.open(); err != nil {
		return nil, err
	}
	for _, e := range p.Memory {
		if m != nil {
			e.Vector, e.Model = m.vector(e.Summary)
		}
		if err = l.memory.Store(context.Background(), e); err != nil {
			return nil, err
		}
	}
	if err = l.keep(p); err != nil {
		return nil, err
	}
	return l, l.sync()
}

// sync makes what was written last through a crash, as what is there before the first start and what a person
// edits does.
func (l *live) sync() error { return l.store.Append(engine.Batch{}, true) }

func (l *live) space() string { return filepath.Join(l.scratch, "workspace") }

// open opens the store, and the memory and the sessions on it.
func (l *live) open() (err error) {
	if l.store, err = store.Open(storeFolder, store.Options{FS: errorfs.Wrap(l.fs, &l.disk), ReserveBytes: reserveBytes}); err != nil {
		return err
	}
	if l.memory, err = memory.Open(l.store, memory.Options{Embedder: l.embedder()}); err != nil {
		return err
	}
	l.sessions, err = session.Open(l.scratch, l.store, time.Now)
	return err
}

// Close stops everything that was started.
func (l *live) Close() {
	_ = l.hangs()
	if l.client != nil {
		l.client.Close()
	}
	if l.server != nil {
		_ = l.server.Close()
	}
	if l.store != nil {
		_ = l.store.Close()
	}
	if l.scratch != "" {
		_ = os.RemoveAll(l.scratch)
	}
}

// journal is the store as the simulator's journal.
type journal struct {
	*store.Store
	live *live
}

// Crash implements [sim.Journal]: what was not synced is lost.
func (j journal) Crash() (sim.Journal, error) {
	_ = j.live.hangs()
	clone := j.live.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0})
	if failed := j.live.store.Err(); failed == nil { // a store that has failed stays as it is
		if err := j.live.store.Close(); err != nil {
			return nil, err
		}
	}
	j.live.disk.mend()
	if j.live.torn != nil {
		if err := j.live.torn(clone); err != nil {
			return nil, err
		}
		j.live.torn = nil
	}
	j.live.fs = clone
	if err := j.live.open(); err != nil {
		return nil, err
	}
	return journal{j.live.store, j.live}, nil
}

// Brain implements [sim.Backend].
func (l *live) Brain(ask fsm.AskBrain, line script.Line) (fsm.Fact, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	l.prepare(ask, Spoken(ask, line))
	if line.Hangs || line.Fails == fsm.BrainCancelled {
		return l.hang(ask, line)
	}
	client, err := l.clientFor(line)
	if err != nil {
		return nil, err
	}
	var seen []script.Piece
	in, err := client.Chat(ctx, ask, l.offered(ask), func(c ollama.Chunk) {
		if c.Stage == "" { // the simulator decides which of them are delivered
			seen = append(seen, script.Piece{Thinking: c.Thinking, Text: c.Text})
		}
	})
	if err := l.alike(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the answer to call %d, for %s, had not ended after %v", ask.Call, ask.Purpose, callTimeout)
	}
	l.streams(ask, line, seen)
	if err != nil {
		var typed *ollama.Error
		if !errors.As(err, &typed) {
			return nil, err
		}
		return failed(ask, line, typed), nil
	}
	if line.Tokens.Prompt != 0 && in.Tokens.Prompt != line.Tokens.Prompt {
		return nil, fmt.Errorf("the server counted %d tokens of the prompt, and the client says %d", line.Tokens.Prompt, in.Tokens.Prompt)
	}
	in.Model = fsm.Model{}  // no script names one
	in.AsText = line.AsText // the real client asks such a model in another form, which its own tests check (BRN-16)
	in.Tokens = line.Tokens // without them the mock server estimates; no script does
	return engine.Outcome(ask.Call).Brain(in, nil), nil
}

// failed returns the outcome of a call that failed as the line says, in the script's words,
// except where the client adds its own after them (SCN-28).
func failed(ask fsm.AskBrain, line script.Line, err *ollama.Error) fsm.Fact {
	if line.Fails != fsm.BrainContextTruncated || line.Tokens.Prompt == 0 {
		err.Reason = line.Reason
	}
	return engine.Outcome(ask.Call).Brain(fsm.BrainAnswered{}, err)
}

// stubs returns the plan's tools as the real runner offers them.
func (l *live) stubs(stubs []sim.Stub) []tool.Added {
	added := make([]tool.Added, len(stubs))
	for i, s := range stubs {
		added[i] = tool.Added{Decl: s.Decl, Run: func(context.Context, fsm.RunTool) tool.Result { return l.result }}
		if s.Decl.Probe {
			added[i].Probe = func(context.Context, fsm.RunProbe) tool.Found { return l.probed }
		}
	}
	return added
}

// Probe implements [sim.Backend].
func (l *live) Probe(e fsm.RunProbe, says fsm.Probed) (fsm.Fact, error) {
	l.probed = tool.Found{Answer: says.Answer, Text: says.Text, Failed: says.Failed, Final: true}
	return engine.Outcome(e.Call).Probe(l.tools.Probe(context.Background(), e), nil), nil
}

// Tool implements [sim.Backend].
func (l *live) Tool(run fsm.RunTool, act sim.Act) (fsm.Fact, error) {
	l.result = tool.Result{Text: act.Returns, Failed: act.Failed, Nothing: act.Nothing, Invalid: act.Invalid}
	if act.Asks != "" {
		l.result = tool.Result{Text: act.Asks, Failed: true, Nothing: true, Asks: act.Asks}
	}
	if act.Hangs || act.Lost || act.Deaf {
		return nil, nil
	}
	return engine.Outcome(run.Call).Tool(l.tools.Run(context.Background(), run), nil), nil
}
