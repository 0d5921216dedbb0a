package ollama

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"shelly/runtime/comm"
	"shelly/runtime/front/wire"
)

func details() api.ModelDetails {
	return api.ModelDetails{Format: "agent", Family: Agent, Families: []string{Agent}}
}

// digest is how clients tell models apart.
func digest() string {
	sum := sha256.Sum256([]byte(Agent))
	return hex.EncodeToString(sum[:])
}

func (f *Front) tags(w http.ResponseWriter, _ *http.Request) error {
	return comm.JSON(w, http.StatusOK, api.ListResponse{Models: []api.ListModelResponse{{
		Name: Agent + ":latest", Model: Agent + ":latest", ModifiedAt: f.o.Started.UTC(), Digest: digest(), Details: details(),
	}}})
}

// ps answers that the agent stays loaded for ever.
func (f *Front) ps(w http.ResponseWriter, _ *http.Request) error {
	return comm.JSON(w, http.StatusOK, api.ProcessResponse{Models: []api.ProcessModelResponse{{
		Name: Agent + ":latest", Model: Agent + ":latest", Digest: digest(), Details: details(), ExpiresAt: f.o.Started.UTC().Add(100 * 365 * 24 * time.Hour),
	}}})
}

func (f *Front) show(w http.ResponseWriter, r *http.Request) error {
	v, err := f.body(w, r)
	if err != nil {
		return err
	}
	var name, former string
	if err := v.Object(wire.Text("model", &name), wire.Text("name", &former), wire.Idle("verbose", wire.Bool), wire.Idle("system", wire.String),
		wire.Idle("template", wire.String), wire.Idle("options", wire.Object)); err != nil {
		return err
	}
	name = cmp.Or(name, former)
	if err := known(name); err != nil {
		return err
	}
	return comm.JSON(w, http.StatusOK, api.ShowResponse{
		Details: details(), ModelInfo: map[string]any{"general.architecture": Agent},
		Capabilities: []model.Capability{model.CapabilityCompletion, model.CapabilityThinking, model.CapabilityVision},
		ModifiedAt:   f.o.Started.UTC(),
	})
}
