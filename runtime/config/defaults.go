package config

import (
	"path/filepath"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/profile"
)

// builtinProfile is the profile if no source names one.
const builtinProfile = "default"

// Builtin returns the configuration of a profile before any source changes it; if there is no
// profile of that name, that of the built-in one. It has no folders.
func Builtin(profile string) Config { return defaults(Sources{}, profile) }

// defaults returns the configuration before any source changes it, except for its profile. An
// unknown name means the built-in profile.
func defaults(s Sources, name string) Config {
	p, ok := profile.Named(name)
	if !ok {
		p, _ = profile.Named(builtinProfile)
	}
	c := Config{
		Profile:   p.Profile,
		Data:      dataFolder(s),
		Workspace: s.Dir,
		Init:      p.Init,
		About:     About{Name: "shelly", User: "you", Zone: "local"},
		Brain: Brain{
			Kind:          "ollama",
			URL:           "http://127.0.0.1:11434",
			NumCtx:        p.Limits.ContextTokens,
			KeepAlive:     5 * time.Minute,
			Slots:         1,
			Preload:       true,
			Temperature:   Temperature(p.Options.Temperature),
			MaxTokens:     p.Options.MaxTokens,
			Seed:          -1,
			Think:         "model",
			Tools:         "auto",
			OnUnreachable: "wait",
			Timeouts: Timeouts{
				Connect:    5 * time.Second,
				Load:       5 * time.Minute,
				FirstToken: time.Hour,
				Idle:       time.Minute,
				Total:      4 * time.Hour,
			},
		},
		Switches: p.Switches,
		Limits:   p.Limits,
		Prompts:  Prompts{Prompts: p.Prompts},
		Tools: Tools{
			Exec: Exec{
				Allow: "false", Timeout: time.Minute, TimeoutMax: 10 * time.Minute,
				Memory: 4 * GiB, Processes: 512, FileSize: 256 * MiB, OpenFiles: 1024, Disk: GiB,
			},
			Files:               []string{"read_file", "write_file", "edit_file", "list_dir", "grep", "glob"},
			Memory:              []string{"memory_search"},
			Secrets:             "refuse",
			RestrictToWorkspace: true,
			ResultBytesMax:      resultBytesMax(p.Switches),
			ReadBytesMax:        64 * MiB,
			Web:                 Web{Timeout: 30 * time.Second, BytesMax: 4 * MiB, Search: Search{Kind: "off", KeyFrom: "BRAVE_API_KEY"}},
		},
		Skills:          Skills{Folders: skillFolders(s)},
		Comm:            Comm{HTTP: "127.0.0.1:7433", UDP: "127.0.0.1:7434", Unix: "shelly.sock", OpenAI: On, Ollama: On, MCP: On},
		RequestBytesMax: 4 * MiB,
		Reserve:         64 * MiB,
		Retention:       Retention{Age: 90 * 24 * time.Hour, Bytes: GiB},
		Log:             Log{Level: "info", Format: "text", Keep: 16 * MiB},
		Events:          Events{Heartbeat: Heartbeat{Quiet: "22:00-08:00", Tell: TellDefault, Greet: Greet{PerDay: 2, Chance: 100}}},
		builtin:         p.Tools,
		labels:          p.Labels,
	}
	switch p.Profile { // what the profiles' documents say about settings outside the machine
	case "shelly":
		c.Brain.OnUnreachable = "exit"
		c.Tools.Files, c.Tools.Memory = []string{"read_file", "list_dir"}, nil
	case "countbot":
		c.Tools.Files = []string{"read_file", "write_file", "edit_file", "list_dir"}
		c.Tools.Memory = []string{"memory_search", "memory_read", "memory_write"}
	case "omniemployee":
		c.Tools.Files, c.Tools.Memory = []string{"read_file", "write_file", "edit_file", "list_dir", "grep"}, nil
	case "nanobot":
		c.Tools.Files = []string{"read_file", "write_file", "edit_file", "list_dir"}
		c.Tools.Memory = []string{"memory_search", "memory_read", "memory_write"}
		c.Tools.RestrictToWorkspace = false
		c.Tools.ResultBytesMax = 10_000
	}
	return c
}

// skillFolders returns the folders of skills that several programs share.
func skillFolders(s Sources) []string {
	if s.Home == "" {
		return nil
	}
	return []string{filepath.Join(s.Home, ".agents", "skills")}
}

// resultBytesMax is the default for the longest result: longer if results are kept whole.
func resultBytesMax(s fsm.Switches) Bytes {
	if s.KeepTexts {
		return MiB
	}
	return 16 * KiB
}

// dataFolder follows the XDG base directory specification, which ignores a relative folder in the
// environment.
func dataFolder(s Sources) string {
	if dir, ok := lookup(s.Environ, "XDG_DATA_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "shelly")
	}
	if s.Home != "" {
		return filepath.Join(s.Home, ".local", "share", "shelly")
	}
	return filepath.Join(s.Dir, ".shelly")
}

// DefaultFile returns where to look for the configuration file if none is named:
// $XDG_CONFIG_HOME/shelly/config.yaml, otherwise ~/.config/shelly/config.yaml, otherwise "",
// nowhere. The environment has the form of os.Environ.
func DefaultFile(environ []string, home string) string {
	if dir, ok := lookup(environ, "XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "shelly", "config.yaml")
	}
	if filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "shelly", "config.yaml")
	}
	return ""
}

// lookup returns a variable's value; an empty one counts as not set. If there are several, the last
// counts, as in a process.
func lookup(environ []string, name string) (value string, ok bool) {
	for _, pair := range environ {
		if n, v, _ := strings.Cut(pair, "="); n == name {
			value = v
		}
	}
	return value, value != ""
}
