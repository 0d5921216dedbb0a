package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"
	compat "github.com/ollama/ollama/openai"
)

// plain writes a whole body that depends on the answer alone.
type plain func(line []byte) (any, error)

func (plain) media() string { return "application/json" }

func (w plain) write(line []byte) ([]byte, error) {
	v, err := w(line)
	if err != nil {
		return nil, err
	}
	return encode(v), nil
}

// refusal is an error in a real server's words.
type refusal string

func (r refusal) Error() string { return string(r) }

func (h *handler) embeddings(body []byte) (asked, error) {
	var req compat.EmbedRequest
	if err := decode(body, &req); err != nil {
		return asked{}, err
	}
	if f := req.EncodingFormat; f != "" && !strings.EqualFold(f, "float") && !strings.EqualFold(f, "base64") {
		return asked{}, refusal("Invalid value for 'encoding_format' = " + f + ". Supported values: ['float', 'base64'].")
	}
	if req.Input == "" {
		req.Input = []string{""}
	}
	if many, ok := req.Input.([]any); req.Input == nil || ok && len(many) == 0 {
		return asked{}, errors.New("invalid input")
	}
	return asked{http.MethodPost, "/api/embed", api.EmbedRequest{Model: req.Model, Input: req.Input, Dimensions: req.Dimensions}, plain(func(line []byte) (any, error) {
		var r api.EmbedResponse
		err := json.Unmarshal(line, &r)
		return compat.ToEmbeddingList(req.Model, r, req.EncodingFormat), err
	})}, nil
}

func models([]byte) (asked, error) {
	return asked{http.MethodGet, "/api/tags", nil, plain(func(line []byte) (any, error) {
		var r api.ListResponse
		err := json.Unmarshal(line, &r)
		return compat.ToListCompletion(r), err
	})}, nil
}

func model(name string) func([]byte) (asked, error) {
	return func([]byte) (asked, error) {
		return asked{http.MethodPost, "/api/show", api.ShowRequest{Model: name}, plain(func(line []byte) (any, error) {
			var r api.ShowResponse
			err := json.Unmarshal(line, &r)
			return compat.ToModel(r, name), err
		})}, nil
	}
}
