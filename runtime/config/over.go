package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"shelly/fsm"
)

// Over returns the machine's configuration m with c's values for some keys: what a reload of only
// those keys would make of it. Keys of brain that only the client uses change nothing; a key that
// neither the machine nor the model has is an error.
func (c Config) Over(m fsm.Config, keys []string) (fsm.Config, error) {
	now := c.Machine(nil, nil)
	to, from := reflect.ValueOf(&m).Elem(), reflect.ValueOf(now)
	for _, key := range keys {
		section, name, _ := strings.Cut(key, ".")
		switch {
		case key == "brain.temperature":
			m.Options.Temperature = now.Options.Temperature
		case key == "brain.max_tokens":
			m.Options.MaxTokens = now.Options.MaxTokens
		case section == "brain":
		case key == "prompts.identity", key == "prompts.identity_file":
			m.Prompts.Identity, m.Prompts.Subagent = now.Prompts.Identity, now.Prompts.Subagent // SKL-15
		case slices.Contains([]string{"limits", "switches", "prompts"}, section):
			s, _ := jsonField(to.Type(), section)
			i, ok := jsonField(to.Field(s).Type(), name)
			if !ok {
				return fsm.Config{}, fmt.Errorf("%s: the machine has no such setting", key)
			}
			to.Field(s).Field(i).Set(from.Field(s).Field(i))
		default:
			return fsm.Config{}, fmt.Errorf("%s: neither the machine nor the model has it; those of limits, switches, prompts and brain can be changed", key)
		}
	}
	return m, nil
}

// jsonField returns the index of a struct's field by its JSON name.
func jsonField(t reflect.Type, name string) (int, bool) {
	for i := range t.NumField() {
		if has, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); has == name {
			return i, true
		}
	}
	return 0, false
}
