package mock

import (
	"cmp"
	"io"
	"net/http"
	"time"

	"shelly/runtime/mock/openai"
)

// New returns a server.
func New(opt Options) *Server {
	if opt.Models == nil {
		opt.Models = []Model{{Name: cmp.Or(opt.Model, DefaultModel)}}
	}
	if opt.NumCtx <= 0 {
		opt.NumCtx = DefaultNumCtx
	}
	opt.EmbedModel = cmp.Or(opt.EmbedModel, DefaultEmbedModel)
	opt.Version = cmp.Or(opt.Version, DefaultVersion)
	s := &Server{opt: opt, started: time.Now(), mux: http.NewServeMux()}
	s.mux.Handle("/", openai.Before(http.HandlerFunc(s.serve))) // the mux redirects //api to /api, as a real server's does
	if opt.Machine != nil {
		s.opt.Limits, s.machine = true, newMachine(*opt.Machine)
	}
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.logged(w, r) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !crossOrigin(w, r) {
		return
	}
	get, post := r.Method == http.MethodGet || r.Method == http.MethodHead, r.Method == http.MethodPost
	r.Body = http.MaxBytesReader(w, r.Body, requestBytesMax)
	var allowed bool
	var serve func(http.ResponseWriter, *http.Request)
	switch r.URL.Path {
	case "/":
		allowed, serve = get, s.root
	case "/api/version":
		allowed, serve = get, s.version
	case "/api/tags":
		allowed, serve = get, s.tags
	case "/api/ps":
		allowed, serve = get, s.ps
	case "/api/show":
		allowed, serve = post, s.show
	case "/api/pull":
		allowed, serve = post, s.pull
	case "/api/chat":
		allowed, serve = post, s.chat
	case "/api/generate":
		allowed, serve = post, s.generate
	case "/api/embed":
		allowed, serve = post, s.embed
	case "/api/embeddings":
		allowed, serve = post, s.embedOld
	case "/api/create", "/api/push":
		allowed, serve = post, unplayed
	case "/api/copy":
		allowed, serve = post, s.change
	case "/api/delete":
		allowed, serve = r.Method == http.MethodDelete, s.change
	default:
		plain(w, http.StatusNotFound, "404 page not found")
		return
	}
	if !allowed {
		plain(w, http.StatusMethodNotAllowed, "405 method not allowed")
		return
	}
	serve(w, r)
}

func (s *Server) root(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "Ollama is running")
}
