package config_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"shelly/runtime/config"
)

// CFG-3 for files, and COM-1 if the file names an address to listen on.
func TestErrorsOfAFileNamePlaceKeyAndRemedy(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"misspelled key", "limits:\n  max_tool_round: 3\n", "c.yaml:2:3: limits.max_tool_round: unknown key; did you mean max_tool_rounds?"},
		{"letters swapped", "brian: {model: x}\n", "c.yaml:1:1: brian: unknown key; did you mean brain?"},
		{"wrong letter case", "Limits: {max_queue: 1}\n", "c.yaml:1:1: Limits: unknown key; did you mean limits?"},
		{"key of another section", "max_tool_rounds: 3\n", "c.yaml:1:1: max_tool_rounds: unknown key; did you mean limits.max_tool_rounds?"},
		{"key like no other", "log: {colour: red}\n", "c.yaml:1:7: log.colour: unknown key; the keys here are: level, format, keep"},
		{"unit in the name", "limits:\n  init_timeout_secs: 120\n", "c.yaml:2:3: limits.init_timeout_secs: unknown key; did you mean init_timeout (a duration such as 1800s)?"},
		{"unit in the name, at the top", "handle_timeout_secs: 300\n", "c.yaml:1:1: handle_timeout_secs: unknown key; did you mean handle_timeout (a duration such as 1h)?"},
		{"blank in a key", "request bytes max: 4096\n", "c.yaml:1:1: request bytes max: unknown key; did you mean request_bytes_max?"},
		{"number as a key", "1: x\n", "c.yaml:1:1: 1: unknown key; the keys here are: profile, data, workspace, init, about, brain, switches, limits, prompts, tools, skills, comm, events, channels, request_bytes_max, reserve, retention, memory, log, telemetry"},
		{"list as a key", "? [a]\n: b\n", "c.yaml:1:3: a key is a word, found a list"},
		{"dotted key", "limits.max_queue: 3\n", "c.yaml:1:1: limits.max_queue: unknown key; nest it: a dot is not part of a key"},
		{"key twice", "data: /a\nlog: {level: info}\ndata: /b\n", "c.yaml:3:1: data: already given on line 1"},
		{"nested key twice", "limits:\n  grace: 1s\n  grace: 2s\n", "c.yaml:3:3: limits.grace: already given on line 2"},

		{"number as text", "limits: {max_queue: \"7\"}\n", "c.yaml:1:21: limits.max_queue: wants a whole number, not text; remove the quotes"},
		{"word for a number", "limits: {max_queue: many}\n", `c.yaml:1:21: limits.max_queue: wants a plain whole number, not "many"`},
		{"octal", "limits: {max_queue: 0o17}\n", `c.yaml:1:21: limits.max_queue: wants a plain whole number, not "0o17"`},
		{"leading zero", "limits: {max_queue: 017}\n", `c.yaml:1:21: limits.max_queue: wants a plain whole number, not "017"`},
		{"fraction", "limits: {max_queue: 1.5}\n", `c.yaml:1:21: limits.max_queue: wants a plain whole number, not "1.5"`},
		{"negative number", "limits: {max_queue: -1}\n", "c.yaml:1:21: limits.max_queue: -1 is out of range; the least is 1"},
		{"zero", "limits: {max_tool_rounds: 0}\n", "c.yaml:1:27: limits.max_tool_rounds: 0 is out of range; the least is 1"},
		{"absurd number", "limits: {max_queue: 100001}\n", "c.yaml:1:21: limits.max_queue: 100001 is out of range; the most is 100000"},
		{"number beyond any", "limits: {max_queue: 99999999999999999999}\n", "c.yaml:1:21: limits.max_queue: 99999999999999999999 is too large"},
		{"number for text", "brain: {model: 12}\n", "c.yaml:1:16: brain.model: wants text, found the number 12; quote it if it is meant as text"},
		{"date for text", "brain: {model: 2026-01-01}\n", `c.yaml:1:16: brain.model: wants text, found the time 2026-01-01; quote it if it is meant as text`},
		{"switch for a word", "brain: {kind: true}\n", "c.yaml:1:15: brain.kind: wants one of ollama, auto, demo, found the switch true; quote it if it is meant as text"},
		{"unknown word", "brain: {kind: olama}\n", `c.yaml:1:15: brain.kind: "olama" is not one of ollama, auto, demo; did you mean ollama?`},
		{"unknown profile", "profile: nanobt\n", `c.yaml:1:10: profile: "nanobt" is not one of default, shelly, countbot, nanobot, omniemployee; did you mean nanobot?`},
		{"word for a switch", "tools: {exec: {allow: yes}}\n", `c.yaml:1:23: tools.exec.allow: "yes" is not one of false, true, unsandboxed`},
		{"word for a switch alone", "tools: {restrict_to_workspace: yes}\n", `c.yaml:1:32: tools.restrict_to_workspace: wants true or false, not the text "yes"`},
		{"unknown rung", "tools: {exec: {rungs: [namespaces, chroot]}}\n", `c.yaml:1:23: tools.exec.rungs: "chroot" is not one of namespaces, bwrap, landlock`},
		{"folder that is everything", "tools: {exec: {reads: [/]}}\n", `c.yaml:1:23: tools.exec.reads: / is the whole file system; name a folder in it`},
		{"folder of programs that is everything", "tools: {exec: {path: [/usr/..]}}\n", `c.yaml:1:22: tools.exec.path: / is the whole file system; name a folder in it`},
		{"folder of a PATH with a colon", "tools: {exec: {path: [/a:b]}}\n", `c.yaml:1:22: tools.exec.path: "/a:b" holds a colon, which no folder of a PATH can`},
		{"PATH among the variables", "tools: {exec: {env: {PATH: /bin}}}\n", "c.yaml:1:21: tools.exec.env: PATH is what tools.exec.path says: list the folders there"},
		{"variable without a name", "tools: {exec: {env: {\"a=b\": c}}}\n", `c.yaml:1:21: tools.exec.env: "a=b" is no name of a variable`},
		{"list for a value", "brain: {model: [a, b]}\n", "c.yaml:1:16: brain.model: wants text, found a list"},
		{"map for a value", "limits: {grace: {seconds: 3}}\n", "c.yaml:1:17: limits.grace: wants a duration such as 60s, found a map"},
		{"value for a section", "limits: 3\n", "c.yaml:1:9: limits: this section is a map of `key: value`, found the number 3"},
		{"list at the top", "- a\n- b\n", "c.yaml:1:1: a configuration is a map, found a list"},
		{"text at the top", "hello\n", "c.yaml:1:1: a configuration is a map, found the text \"hello\""},
		{"no value", "brain:\n  model:\n", "c.yaml:2:9: brain.model: has no value; give one, or leave the key out"},
		{"bare tilde", "workspace: ~\n", "c.yaml:1:12: workspace: has no value: a bare ~ is YAML's null; quote it if it is meant as text"},
		{"empty text", "workspace: ''\n", "c.yaml:1:12: workspace: is empty"},
		{"blank prompt", "prompts: {init: '  '}\n", "c.yaml:1:17: prompts.init: is empty"},

		{"duration without a unit", "limits: {grace: 5}\n", `c.yaml:1:17: limits.grace: wants a duration such as 60s or 5m, not "5"`},
		{"duration in days", "limits: {grace: 1d}\n", `c.yaml:1:17: limits.grace: wants a duration such as 60s or 5m, not "1d"; there is no unit for days: write 24h for a day`},
		{"infinite duration", "limits: {grace: .inf}\n", `c.yaml:1:17: limits.grace: wants a duration such as 60s or 5m, not ".inf"`},
		{"negative duration", "limits: {grace: -5s}\n", "c.yaml:1:17: limits.grace: -5s is negative"},
		{"no duration at all", "limits: {grace: 0s}\n", "c.yaml:1:17: limits.grace: 0s is out of range; the least is 1ms"},
		{"duration too fine", "limits: {grace: 1500us}\n", "c.yaml:1:17: limits.grace: 1500us is finer than a millisecond"},
		{"absurd duration", "limits: {grace: 169h}\n", "c.yaml:1:17: limits.grace: 169h is out of range; the most is 168h"},
		{"size in an unknown unit", "reserve: 64MB\n", `c.yaml:1:10: reserve: wants a size such as 65536, 64KiB or 64MiB, not "64MB"`},
		{"negative size", "reserve: -1\n", "c.yaml:1:10: reserve: -1 is negative"},
		{"small size", "request_bytes_max: 10\n", "c.yaml:1:20: request_bytes_max: 10 is out of range; the least is 1KiB"},
		{"size beyond any", "reserve: 9000000000TiB\n", "c.yaml:1:10: reserve: 9000000000TiB is too large"},
		{"temperature too high", "brain: {temperature: 5.5}\n", "c.yaml:1:22: brain.temperature: 5.5 is out of range; the most is 5"},
		{"temperature not a number", "brain: {temperature: .nan}\n", `c.yaml:1:22: brain.temperature: wants a number such as 0.7, or model for the model's own, not ".nan"`},
		{"temperature too fine", "brain: {temperature: 0.1234}\n", "c.yaml:1:22: brain.temperature: 0.1234 is finer than a thousandth"},
		{"temperature negative", "brain: {temperature: -1}\n", `c.yaml:1:22: brain.temperature: wants a number such as 0.7, or model for the model's own, not "-1"`},
		{"word for a switch of words", "switches: {history: some}\n", `c.yaml:1:21: switches.history: "some" is not one of none, answers, all, sent`},
		{"switch with an unknown word", "switches: {compress: yes}\n", `c.yaml:1:22: switches.compress: wants true or false, not the text "yes"`},
		{"value for a list", "limits: {backoff: 1s}\n", `c.yaml:1:19: limits.backoff: wants a list such as [1s, 5s], found the text "1s"`},
		{"value for a list of texts", "skills: {folders: /x}\n", `c.yaml:1:19: skills.folders: wants a list such as [one, two], found the text "/x"`},
		{"bad item", "limits: {backoff: [1s, soon]}\n", `c.yaml:1:19: limits.backoff: wants a duration such as 60s or 5m, not "soon"`},
		{"item out of range", "limits: {backoff: [1s, 0s]}\n", "c.yaml:1:19: limits.backoff: 0s is out of range; the least is 1ms"},
		{"list in a list", "limits: {backoff: [[1s]]}\n", "c.yaml:1:20: limits.backoff: wants a duration such as 60s, found a list"},
		{"switch of a front", "comm: {openai: yes}\n", `c.yaml:1:16: comm.openai: "yes" is not one of on, off`},
		{"two items in one", "comm: {channels: ['exec,rm']}\n", "c.yaml:1:19: comm.channels: an item holds no comma or bracket"},
		{"alias in a list", "data: &d /a\ncomm: {channels: [*d]}\n", "c.yaml:2:19: comm.channels: aliases are not supported; write the value out"},
		{"approvals of no form", "tools: {approve: exec}\n", "c.yaml:1:18: tools.approve: wants a map such as {exec: always}, a list of names, or a list of maps such as {tool: exec, match: {command: \"git push*\"}, approve: always}; found the text \"exec\""},
		{"an approval of no word", "tools: {approve: {exec: sometimes}}\n", "c.yaml:1:25: tools.approve.exec: unknown word sometimes; allowed: never, unsafe, always"},
		{"an approval of no tool", "tools: {approve: [{approve: always}]}\n", "c.yaml:1:19: tools.approve[0]: the key tool is missing"},
		{"sections of a prompt", "prompts: {sections: []}\n", "c.yaml:1:11: prompts.sections: unknown key; the keys here are: identity, question, init, farewell, summary, reflection, subagent, compress, overflow, consolidate, empty, at_limit, at_length, identity_file"},
		// CFG-12
		{"context beyond the window", "limits: {context_tokens: 9000}\n", "c.yaml:1:26: limits.context_tokens: 9000 tokens do not fit a window of 8192 (brain.num_ctx); leave the key out to fill the window"},
		{"own length beyond the window", "brain: {max_tokens: 8192}\n", "c.yaml:1:21: brain.max_tokens: an answer of 8192 tokens leaves no room for a prompt in a window of 8192 (brain.num_ctx)"},

		{"listens everywhere", "comm:\n  http: 0.0.0.0:8080\n", `c.yaml:2:9: comm.http: "0.0.0.0:8080" is not a loopback address; shelly listens on loopback only: use 127.0.0.1:8080, [::1]:8080 or off`},
		{"listens everywhere, in short", "comm: {udp: ':8080'}\n", `c.yaml:1:13: comm.udp: ":8080" is not a loopback address; shelly listens on loopback only: use 127.0.0.1:8080, [::1]:8080 or off`},
		{"listens on a name", "comm: {udp: 'example.com:80'}\n", `c.yaml:1:13: comm.udp: "example.com:80" is not a loopback address; shelly listens on loopback only: use 127.0.0.1:80, [::1]:80 or off`},
		{"port out of range", "comm: {http: '127.0.0.1:99999'}\n", `c.yaml:1:14: comm.http: "99999" is not a port; ports are 0 to 65535`},
		{"no port", "comm: {http: 127.0.0.1}\n", `c.yaml:1:14: comm.http: wants HOST:PORT such as 127.0.0.1:7433, or off, not "127.0.0.1"`},
		{"address of another kind", "brain: {url: 'ftp://x'}\n", "c.yaml:1:14: brain.url: wants the address of a server such as http://127.0.0.1:11434; ftp:// is neither http:// nor https://"},
		{"address of a collector", "telemetry: {traces: 'ftp://x'}\n", "c.yaml:1:21: telemetry.traces: wants the address of a server such as http://127.0.0.1:8080; ftp:// is neither http:// nor https://"},
		{"password that is no part of an address", "telemetry: {traces: 'http://me:[hush]@x'}\n", "c.yaml:1:21: telemetry.traces: wants the address of a server such as http://127.0.0.1:8080; in its name or password, write characters other than letters, digits and -._~ as codes, such as %5B for ["},
		{"password in a bad address", "telemetry: {traces: 'http://me:hush@[x'}\n", "c.yaml:1:21: telemetry.traces: wants the address of a server such as http://127.0.0.1:8080"},
		{"password for a server", "brain: {url: 'http://me:hush@x'}\n", "c.yaml:1:14: brain.url: wants the address of a server such as http://127.0.0.1:11434, without a name or password"},
		{"password for a server that is only a host", "brain: {url: 'me:hush@x'}\n", "c.yaml:1:14: brain.url: wants the address of a server such as http://127.0.0.1:11434, without a name or password"},
		{"workspace is the root", "workspace: /\n", "c.yaml:1:12: workspace: / is the whole file system; name a folder in it"},
		{"data is the workspace", "workspace: /x\ndata: /x/\n", "c.yaml:2:7: data: is also the workspace; give shelly's data a folder of its own"},
		{"answer as long as the window", "brain: {num_ctx: 1024, num_predict: 1024}\n", "c.yaml:1:37: brain.num_predict: an answer of 1024 tokens leaves no room for a prompt in a window of 1024 (brain.num_ctx)"},
		{"question without the marker", "profile: shelly\nprompts: {question: Well?}\n", "c.yaml:2:21: prompts.question: does not name the marker NEED: that asks for memory, and neither does the system prompt"},
		{"identity twice", "prompts: {identity: a, identity_file: b}\n", "c.yaml:1:39: prompts.identity_file: cannot be given together with prompts.identity; choose one"},
		{"identity file missing", "prompts: {identity_file: /no/such}\n", `c.yaml:1:26: prompts.identity_file: "/no/such": no such file`},
		{"escape in a value", "brain: {model: \"a\\e[31m\"}\n", "c.yaml:1:16: brain.model: holds a control character"},
		{"escape in a key", "\"a\\e[31m\": x\n", `c.yaml:1:1: "a\x1b[31m": unknown key; the keys here are: profile, data, workspace, init, about, brain, switches, limits, prompts, tools, skills, comm, events, channels, request_bytes_max, reserve, retention, memory, log, telemetry`},

		{"empty", "", "c.yaml:1:1: is empty; delete the file or give it a key"},
		{"tab", "limits:\n\tmax_queue: 3\n", "c.yaml:2:1: a tab used for indentation; use spaces"},
		{"colon forgotten", "data: /a\ninit off\nlog: {level: info}\n", "c.yaml:2:1: expected `key: value`"},
		{"bracket never closed", "data: [hello\ninit: off\n", "c.yaml:1:7: unclosed ["},
		{"brace never closed", "log: {level: info\ninit: off\n", "c.yaml:1:6: unclosed {"},
		{"quote never closed", "data: \"hello\ninit: off\n", "c.yaml:1:7: unclosed quote"},
		{"wrong indentation", "data: /a\n init: off\n", "c.yaml:2:6: a second `:` or a wrong indentation; quote the text, or line the key up with its neighbours"},
		{"second document", "init: off\n---\ninit: off\n", "c.yaml:2:1: a second document begins; a configuration is one document"},
		{"alias", "data: &d /a\nworkspace: *d\n", "c.yaml:2:12: workspace: aliases are not supported; write the value out"},
		{"alias bomb", "a: &a [x,x]\nb: &b [*a,*a]\nlog: *b\n", "c.yaml:1:1: a: unknown key; the keys here are: profile, data, workspace, init, about, brain, switches, limits, prompts, tools, skills, comm, events, channels, request_bytes_max, reserve, retention, memory, log, telemetry\nc.yaml:2:1: b: unknown key; the keys here are: profile, data, workspace, init, about, brain, switches, limits, prompts, tools, skills, comm, events, channels, request_bytes_max, reserve, retention, memory, log, telemetry\nc.yaml:3:6: log: aliases are not supported; write the values out"},
		{"merge key", "limits:\n  <<: {grace: 5s}\n", "c.yaml:2:3: limits: merge keys (<<) are not supported; write the keys out"},
		{"tag", "data: !env HOME\n", "c.yaml:1:7: data: tags (!env) are not supported; remove it"},
		{"control character", "data: a\n\x1b[31m: x\n", "c.yaml:2:1: control character U+001B; remove it, or write it as \\x1b in double quotes"},
		{"not UTF-8", "data: /caf\xe9\n", "c.yaml:1:11: byte 0xe9 is not UTF-8; save the file as UTF-8"},
		{"UTF-16", string(unbase64("//5uAGEAbQBlAA==")), "c.yaml:1:1: byte 0xff is not UTF-8; save the file as UTF-8"},
		{"nested too deep", strings.Repeat("[", 20000), "c.yaml:1:10001: nested too deep; the limit is 40"},
		{"too large", strings.Repeat("# comment\n", 500_000), "c.yaml: is too large; the limit is 4096 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.File = w.write("c.yaml", c.yaml)
			if got := w.complaint(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func unbase64(text string) []byte {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

func TestCFG3AllErrorsAreReportedAtOnceInOrder(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "limits:\n  grace: soon\n  max_queu: 3\nlog: {level: loud}\n")
	w.Environ = []string{"SHELLY_LIMITS_MAX_QUEU=3", "SHELLY_BRAIN_NUM_CTX=x"}
	w.Overrides = []config.Override{{Flag: "--model", Key: "brain.modle", Value: "x"}, {Flag: "--set", Key: "log", Value: "x"}, {Flag: "--set", Key: "tools.approve.exec", Value: "always"}}
	want := `c.yaml:2:10: limits.grace: wants a duration such as 60s or 5m, not "soon"
c.yaml:3:3: limits.max_queu: unknown key; did you mean max_queue?
c.yaml:4:14: log.level: "loud" is not one of debug, info, warn, error
environment SHELLY_LIMITS_MAX_QUEU: unknown variable; did you mean SHELLY_LIMITS_MAX_QUEUE?
environment SHELLY_BRAIN_NUM_CTX: brain.num_ctx: wants a plain whole number, not "x"
flag --model: brain.modle: unknown key; did you mean model?
flag --set: log: is a section; its keys are: level, format, keep
flag --set: tools.approve.exec: unknown key; tools.approve is one value: give all of it at once`
	if got := w.complaint(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOverriddenValueMustBeRightAllTheSame(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "limits: {max_queue: none}\n")
	w.Overrides = []config.Override{{Flag: "--set", Key: "limits.max_queue", Value: "3"}}
	if got := w.complaint(); !strings.HasPrefix(got, "c.yaml:1:21: limits.max_queue: ") {
		t.Errorf("got %s; want it to begin with %q", got, "c.yaml:1:21: limits.max_queue: ")
	}
}

func TestUnknownVariableIsAnErrorAndKeepsItsValue(t *testing.T) {
	w := newWorld(t)
	w.Environ = []string{"SHELLY_TOKN=hush", "SHELLY_TOKN=again", "SHELLY_TOKEN=hush", "PATH=/bin"}
	want := "environment SHELLY_TOKN: unknown variable; a key such as brain.model is SHELLY_BRAIN_MODEL"
	if got := w.complaint(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// What all variables begin with is not a likeness.
func TestCFG3AVariableThatIsLikeNoneHasNoneSuggested(t *testing.T) {
	for name, want := range map[string]string{ // order-free: each for itself
		"SHELLY_CONFIG":      "a key such as brain.model is SHELLY_BRAIN_MODEL",
		"SHELLY_BRAIN":       "a key such as brain.model is SHELLY_BRAIN_MODEL",
		"SHELLY_DAT":         "did you mean SHELLY_DATA?",
		"SHELLY_brain_model": "did you mean SHELLY_BRAIN_MODEL?",
		"SHELLY_BRIAN_MODL":  "did you mean SHELLY_BRAIN_MODEL?",
	} {
		w := newWorld(t)
		w.Environ = []string{name + "=x"}
		if got, want := w.complaint(), "environment "+name+": unknown variable; "+want; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestNamedFileMustBeAReadableFile(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"missing", func(string) error { return nil }, "c.yaml: no such file"},
		{"directory", func(path string) error { return os.Mkdir(path, 0o755) }, "c.yaml: is a directory, not a file"},
		{"named pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }, "c.yaml: is a FIFO, not a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.File = filepath.Join(w.dir, "c.yaml")
			if err := c.make(w.File); err != nil {
				t.Fatal(err)
			}
			if got := w.complaint(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestCurrentFolderMustBeAbsolute(t *testing.T) {
	if _, err := config.Load(config.Sources{Dir: "x"}); err == nil {
		t.Error("no error")
	}
}

func TestRootAsCurrentFolderNeedsAWorkspace(t *testing.T) {
	_, err := config.Load(config.Sources{Dir: "/", Home: "/home/a"})
	if err == nil || err.Error() != "default: workspace: / is the whole file system; name a folder in it" {
		t.Errorf("got %v; want %q", err, "default: workspace: / is the whole file system; name a folder in it")
	}
}

// A command that uses no workspace may be run anywhere; a workspace that is configured is checked.
func TestCLI220OnlyAConfiguredWorkspaceIsCheckedWhereNoneIsUsed(t *testing.T) {
	for _, c := range []struct{ dir, workspace, wrong string }{
		{"/", "", ""}, {"/home/a/.local/share/shelly", "", ""},
		{"/", "/", "workspace: / is the whole file system"}, {"/", "/home/a/.local/share/shelly", "data: is also the workspace"},
	} {
		s := config.Sources{Dir: c.dir, Home: "/home/a", Anywhere: true}
		if c.workspace != "" {
			s.Overrides = []config.Override{{Flag: "--workspace", Key: "workspace", Value: c.workspace}}
		}
		if _, err := config.Load(s); (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("in %s with %q: error %v, want %q", c.dir, c.workspace, err, c.wrong)
		}
		if s.Anywhere = false; c.workspace == "" {
			if _, err := config.Load(s); err == nil {
				t.Errorf("a command that works in %s is not refused", c.dir)
			}
		}
	}
}

func TestCFG3OnlyAnOllamaServerIsNamedWithoutAScheme(t *testing.T) {
	for _, key := range []string{"telemetry.traces", "tools.web.search.url"} {
		w := newWorld(t)
		w.Overrides = []config.Override{{Flag: "--set " + key, Key: key, Value: "127.0.0.1"}}
		_, err := config.Load(w.Sources)
		if want := "flag --set " + key + ": " + key + ": wants an address that begins with http:// or https://"; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", key, err, want)
		}
		w.Overrides[0].Value = "http://127.0.0.1:4318/v1/traces"
		if _, err := config.Load(w.Sources); err != nil {
			t.Errorf("%s: got %v; want no error", key, err)
		}
	}
}
