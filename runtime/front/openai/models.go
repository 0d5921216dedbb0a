package openai

import (
	"net/http"

	"shelly/runtime/front/wire"
)

// model describes the agent as a model (FRT-14).
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func modelOf(name string) model { return model{ID: name, Object: "model", OwnedBy: Agent} }

func (f *Front) getModels(w http.ResponseWriter, _ *http.Request) error {
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", []model{modelOf(Agent)}}
	for _, name := range f.o.Models {
		list.Data = append(list.Data, modelOf(name))
	}
	return answer(w, http.StatusOK, list)
}

func (f *Front) getModel(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("id")
	if err := f.known(name); err != nil {
		return err
	}
	return answer(w, http.StatusOK, modelOf(name))
}

// sampling are the fields by which a caller would tune a model. The agent's model is tuned by
// its operator, so they have no effect (FRT-3).
func sampling() []wire.Field {
	fields := wire.Idles(wire.Number, "temperature", "top_p", "top_logprobs", "seed", "frequency_penalty", "presence_penalty",
		"max_tokens", "max_completion_tokens", "max_output_tokens", "max_tool_calls")
	fields = append(fields, wire.Idles(wire.String, "reasoning_effort", "verbosity", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "truncation")...)
	fields = append(fields, wire.Idles(wire.Object, "logit_bias", "reasoning", "prompt_cache_options")...)
	return append(fields, wire.Idle("parallel_tool_calls", wire.Bool), wire.Idle("include", wire.List))
}
