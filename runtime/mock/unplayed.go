package mock

import (
	"cmp"
	"net/http"

	"github.com/ollama/ollama/api"
)

// unplayed refuses a request that would change the models: they stay those that the server was
// started with.
func unplayed(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotImplemented, "the mock server does not play "+r.URL.Path+": its models are those it was started with")
}

// change refuses to copy or delete a model, with a real server's error if there is no such model.
func (s *Server) change(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model  string `json:"model"`
		Name   string `json:"name"` // what older clients send
		Source string `json:"source"`
	}
	if !decode(w, r, &req, new(api.DeleteRequest)) { // its fields are a copy's, too
		return
	}
	if name := cmp.Or(req.Model, req.Name, req.Source); !s.isChat(name) && !s.isEmbed(name) {
		refuse(w, http.StatusNotFound, "model '"+name+"' not found")
		return
	}
	unplayed(w, r)
}
