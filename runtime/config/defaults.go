package config

import (
	"path/filepath"
	"strings"
	"time"

	"shelly/fsm"
)

// defaults returns the configuration that no source has touched. The profile
// shelly is the only one so far; the schema refuses any other name.
func defaults(s Sources) Config {
	p := fsm.ShellyProfile()
	l := p.Limits
	return Config{
		Profile:   p.Profile,
		Data:      dataFolder(s),
		Workspace: s.Dir,
		Init:      p.Init,
		Brain: Brain{
			Kind:          "ollama",
			URL:           "http://127.0.0.1:11434",
			NumCtx:        8192,
			NumPredict:    1024,
			KeepAlive:     5 * time.Minute,
			OnUnreachable: "exit",
			Timeouts: Timeouts{
				Connect:    5 * time.Second,
				FirstToken: 5 * time.Minute,
				Idle:       time.Minute,
				Total:      10 * time.Minute,
			},
		},
		Limits: Limits{
			MaxToolRounds:      l.MaxToolRounds,
			MaxCognitionRounds: l.MaxCognitionRounds,
			RecallTopK:         l.RecallTopK,
			MaxCallsPerAnswer:  l.MaxCallsPerAnswer,
			MaxStoreAttempts:   l.MaxStoreAttempts,
			MaxQueue:           l.MaxQueue,
			InitTimeout:        duration(l.InitTimeout),
			HandleTimeout:      duration(l.HandleTimeout),
			ShutdownTimeout:    duration(l.ShutdownTimeout),
			Grace:              duration(l.Grace),
			AbortTimeout:       duration(l.AbortTimeout),
		},
		Prompts: Prompts{
			Identity: p.Prompts.Identity,
			Question: p.Prompts.Question,
			Init:     p.Prompts.Init,
			Farewell: p.Prompts.Farewell,
			Summary:  p.Prompts.Summary,
		},
		Tools: Tools{
			Exec:           Exec{Timeout: time.Minute},
			ResultBytesMax: 16 * KiB,
			ReadBytesMax:   64 * MiB,
		},
		Comm:            Comm{HTTP: "127.0.0.1:7433", UDP: "127.0.0.1:7434"},
		RequestBytesMax: 64 * KiB,
		Reserve:         64 * MiB,
		Log:             Log{Level: "info", Format: "text"},
	}
}

func duration(m fsm.Millis) time.Duration { return time.Duration(m) * time.Millisecond }

// dataFolder follows the XDG base directory specification, by which a relative
// folder in the environment counts for nothing.
func dataFolder(s Sources) string {
	if dir, ok := lookup(s.Environ, "XDG_DATA_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "shelly")
	}
	if s.Home != "" {
		return filepath.Join(s.Home, ".local", "share", "shelly")
	}
	return filepath.Join(s.Dir, ".shelly")
}

// DefaultFile returns where the configuration file is looked for when none is
// named: $XDG_CONFIG_HOME/shelly/config.yaml, else ~/.config/shelly/config.yaml,
// else "", nowhere. The environment is given as os.Environ does.
func DefaultFile(environ []string, home string) string {
	if dir, ok := lookup(environ, "XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "shelly", "config.yaml")
	}
	if home != "" {
		return filepath.Join(home, ".config", "shelly", "config.yaml")
	}
	return ""
}

// lookup returns a variable's value; an empty one is not set. Of several the
// last holds, as for a process.
func lookup(environ []string, name string) (value string, ok bool) {
	for _, pair := range environ {
		if n, v, _ := strings.Cut(pair, "="); n == name {
			value = v
		}
	}
	return value, value != ""
}
