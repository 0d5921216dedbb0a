package mock

import (
	"cmp"
	"slices"

	"github.com/ollama/ollama/types/model"

	"shelly/runtime/ollama"
)

// Model is a chat model. With only a name it can do everything.
type Model struct {
	Name       string
	NoTools    bool // it cannot call tools
	NoThinking bool // it cannot think
	NoLevels   bool // think is on or off and has no levels
	NoVision   bool // it does not see images
	Window     int  // the longest context in tokens; 0: chatContext
}

func (m Model) window() int { return cmp.Or(m.Window, chatContext) }

func (m Model) capabilities() []model.Capability {
	can := []model.Capability{model.CapabilityCompletion}
	if !m.NoTools {
		can = append(can, model.CapabilityTools)
	}
	if !m.NoVision {
		can = append(can, model.CapabilityVision)
	}
	if !m.NoThinking {
		can = append(can, model.CapabilityThinking)
	}
	return can
}

func (m Model) template() string {
	tools, calls := "{{ range .Tools }}{{ . }}{{ end }}", "{{ range .ToolCalls }}{{ . }}{{ end }}"
	if m.NoTools {
		tools, calls = "", ""
	}
	return tools + "{{ range .Messages }}{{ .Content }}" + calls + "{{ end }}"
}

// model returns the chat model with a name.
func (s *Server) model(name string) (Model, bool) {
	i := slices.IndexFunc(s.opt.Models, func(m Model) bool { return ollama.SameModel(m.Name, name) })
	if i < 0 {
		return Model{}, false
	}
	return s.opt.Models[i], true
}

func (s *Server) isChat(name string) bool {
	_, ok := s.model(name)
	return ok
}
