package mock

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ollama/ollama/api"

	"shelly/sim/server"
)

// embedRequest is the part of a request for vectors that the server reads.
type embedRequest struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Dimensions int             `json:"dimensions"`
	asked
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	var req embedRequest
	if !decode(w, r, &req, new(api.EmbedRequest)) {
		return
	}
	if unnamed(w, req.Model) {
		return
	}
	texts, ok := inputs(req.Input)
	if !ok {
		refuse(w, http.StatusBadRequest, "invalid input type")
		return
	}
	if !s.vectored(req.Model) {
		unpulled(w, req.Model)
		return
	}
	if len(texts) == 0 {
		reply(w, http.StatusOK, struct {
			Model      string      `json:"model"`
			Embeddings [][]float32 `json:"embeddings"`
		}{req.Model, [][]float32{}})
		return
	}
	opt, status, text := req.refused(Model{}, false, embedContext)
	if status != 0 {
		refuse(w, status, text)
		return
	}
	window := s.window(opt, embedContext)
	vectors, count, ok := s.vectors(&req, texts, window)
	if !ok {
		refuse(w, http.StatusBadRequest, exceedsContext)
		return
	}
	if !s.reads(r.Context(), req.Model, strings.Join(texts, "\n")) {
		return
	}
	s.load(req.Model, window, req.KeepAlive)
	reply(w, http.StatusOK, struct {
		Model           string        `json:"model"`
		Embeddings      [][]float32   `json:"embeddings"`
		TotalDuration   time.Duration `json:"total_duration"`
		LoadDuration    time.Duration `json:"load_duration"`
		PromptEvalCount int           `json:"prompt_eval_count"`
	}{req.Model, vectors, time.Since(began), 1, count})
}

// vectored reports whether there is a model with a name that makes vectors.
func (s *Server) vectored(name string) bool {
	return s.embeds() && (s.isChat(name) || s.isEmbed(name))
}

// reads takes the time that the machine needs for the vectors of a text (SIM-20). It returns false if the
// client has left.
func (s *Server) reads(ctx context.Context, model, text string) bool {
	if s.machine == nil {
		return true
	}
	_, over, ok := s.machine.ask(ctx, server.Call{Model: full(model), Prompt: text, Embeds: true})
	over()
	return ok
}

// vectors returns the vectors of the texts, and the texts' number of tokens. It returns false if a
// text is longer than the window and may not be cut.
func (s *Server) vectors(req *embedRequest, texts []string, window int) (vectors [][]float32, tokens int, ok bool) {
	vectors = make([][]float32, len(texts))
	for i, text := range texts {
		n := len(text)/bytesPerToken + 1
		if s.opt.Limits && n > window {
			if !req.truncates() {
				return nil, 0, false
			}
			left := window * bytesPerToken
			n, text = window, head(text, &left)
		}
		vectors[i] = shortened(s.vector(text), req.Dimensions)
		tokens += n
	}
	return vectors, tokens, true
}

// embedOld serves the older path for vectors: one text, one vector.
func (s *Server) embedOld(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model  string `json:"model"`
		Prompt string `json:"prompt"`
		asked
	}
	if !decode(w, r, &req, new(api.EmbeddingRequest)) {
		return
	}
	switch {
	case s.vectored(req.Model):
	case named(req.Model):
		unpulled(w, req.Model)
		return
	default:
		missing(w, req.Model)
		return
	}
	if _, status, text := req.refused(Model{}, false, embedContext); status != 0 {
		refuse(w, status, text)
		return
	}
	if !s.reads(r.Context(), req.Model, req.Prompt) {
		return
	}
	s.load(req.Model, embedContext, req.KeepAlive)
	vector := []float32{}
	if req.Prompt != "" {
		vector = s.vector(req.Prompt)
	}
	reply(w, http.StatusOK, struct {
		Embedding []float32 `json:"embedding"`
	}{vector})
}

// shortened returns a vector cut to dims dimensions and scaled to length 1; 0 means all dimensions.
func shortened(vector []float32, dims int) []float32 {
	if dims <= 0 || dims >= len(vector) {
		return vector
	}
	var square float64
	for _, f := range vector[:dims] {
		square += float64(f) * float64(f)
	}
	short := make([]float32, dims)
	if square > 0 {
		for i := range short {
			short[i] = float32(float64(vector[i]) / math.Sqrt(square))
		}
	}
	return short
}

// inputs reads a text or a list of texts. Like a real server it takes an empty text, null and a
// missing input for an empty list.
func inputs(raw json.RawMessage) ([]string, bool) {
	var one string
	if len(raw) == 0 || json.Unmarshal(raw, &one) == nil {
		if one == "" {
			return nil, true
		}
		return []string{one}, true
	}
	var many []*string // null is not a text
	if json.Unmarshal(raw, &many) != nil || slices.Contains(many, nil) {
		return nil, false
	}
	texts := make([]string, len(many))
	for i, text := range many {
		texts[i] = *text
	}
	return texts, true
}

func (s *Server) vector(text string) []float32 {
	if s.opt.Embed != nil {
		return s.opt.Embed(text)
	}
	return wordVector(text, s.opt.EmbedDims)
}

// wordVector returns the sum of a fixed random vector for each word, scaled to length 1, so that
// texts with words in common are near each other. A Han character is a word. The vector of a text
// without words is all zeros.
func wordVector(text string, dims int) []float32 {
	sum := make([]float64, dims)
	for _, word := range words(text) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(word))
		x := h.Sum64() | 1 // xorshift stays at 0 forever
		for i := range sum {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			sum[i] += float64(int64(x)) / (1 << 63)
		}
	}
	var square float64
	for _, f := range sum {
		square += f * f
	}
	vector := make([]float32, dims)
	if square > 0 {
		for i, f := range sum {
			vector[i] = float32(f / math.Sqrt(square))
		}
	}
	return vector
}

func words(text string) []string {
	var list []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			end()
			list = append(list, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r):
			word.WriteRune(r)
		default:
			end()
		}
	}
	end()
	return list
}
