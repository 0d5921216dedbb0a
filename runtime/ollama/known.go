package ollama

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/types/model"
)

// known is what a client, and those made from it by [Client.With], have learned about the models of
// their server. It is kept for the life of the process (BRN-13).
type known struct {
	mu     sync.Mutex
	models map[string]*facts // by full name
	tags   map[string]string // the full name for each name that was given
}

func newKnown() *known { return &known{models: map[string]*facts{}, tags: map[string]string{}} }

// facts is what is known about one model. Only learn may change its maps, and it replaces them.
type facts struct {
	digest string // of its manifest; empty: unknown
	loaded bool   // it was once loaded for this process
	warm   bool   // it was loaded before, and has answered no call of this process since
	empty  bool   // its load at the start has begun, and no call has come since: its cache holds nothing
	asked  bool   // the server has been asked what the model can do
	told   bool   // it has answered, in can
	can    Capabilities
	lacks  map[Ability]bool // what it has been refused for since
	window map[int]int      // the window allocated, in tokens, by num_ctx
	// answered is when the last complete answer came, by num_ctx.
	answered map[int]time.Time
	load     *load // the one in progress, or nil
}

// load is a loading of a model, which all chats wait for that come meanwhile.
type load struct {
	chats  int           // that have waited for it
	done   chan struct{} // closed at its end, after failed is set
	failed *Error
}

func newFacts() *facts {
	return &facts{lacks: map[Ability]bool{}, window: map[int]int{}, answered: map[int]time.Time{}}
}

// Ability is something that a call may need and that not every model has.
type Ability string

// A model may call tools, think, think as much as is asked for, and have a template that takes
// messages in any order.
const (
	Tools    Ability = "tools"
	Thinking Ability = "thinking"
	Levels   Ability = "levels"
	AnyOrder Ability = "any order"
)

// of returns what is known about a model.
func (k *known) of(model string) facts {
	k.mu.Lock()
	defer k.mu.Unlock()
	return *k.at(model)
}

// learn changes what is known about a model and returns it.
func (k *known) learn(model string, change func(*facts)) facts {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := k.at(model)
	f.lacks, f.window, f.answered = maps.Clone(f.lacks), maps.Clone(f.window), maps.Clone(f.answered) // earlier callers hold the old maps
	change(f)
	return *f
}

// join returns the load in progress of a model, which one more chat waits for, and whether that is
// the first: then it has to be begun, and ended with loaded.
func (k *known) join(model string) (l *load, first bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := k.at(model)
	if f.load == nil {
		f.load, first = &load{done: make(chan struct{})}, true
	}
	f.load.chats++
	return f.load, first
}

// loaded ends a load.
func (k *known) loaded(model string, l *load, failed *Error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.at(model); f.load == l { // what was known may have been forgotten meanwhile, and another load begun
		f.load = nil
	}
	l.failed = failed
	close(l.done)
}

// shared reports whether more than one chat has waited for a load.
func (k *known) shared(l *load) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return l.chats > 1
}

// forget drops everything: the server was gone, and may come back as another one.
func (k *known) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.models)
}

// at returns the entry of a model. The caller holds mu.
func (k *known) at(model string) *facts {
	name, ok := k.tags[model]
	if !ok {
		name = tagged(model)
		k.tags[model] = name
	}
	f := k.models[name]
	if f == nil {
		f = newFacts()
		k.models[name] = f
	}
	return f
}

// has reports whether the model has an ability, as far as is known: what the server says, unless
// the model has been refused for it.
func (f *facts) has(a Ability) bool {
	switch {
	case f.lacks[a]:
		return false
	case !f.told, a == AnyOrder: // no server says how strict a template is
		return true
	case a == Tools:
		return f.can.Tools
	default: // the server does not say which models think in levels
		return f.can.Thinking
	}
}

// is notes the digest of the model that is loaded. If it changes, the name now means another model,
// and everything is forgotten.
func (f *facts) is(digest string) {
	if digest == "" || digest == f.digest {
		return
	}
	if f.digest != "" {
		*f = *newFacts()
	}
	f.digest = digest
}

// Capabilities is what a model can do.
type Capabilities struct {
	Completion    bool
	Tools         bool
	Thinking      bool
	Embedding     bool
	Vision        bool
	ContextLength int      // its longest possible window in tokens; 0 if unknown
	Stops         []string // at which its answer ends, as its author has them; a call that has its own has these no more
}

// tagged returns a model's full name in lower case.
func tagged(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(model.ParseName(strings.TrimSpace(name)).String())
}
