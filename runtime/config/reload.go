package config

import (
	"reflect"
	"slices"
	"strings"
)

// reloadable returns the keys and sections that a running daemon can reload: what travels to the
// machine, the tools except the workspace that they work in, and retention.
func reloadable() []string {
	return []string{
		"profile", "init", "about.", "brain.temperature", "brain.max_tokens", "switches.", "limits.", "prompts.", "tools.",
		"retention.", "comm.channels", "events.", "channels",
	}
}

// Reload returns what the configuration c of a running daemon becomes when next is loaded (CFG-10),
// and the keys whose new value waits for a restart.
func (c Config) Reload(next Config) (now Config, restart []string) {
	now = c
	now.builtin, now.labels, now.settings, now.slotted, now.files = next.builtin, next.labels, next.settings, next.slotted, next.files
	to, from := reflect.ValueOf(&now).Elem(), reflect.ValueOf(next)
	now.Prompts = next.Prompts // including the sections
	for _, f := range newSchema() {
		taken := slices.ContainsFunc(reloadable(), func(key string) bool {
			return f.key == key || strings.HasSuffix(key, ".") && strings.HasPrefix(f.key, key)
		})
		was, is := to.FieldByIndex(f.index), from.FieldByIndex(f.index)
		switch {
		case taken:
			was.Set(is)
		case !reflect.DeepEqual(was.Interface(), is.Interface()):
			restart = append(restart, f.key)
		}
	}
	if now.Brain.MaxTokens >= now.Brain.NumCtx { // it is meant for the new window
		now.Brain.MaxTokens = c.Brain.MaxTokens
		restart = append(restart, "brain.max_tokens")
	}
	if now.keepsWithin() {
		now.Limits.ContextTokens = min(now.Limits.ContextTokens, now.Brain.NumCtx)
	}
	if next.slotted {
		now.Limits.MaxActive = now.Brain.Slots // the new slots wait for a restart
	}
	return now, restart
}
