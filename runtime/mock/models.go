package mock

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"shelly/runtime/ollama"
)

// What the mock reports about its models.
const (
	keptLoaded   = 5 * time.Minute
	chatContext  = 131072
	chatWidth    = 128
	embedContext = 512
	modelBytes   = 1 << 20
)

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, struct {
		Version string `json:"version"`
	}{s.opt.Version})
}

// listed is a model in /api/tags. Unlike the library's type it does not omit empty fields, which a
// real server sends.
type listed struct {
	Name       string           `json:"name"`
	Model      string           `json:"model"`
	ModifiedAt time.Time        `json:"modified_at"`
	Size       int64            `json:"size"`
	Digest     string           `json:"digest"`
	Details    api.ModelDetails `json:"details"`

	Capabilities []model.Capability `json:"capabilities"`
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	var models []listed
	for _, m := range s.opt.Models {
		models = append(models, s.listed(m.Name))
	}
	if s.embeds() {
		models = append(models, s.listed(s.opt.EmbedModel))
	}
	slices.SortFunc(models, func(a, b listed) int { return strings.Compare(short(a.Name), short(b.Name)) })
	reply(w, http.StatusOK, struct {
		Models []listed `json:"models"`
	}{models})
}

func (s *Server) listed(name string) listed {
	name = full(name)
	window, width, can := s.abilities(name)
	details := s.details(name)
	details.ContextLength, details.EmbeddingLength = window, width
	return listed{
		Name: name, Model: name, ModifiedAt: s.started.UTC(), Size: modelBytes,
		Digest: digest(name), Details: details, Capabilities: can,
	}
}

// full returns a model's name with its tag.
func full(name string) string {
	if ollama.SameModel(name, name+":latest") {
		return name + ":latest"
	}
	return name
}

// short returns a model's name without the default tag.
func short(name string) string { return strings.TrimSuffix(name, ":latest") }

func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

func (s *Server) details(name string) api.ModelDetails {
	family := "llama"
	if s.isEmbed(name) {
		family = "bert"
	}
	return api.ModelDetails{
		Format: "gguf", Family: family, Families: []string{family},
		ParameterSize: "1M", QuantizationLevel: "unknown",
	}
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model string `json:"model"`
		Name  string `json:"name"` // what older clients send

		Verbose bool `json:"verbose"`
	}
	if !decode(w, r, &req, new(api.ShowRequest)) {
		return
	}
	name := cmp.Or(req.Model, req.Name)
	if !s.isChat(name) && !s.isEmbed(name) {
		if named(name) {
			name = model.ParseName(name).DisplayShortest()
		}
		missing(w, name)
		return
	}
	reply(w, http.StatusOK, s.describe(name, req.Verbose))
}

// missing refuses a model that does not exist, in the words of /api/chat and /api/show.
func missing(w http.ResponseWriter, name string) {
	switch {
	case strings.TrimSpace(name) == "":
		refuse(w, http.StatusBadRequest, "model is required")
	case !named(name):
		refuse(w, http.StatusBadRequest, "invalid model name")
	default:
		refuse(w, http.StatusNotFound, "model '"+name+"' not found")
	}
}

// unpulled refuses a model that does not exist, in the words of the paths for vectors.
func unpulled(w http.ResponseWriter, name string) {
	refuse(w, http.StatusNotFound, fmt.Sprintf("model %q not found, try pulling it first", name))
}

// unnamed refuses a request that names no model, in the words of /api/generate and /api/embed, and
// one whose name cannot be a model's. It reports whether it did.
func unnamed(w http.ResponseWriter, name string) bool {
	switch {
	case strings.TrimSpace(name) == "":
		refuse(w, http.StatusNotFound, "model '"+name+"' not found")
	case !named(name):
		missing(w, name)
	default:
		return false
	}
	return true
}

// named reports whether a name can be a model's.
func named(name string) bool { return model.ParseName(name).IsValid() }

// abilities returns a model's longest window, the length of its vectors and what it can do.
func (s *Server) abilities(name string) (window, width int, can []model.Capability) {
	if m, ok := s.model(name); ok {
		return m.window(), chatWidth, m.capabilities()
	}
	return embedContext, s.opt.EmbedDims, []model.Capability{model.CapabilityEmbedding}
}

func (s *Server) describe(name string, verbose bool) api.ShowResponse {
	details := s.details(name)
	template := "{{ .Prompt }}"
	if m, ok := s.model(name); ok {
		template = m.template()
	}
	var tensors []api.Tensor
	if verbose {
		tensors = []api.Tensor{{Name: "token_embd.weight", Type: "F32", Shape: []uint64{1}}}
	}
	window, width, can := s.abilities(name)
	return api.ShowResponse{
		Modelfile:    "FROM " + full(name) + "\nTEMPLATE " + template + "\n",
		Parameters:   "temperature                    0",
		Template:     template,
		Details:      details,
		ModelInfo:    shape(details.Family, window, width),
		Tensors:      tensors,
		Capabilities: can,
		ModifiedAt:   s.started.UTC(),
	}
}

// shape returns what a model with one small layer reports about its architecture.
func shape(family string, window, width int) map[string]any {
	return map[string]any{
		"general.architecture":              family,
		"general.parameter_count":           1_000_000,
		family + ".attention.head_count":    1,
		family + ".attention.head_count_kv": 1,
		family + ".attention.key_length":    8,
		family + ".attention.value_length":  8,
		family + ".block_count":             1,
		family + ".context_length":          window,
		family + ".embedding_length":        width,
	}
}

func (s *Server) ps(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	loaded := slices.Clone(s.loaded)
	s.mu.Unlock()
	if s.machine != nil { // another model may have displaced it, or its time is up
		stays := s.machine.loaded()
		loaded = slices.DeleteFunc(loaded, func(m running) bool { return !slices.Contains(stays, full(m.name)) })
	}
	models := []api.ProcessModelResponse{}
	for _, m := range slices.Backward(loaded) {
		if time.Now().After(m.until) {
			continue
		}
		name := full(m.name)
		models = append(models, api.ProcessModelResponse{
			Name: name, Model: name, Size: modelBytes, Digest: digest(name), Details: s.details(name),
			ExpiresAt: m.until.UTC(), ContextLength: m.numCtx,
		})
	}
	reply(w, http.StatusOK, api.ProcessResponse{Models: models})
}
