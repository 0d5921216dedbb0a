package mock

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"
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
	s.mux.Handle("/", s.unslashed(sameOrigin(openai.Before(http.HandlerFunc(s.serve))))) // the mux redirects //api to /api, as a real server's does
	if opt.Machine != nil {
		s.opt.Limits, s.machine = true, newMachine(*opt.Machine)
	}
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.logged(w, r) }

// unslashed redirects a path with a slash at its end to the one without, if that is served for the
// request's method.
func (s *Server) unslashed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, slash := strings.CutSuffix(r.URL.Path, "/")
		if !slash || !slices.Contains(s.routes()[path].methods, r.Method) && !openai.Serves(r.Method, path) {
			next.ServeHTTP(w, r)
			return
		}
		to, status := *r.URL, http.StatusTemporaryRedirect
		if to.Path = path; r.Method == http.MethodGet {
			status = http.StatusMovedPermanently
		}
		http.Redirect(w, r, to.String(), status)
	})
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, requestBytesMax)
	switch route, known := s.routes()[r.URL.Path]; {
	case !known:
		plain(w, http.StatusNotFound, "404 page not found")
	case !slices.Contains(route.methods, r.Method):
		w.Header().Set("Allow", strings.Join(route.methods, ", "))
		plain(w, http.StatusMethodNotAllowed, "405 method not allowed")
	default:
		route.serve(w, r)
	}
}

// route is how a path is served.
type route struct {
	methods []string
	serve   http.HandlerFunc
}

func (s *Server) routes() map[string]route {
	get, look, post := []string{http.MethodGet}, []string{http.MethodHead, http.MethodGet}, []string{http.MethodPost}
	return map[string]route{
		"/":               {look, s.root},
		"/api/version":    {look, s.version},
		"/api/tags":       {look, s.tags},
		"/api/ps":         {get, s.ps},
		"/api/show":       {post, s.show},
		"/api/pull":       {post, s.pull},
		"/api/chat":       {post, s.chat},
		"/api/generate":   {post, s.generate},
		"/api/embed":      {post, s.embed},
		"/api/embeddings": {post, s.embedOld},
		"/api/create":     {post, unplayed},
		"/api/push":       {post, unplayed},
		"/api/copy":       {post, s.change},
		"/api/delete":     {[]string{http.MethodDelete}, s.change},
	}
}

func (s *Server) root(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "Ollama is running")
}
