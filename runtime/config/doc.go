// Package config makes the daemon's effective configuration.
//
//	c, err := config.Load(config.Sources{
//		DefaultFile: config.DefaultFile(os.Environ(), home),
//		Environ:     os.Environ(),
//		Overrides:   []config.Override{{Flag: "--model", Key: "brain.model", Value: "qwen3:4b"}},
//		Dir:         dir,
//		Home:        home,
//	})
//
// A value comes from the first of these that sets it (CFG-1): a command-line flag, an environment
// variable, the configuration file, the profile, the built-in default. [Config.Explain] says which
// it was, key by key.
//
// The profile is data of the machine (CFG-11): its switches, limits, options, prompts and builtin
// tools, and what its document says about settings outside the machine. [Config.Print] writes it as
// a file that can be loaded.
//
// Every value has one key: the path of snake_case names that leads to it in the file, such as
// limits.max_tool_rounds. Its environment variable is the key in capitals after SHELLY_, with _ for
// each dot: SHELLY_LIMITS_MAX_TOOL_ROUNDS. An empty variable counts as not set. OLLAMA_HOST sets
// brain.url unless SHELLY_BRAIN_URL does. SHELLY_TOKEN is a secret, not a setting: servers and
// clients read it themselves.
//
// The forms of values are the same in every source:
//
//   - a duration is a number with a unit: 500ms, 60s, 5m, 1h30m; in whole milliseconds, never
//     negative
//   - a size is a number of bytes, with or without a unit: 65536, 64KiB, 64MiB, 1GiB
//   - a path may begin with ~/; a relative path is relative to the folder of the file that sets it,
//     or to the current folder if a variable or flag does
//   - a switch is true or false, or one of its words; a number is plain decimal
//   - a list is a list in a file; elsewhere its items are separated by commas, with or without
//     brackets: 1s, 5s
//
// Loading is strict (CFG-3): an unknown key, a value of the wrong type or out of range, a key given
// twice, an alias or a second document is an error. All errors are reported at once, one a line,
// each with its place:
//
//	/etc/shelly.yaml:4:3: limits.max_tool_round: unknown key; did you mean max_tool_rounds?
package config
