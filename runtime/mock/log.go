package mock

import (
	"net/http"
	"time"
)

// Served is what a server reports about a request that has ended (CLI-62).
type Served struct {
	Method, Path string
	Status       int // 0: it had no answer
	Took         time.Duration
	Model        string // the model in a request for an answer
	Tools        int    // how many tools the request offers
	Prompt       int    // tokens of the prompt; 0 if none was read
}

// recorder records the status of a response and what is known about its request.
type recorder struct {
	http.ResponseWriter
	served *Served
}

func (r *recorder) WriteHeader(status int) {
	if r.served.Status == 0 {
		r.served.Status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.served.Status == 0 {
		r.served.Status = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// logged serves a request and logs it.
func (s *Server) logged(w http.ResponseWriter, r *http.Request) {
	if s.opt.Log == nil {
		s.mux.ServeHTTP(w, r)
		return
	}
	began := time.Now()
	out := &recorder{w, &Served{Method: r.Method, Path: r.URL.Path}}
	defer func() {
		out.served.Took = time.Since(began)
		s.opt.Log(*out.served)
	}()
	s.mux.ServeHTTP(out, r)
}

// note records what is known about a request for an answer.
func note(w http.ResponseWriter, model string, tools, prompt int) {
	for w != nil {
		if out, ok := w.(*recorder); ok {
			out.served.Model, out.served.Tools, out.served.Prompt = model, tools, prompt
		}
		within, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = within.Unwrap()
	}
}
