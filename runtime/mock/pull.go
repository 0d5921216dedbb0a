package mock

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/ollama/ollama/api"
)

// pullTenths is the number of progress lines of a layer, after the one that announces it.
const pullTenths = 10

// pull plays the download of a model that the mock has; no other can be pulled.
func (s *Server) pull(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model  string `json:"model"`
		Name   string `json:"name"` // what older clients send
		Stream *bool  `json:"stream"`
	}
	if !decode(w, r, &req, new(api.PullRequest)) {
		return
	}
	name := cmp.Or(req.Model, req.Name)
	whole := req.Stream != nil && !*req.Stream
	switch known := s.isChat(name) || s.isEmbed(name); {
	case !named(name):
		refuse(w, http.StatusBadRequest, "invalid model name")
	case !known && whole:
		refuse(w, http.StatusInternalServerError, unknownManifest)
	case whole:
		reply(w, http.StatusOK, api.ProgressResponse{Status: "success"})
	default:
		w.Header().Set("Content-Type", "application/x-ndjson")
		out := speaker{w: w}
		out.send(encode(api.ProgressResponse{Status: "pulling manifest"}))
		if !known {
			out.send(encode(failed{unknownManifest}))
			return
		}
		for _, step := range pulled(name) {
			out.send(encode(step))
		}
	}
}

const unknownManifest = "pull model manifest: file does not exist"

// pulled returns the lines after the manifest.
func pulled(name string) []api.ProgressResponse {
	layer := api.ProgressResponse{Digest: "sha256:" + digest(full(name)), Total: modelBytes}
	layer.Status = fmt.Sprintf("pulling %.12s", digest(full(name)))
	steps := []api.ProgressResponse{layer}
	for i := int64(1); i <= pullTenths; i++ {
		layer.Completed = (modelBytes*i + pullTenths - 1) / pullTenths
		steps = append(steps, layer)
	}
	for _, status := range []string{"verifying sha256 digest", "writing manifest", "success"} {
		steps = append(steps, api.ProgressResponse{Status: status})
	}
	return steps
}
