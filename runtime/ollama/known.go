package ollama

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/types/model"
)

// known is what a client and those made of it by [Client.With] have found out about the
// models of their server. It is kept for the life of the process (BRN-13).
type known struct {
	mu     sync.Mutex
	models map[string]*facts // by name with tag
	tags   map[string]string // names with tag, by the name that was given
}

func newKnown() *known { return &known{models: map[string]*facts{}, tags: map[string]string{}} }

// facts are what is known of one model. Its maps are never changed in place but by learn.
type facts struct {
	digest string // of its manifest; empty: the server has not said
	loaded bool   // it has been loaded for this process once
	asked  bool   // the server was asked what the model can do
	told   bool   // and has said it, in can
	can    Capabilities
	lacks  map[Ability]bool // what it has refused since
	window map[int]int      // the tokens that were allocated, by the num_ctx asked for
	// answered is when the last whole answer came, by the num_ctx asked for.
	answered map[int]time.Time
}

func newFacts() *facts {
	return &facts{lacks: map[Ability]bool{}, window: map[int]int{}, answered: map[int]time.Time{}}
}

// Ability is something that a call may ask of a model that not every model has.
type Ability string

// A model calls tools, thinks, or thinks as much as is asked for.
const (
	Tools    Ability = "tools"
	Thinking Ability = "thinking"
	Levels   Ability = "levels"
)

// of returns what is known of a model.
func (k *known) of(model string) facts {
	k.mu.Lock()
	defer k.mu.Unlock()
	return *k.at(model)
}

// learn changes what is known of a model and returns it.
func (k *known) learn(model string, change func(*facts)) facts {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := k.at(model)
	f.lacks, f.window, f.answered = maps.Clone(f.lacks), maps.Clone(f.window), maps.Clone(f.answered) // whoever has been told has the old ones
	change(f)
	return *f
}

// forget drops all: the server was gone, and what comes back may be another.
func (k *known) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.models)
}

// at is the entry of a model. The caller holds mu.
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

// has reports whether the model has an ability, as far as it is known: what the server
// says, unless the model has refused.
func (f *facts) has(a Ability) bool {
	switch {
	case f.lacks[a]:
		return false
	case !f.told:
		return true
	case a == Tools:
		return f.can.Tools
	default: // who thinks in levels is not told
		return f.can.Thinking
	}
}

// is notes the digest of the model that is loaded. Of another one under the same name
// nothing is known.
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
	ContextLength int // the longest window in tokens that it can be given; 0 if unknown
}

// tagged is a model's whole name in small letters.
func tagged(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(model.ParseName(strings.TrimSpace(name)).String())
}
