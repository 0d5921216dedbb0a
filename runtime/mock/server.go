package mock

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/runtime/ollama"
	"shelly/sim/server"
)

// Defaults of [Options].
const (
	DefaultModel      = "mock"
	DefaultEmbedModel = "mock-embed"
	DefaultVersion    = "0.17.4"
	DefaultNumCtx     = 4096 // of a server with little video memory
)

// Options say what the server serves. A zero value means the default.
type Options struct {
	// Model is the one chat model; it can call tools and think. Default: DefaultModel.
	Model string
	// Models are the chat models in place of Model, names once each.
	Models []Model
	// EmbedModel is the name of the embedding model. Default: DefaultEmbedModel.
	EmbedModel string
	// EmbedDims is the length of a vector. Default: 0, there is no embedding model
	// and /api/embed answers 404 as for a missing one.
	EmbedDims int
	// Embed makes a vector of a text in place of the built-in way. EmbedDims is
	// then only what /api/show says.
	Embed func(text string) []float32
	// Version is the server's. Default: DefaultVersion.
	Version string
	// Limits holds conversations and answers to num_ctx and num_predict as a real
	// server does, by an estimate of the tokens, and answers to format, stop and the tools
	// that are offered. Without it only the Brain does.
	Limits bool
	// NumCtx is the window in tokens where a request asks for none. Default:
	// DefaultNumCtx.
	NumCtx int
	// Machine is what the models run on: calls wait for its slots, and take as long as it
	// loads, reads and writes. Its window bounds every request's. Nil: nothing takes time.
	Machine *server.Config
	// Brain answers the chats. Without one, every chat is refused with status 500.
	Brain Brain
	// Log is called for each request that was answered. Nil: nothing is.
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
	loaded []running // in the order of loading
}

// running is a model that /api/ps lists.
type running struct {
	name   string
	numCtx int
	until  time.Time
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
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

// refuseLate refuses what a server finds wrong only when it has begun to answer: to who
// wants a stream it then says so with another type.
func refuseLate(w http.ResponseWriter, streams bool, status int, text string) {
	if !streams {
		refuse(w, status, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encodeWord(failed{text}))
}

// encode returns v as one line of JSON with its end.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// Every wire type here is plain data, and raw JSON is checked before.
		panic("mock: encode a response: " + err.Error())
	}
	return b.Bytes()
}

// encodeWord returns v as JSON without the end of a line.
func encodeWord(v any) []byte { return bytes.TrimSuffix(encode(v), []byte("\n")) }

// decode reads a request's body, or refuses it and returns false.
func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	err := json.NewDecoder(r.Body).Decode(v)
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

// load notes that a model is in memory, for as long as the request says.
func (s *Server) load(name string, numCtx int, keep *api.Duration) {
	kept := keptLoaded
	if keep != nil {
		kept = keep.Duration
	}
	if kept < 0 { // for ever
		kept = math.MaxInt64
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(name)
	s.loaded = append(s.loaded, running{name: name, numCtx: numCtx, until: time.Now().Add(kept)})
}

func (s *Server) unload(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(name)
}

func (s *Server) drop(name string) {
	kept := s.loaded[:0]
	for _, m := range s.loaded {
		if !ollama.SameModel(m.name, name) {
			kept = append(kept, m)
		}
	}
	s.loaded = kept
}
