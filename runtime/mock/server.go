package mock

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm/wording"
	"shelly/runtime/ollama"
	"shelly/sim/server"
)

// Defaults of [Options].
const (
	DefaultModel      = "mock"
	DefaultEmbedModel = "mock-embed"
	DefaultVersion    = "0.34.1"
	DefaultNumCtx     = 4096 // as a server with little video memory
)

// Options says what the server serves. A zero value means the default.
type Options struct {
	// Model is the one chat model; it can call tools and think. Default: DefaultModel.
	Model string
	// Models are the chat models, instead of Model. Each name may occur only once.
	Models []Model
	// EmbedModel is the name of the embedding model. Default: DefaultEmbedModel.
	EmbedModel string
	// EmbedDims is the length of a vector. Default: 0, which means that there is no embedding
	// model, and /api/embed answers 404 as for any missing one.
	EmbedDims int
	// Embed makes the vector of a text instead of the built-in method. EmbedDims is then only what
	// /api/show reports.
	Embed func(text string) []float32
	// Version is the server's version. Default: DefaultVersion.
	Version string
	// Limits applies num_ctx and num_predict to conversations and answers as a real server does,
	// estimating tokens, and applies format, stop and the offered tools to answers. Without it only
	// the Brain limits anything.
	Limits bool
	// NumCtx is the window in tokens if a request does not set one. Default: DefaultNumCtx.
	NumCtx int
	// Machine is the machine that the models run on: calls wait for its slots and take the time
	// that it needs to load, read and write. Its window is an upper limit for every request. Nil:
	// nothing takes time.
	Machine *server.Config
	// Brain answers the chats. Without one every chat is refused with an error.
	Brain Brain
	// Log is called for each request that was answered. Nil: no calls.
	Log func(Served)
}

// Server is an http.Handler that speaks Ollama's API. It is safe for concurrent
// use.
type Server struct {
	opt     Options
	started time.Time
	machine *machine // nil: nothing takes time
	mux     *http.ServeMux

	mu     sync.Mutex
	loaded []running // in the order in which they were loaded
}

// running is a model that /api/ps lists.
type running struct {
	name   string
	numCtx int
	until  time.Time
}

// requestBytesMax bounds a request's body.
const requestBytesMax = 64 << 20

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// reply sends v as the API sends a whole response.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(encodeWord(v))
}

// failed is the body of an error.
type failed struct {
	Error string `json:"error"`
}

func refuse(w http.ResponseWriter, status int, text string) { reply(w, status, failed{text}) }

// refuseLate refuses what a real server notices only after it has begun to answer: for a streaming
// request the error then has another content type.
func refuseLate(w http.ResponseWriter, streams bool, status int, text string) {
	if !streams {
		refuse(w, status, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encodeWord(failed{text}))
}

// encode returns v as one line of JSON with its line end.
func encode(v any) []byte { return append(encodeWord(v), '\n') }

// encodeWord returns v as JSON without a line end.
func encodeWord(v any) []byte {
	b, err := wording.JSON(v)
	if err != nil {
		// Every wire type here is plain data, and raw JSON has been checked.
		panic("mock: encode a response: " + err.Error())
	}
	return b
}

// decode reads a request's body into v, or refuses the request and returns false. A body that does
// not fit as, the type into which a real server reads it, is refused in the words of that type.
func decode(w http.ResponseWriter, r *http.Request, v, as any) bool {
	var body json.RawMessage
	err := json.NewDecoder(r.Body).Decode(&body)
	if err == nil {
		// Only at the end of the body does net/http begin to watch whether the client leaves.
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err == nil {
		err = json.Unmarshal(body, as)
	}
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err == nil {
		return true
	}
	text := err.Error()
	if errors.Is(err, io.EOF) {
		text = "missing request body"
	}
	refuse(w, http.StatusBadRequest, text)
	return false
}

// embeds reports whether there is an embedding model.
func (s *Server) embeds() bool { return s.opt.EmbedDims > 0 }

func (s *Server) isEmbed(name string) bool {
	return s.embeds() && ollama.SameModel(name, s.opt.EmbedModel)
}

// load notes that a model is in memory, for as long as the request wants.
func (s *Server) load(name string, numCtx int, keep *api.Duration) {
	kept := keptLoaded
	if keep != nil {
		kept = keep.Duration
	}
	if kept < 0 { // forever
		kept = math.MaxInt64
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(name)
	s.loaded = append(s.loaded, running{name: name, numCtx: numCtx, until: time.Now().Add(kept)})
}

func (s *Server) unload(name string) {
	if s.machine != nil {
		s.machine.unload(full(name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(name)
}

func (s *Server) drop(name string) {
	s.loaded = slices.DeleteFunc(s.loaded, func(m running) bool { return ollama.SameModel(m.name, name) })
}
