package config

import (
	"reflect"
	"slices"
)

// Setting is one value of the configuration, with where it comes from.
type Setting struct {
	Key    string `json:"key"`    // "brain.model"
	Value  string `json:"value"`  // as a source would give it; passwords are masked
	Source string `json:"source"` // "default", "profile shelly", "/etc/shelly.yaml:12", "environment SHELLY_BRAIN_MODEL", "flag --model"
}

// Explain returns every setting in the order of the schema.
func (c Config) Explain() []Setting { return slices.Clone(c.settings) }

// Files returns the absolute paths of the files that the daemon is configured by: the configuration
// file, even if there is no such file yet, and prompts.identity_file.
func (c Config) Files() []string { return slices.Clone(c.files) }

// explain records where each value comes from.
func (l *loading) explain() {
	root := reflect.ValueOf(l.config)
	for _, f := range l.schema {
		l.config.settings = append(l.config.settings, Setting{
			Key:    f.key,
			Value:  f.format(root.FieldByIndex(f.index)),
			Source: l.origins[f.key].source(),
		})
		if l.origins[f.key].layer != layerDefault {
			l.config.given = append(l.config.given, f.key)
		}
	}
}
