package custom

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/tree"
)

func TestMain(m *testing.M) {
	tree.Supervise()
	os.Exit(m.Run())
}

// world is a workspace with one program, a shell script.
type world struct {
	t    *testing.T
	dir  string
	spec sandbox.Spec // of the last start
}

func newWorld(t *testing.T, script string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tool.sh"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return &world{t: t, dir: dir}
}

// Run implements [Sandbox], and notes what is run.
func (w *world) Run(ctx context.Context, s sandbox.Spec) (sandbox.End, error) {
	w.spec = s
	k := sandbox.Uncontained(sandbox.Options{Trees: tree.New(filepath.Join(w.t.TempDir(), "processes")), Workspace: w.dir})
	return k.Run(ctx, s)
}

// Rung implements [Sandbox].
func (w *world) Rung() sandbox.Rung { return sandbox.None }

func (w *world) options() Options {
	return Options{Sandbox: w, Workspace: w.dir, ResultBytesMax: 4 << 10}
}

func (w *world) tool(p Program) tool.Added {
	w.t.Helper()
	p.Name, p.Command = "weather", append([]string{"./tool.sh"}, p.Command...)
	if p.Timeout == 0 {
		p.Timeout = 20 * time.Second
	}
	added, err := Tool(w.options(), p)
	if err != nil {
		w.t.Fatal(err)
	}
	return added
}

func (w *world) call(p Program, args string) tool.Result {
	w.t.Helper()
	return w.tool(p).Run(w.t.Context(), fsm.RunTool{Name: "weather", Args: args, Key: "key-1"})
}

// The program continues only once its first words, on both outputs, have been received.
func TestTOL50AProgramIsHeardBeforeItEnds(t *testing.T) {
	w := newWorld(t, `echo begun; echo aside >&2; until [ -e heard ]; do sleep 0.01; done; echo ended`)
	var heard strings.Builder
	ctx := tool.Follow(t.Context(), func(part string) {
		heard.WriteString(part)
		if strings.Contains(heard.String(), "begun\n") && strings.Contains(heard.String(), "aside\n") {
			if err := os.WriteFile(filepath.Join(w.dir, "heard"), nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	if got := w.tool(Program{}).Run(ctx, fsm.RunTool{Name: "weather", Args: `{}`, Key: "key-1"}); got.Failed || got.Text != "begun\nended" {
		t.Errorf("the result is %+v", got)
	}
}

const place = `{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}`

func TestTOL81AProgramGetsArgumentsAndAnswers(t *testing.T) {
	w := newWorld(t, `read -r line; echo "got $line as $SHELLY_CALL with $1 and $EXTRA in $(pwd)"; echo aside >&2`)
	got := w.call(Program{Schema: place, Command: []string{"--now"}, Env: []string{"EXTRA=more"}}, `{"place": "Oslo"}`)
	if want := `got {"place":"Oslo"} as key-1 with --now and more in ` + w.dir; got.Failed || got.Text != want || got.Contained != "none" {
		t.Errorf("got %+v, want %q", got, want)
	}
	if w.spec.Network || w.spec.ReadOnly {
		t.Errorf("it is run as %+v", w.spec)
	}
	if got := w.call(Program{Schema: place}, `{"place": 7}`); !got.Invalid || !strings.Contains(got.Text, "argument place must be a string") {
		t.Errorf("a wrong argument: %+v", got)
	}
}

func TestTOL81ALongNumberIsNotRounded(t *testing.T) {
	w := newWorld(t, `read -r line; echo "$line"`)
	const schema = `{"type":"object","properties":{"id":{"type":"integer"}}}`
	if got := w.call(Program{Schema: schema}, `{"id": 1234567890123456789}`); got.Failed || got.Text != `{"id":1234567890123456789}` {
		t.Errorf("got %+v; want Text %q", got, `{"id":1234567890123456789}`)
	}
}

func TestTOL81AProgramThatReadsNothingAndSaysNothing(t *testing.T) {
	w := newWorld(t, "exit 0")
	large := `{"place": "` + strings.Repeat("x", 200_000) + `"}` // more than a pipe holds
	if got := w.call(Program{Schema: place}, large); got.Failed || got.Text != "(no output)" {
		t.Errorf("got %+v; want Text %q", got, "(no output)")
	}
}

func TestTOL81HowAProgramFails(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		timeout time.Duration
		want    string
		final   bool
	}{
		"a code":     {"echo partly; echo no such place >&2; exit 3", 0, "weather failed with exit code 3\nno such place\npartly", true},
		"not now":    {"exit 75", 0, "weather failed with exit code 75", false},
		"a signal":   {"kill -9 $$", 0, "weather was ended by signal", false},
		"a time-out": {"echo begun; sleep 600", 2 * time.Second, "weather was ended after 2s (tools.custom.weather.timeout); output until then:\nbegun", false},
	} {
		w := newWorld(t, c.script)
		if got := w.call(Program{Timeout: c.timeout}, ""); !got.Failed || got.Nothing || got.Invalid != c.final || !strings.HasPrefix(got.Text, c.want) {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// The mark says how much there was, and is not cut itself.
func TestTOL81AnOutputWithoutEndIsCut(t *testing.T) {
	const long = "head -c 1000000 /dev/zero | tr '\\0' x"
	for script, want := range map[string]string{
		long:                             "[996160 more bytes are cut]",
		"(" + long + ") >&2; exec false": "[998080 more bytes are cut]",
		"(" + long + ") | tee /dev/stderr; exec false": "[998109 more bytes are cut]",
		strings.Replace(long, " x", " '\\377'", 1):     "[998720 more bytes are cut]",
	} {
		w := newWorld(t, script)
		r, err := tool.New(tool.Options{Workspace: w.dir, ResultBytesMax: w.options().ResultBytesMax, Added: []tool.Added{w.tool(Program{})}})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Run(t.Context(), fsm.RunTool{Name: "weather"})
		if len(got.Text) > w.options().ResultBytesMax || !strings.HasSuffix(got.Text, want) || strings.Contains(got.Text, "in all") {
			t.Errorf("%s: %d bytes, … %q", script, len(got.Text), got.Text[max(0, len(got.Text)-100):])
		}
	}
}

func TestTOL81AProgramIsDeclaredAsConfigured(t *testing.T) {
	w := newWorld(t, "exit 0")
	d := w.tool(Program{Description: "The weather.", Effects: fsm.EffectsNone}).Decl
	if d.Name != "weather" || d.Description != "The weather." || d.Effects != fsm.EffectsNone || d.Source != 0 {
		t.Errorf("declared is %+v", d)
	}
	if d := w.tool(Program{}).Decl; d.Effects != fsm.EffectsUnsafe || d.Parameters != noArguments {
		t.Errorf("declared is %+v", d)
	}
}

func TestTOL80AMissingProgramIsNamed(t *testing.T) {
	w := newWorld(t, "exit 0")
	if err := os.WriteFile(filepath.Join(w.dir, "data"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"no-such-program": `tools.custom.x.command: there is no program "no-such-program" in /usr/local/bin:/usr/bin:/bin`,
		"./none.sh":       w.dir + "/none.sh: there is no such program",
		"./data":          "chmod +x",
		w.dir + "/":       "it is a folder",
	} {
		if _, err := Tool(w.options(), Program{Name: "x", Command: []string{command}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
}

func TestTOL82AProbeSaysWhatCameOfACall(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   tool.Found
	}{
		"done":       {`read -r l; printf '{"answer":"done","result":"%s of %s"}' "$1" "$SHELLY_CALL"`, tool.Found{Answer: fsm.ProbeDone, Text: "--was of key-1"}},
		"a long one": {`printf '{"answer":"done","result":"%05000d"}' 0`, tool.Found{Answer: fsm.ProbeDone, Text: strings.Repeat("0", 5000)}},
		"failed":     {`echo '{"answer":"done","result":"no such place","failed":true}'`, tool.Found{Answer: fsm.ProbeDone, Text: "no such place", Failed: true}},
		"never":      {`echo '{"answer":"never","final":true}'`, tool.Found{Answer: fsm.ProbeNever, Final: true}},
		"not final":  {`echo '{"answer":"never"}'`, tool.Found{Answer: fsm.ProbeNever}},
		"unsure":     {`echo '{"answer":"unsure"}'`, tool.Found{Answer: fsm.ProbeUnsure, Text: "the probe does not know"}},
		"other word": {`echo '{"answer":"yes"}'`, tool.Found{Answer: fsm.ProbeUnsure, Text: "the probe does not know"}},
		"no JSON":    {`echo done`, tool.Found{Answer: fsm.ProbeUnsure, Text: "the probe did not answer with a JSON object"}},
		"a failure":  {`echo '{"answer":"done"}'; exit 1`, tool.Found{Answer: fsm.ProbeUnsure, Text: "the probe failed with exit code 1"}},
	} {
		w := newWorld(t, c.script)
		added := w.tool(Program{Schema: place, Probe: []string{"./tool.sh", "--was"}})
		got := added.Probe(t.Context(), fsm.RunProbe{Name: "weather", Args: `{"place": "Oslo"}`, Key: "key-1"})
		if got != c.want || !w.spec.ReadOnly {
			t.Errorf("%s: %+v, want %+v; run as %+v", name, got, c.want, w.spec)
		}
	}
	w := newWorld(t, "sleep 600")
	added := w.tool(Program{Schema: place, Probe: []string{"./tool.sh"}, Timeout: time.Second})
	slow := added.Probe(t.Context(), fsm.RunProbe{Name: "weather", Args: `{"place": "Oslo"}`, Key: "key-1"})
	if want := (tool.Found{Answer: fsm.ProbeUnsure, Text: "the probe gave no answer within 1s"}); slow != want {
		t.Errorf("got %+v, want %+v", slow, want)
	}
	w = newWorld(t, "exit 0")
	if _, err := Tool(w.options(), Program{Name: "x", Command: []string{"./tool.sh"}, Probe: []string{"none"}}); err == nil || !strings.Contains(err.Error(), "tools.custom.x.probe: there is no program") {
		t.Errorf("a probe that is missing: %v", err)
	}
}

// A program's probe gets what the program got, in whatever form the model has written it.
func TestTOL82AProbeGetsTheInputOfItsProgram(t *testing.T) {
	const schema = `{"type":"object","properties":{"place":{"type":"string"}}}`
	for _, args := range []string{"", "null", `"{\"place\":\"Oslo\"}"`, `{"place":null}`} {
		w := newWorld(t, `read -r line; [ $# = 0 ] || exec printf '{"answer":"done","result":"%s"}' "$(echo "$line" | tr -d '"')"; echo "$line" | tr -d '"'`)
		added := w.tool(Program{Schema: schema, Probe: []string{"./tool.sh", "--was"}})
		ran := added.Run(t.Context(), fsm.RunTool{Name: "weather", Args: args, Key: "key-1"})
		found := added.Probe(t.Context(), fsm.RunProbe{Name: "weather", Args: args, Key: "key-1"})
		if want := (tool.Found{Answer: fsm.ProbeDone, Text: ran.Text}); ran.Failed || found != want {
			t.Errorf("%s: the program got %+v, its probe %+v", args, ran, found)
		}
	}
}

// ended is a sandbox in which every program ends in the same way.
type ended sandbox.End

// Run implements [Sandbox].
func (e ended) Run(_ context.Context, s sandbox.Spec) (sandbox.End, error) {
	_, err := s.Out.Write([]byte("out\n"))
	return sandbox.End(e), err
}

// Rung implements [Sandbox].
func (e ended) Rung() sandbox.Rung { return sandbox.None }

// What exec reports of a command's remains is reported of a program's too (TOL-11, TOL-45).
func TestTOL81AResultSaysWhatRemains(t *testing.T) {
	for want, end := range map[string]sandbox.End{
		"out\n[still running, and cannot be ended: [7 (sleep)]]":                                                                                                      {End: tree.End{Exited: true, Left: []tree.Process{{PID: 7, Name: "sleep"}}}},
		"out\n[removed after the command, since git would look elsewhere by it for what it runs: x/.git/commondir]":                                                   {End: tree.End{Exited: true}, Removed: []string{"x/.git/commondir"}},
		"out\n[the workspace has more than 100000 entries or 300 git folders, or long configurations of git, so not every repository was protected from the command]": {End: tree.End{Exited: true}, Partly: true},
		"weather was ended because the disk had filled by more than is allowed (tools.exec.disk), whoever has written there\nout":                                     {DiskFull: true}, // TOL-44
		"weather was ended together with its supervisor; output until then:\nout":                                                                                     {End: tree.End{Lost: true}},
	} {
		w := newWorld(t, "exit 0")
		o := w.options()
		o.Sandbox = ended(end)
		added, err := Tool(o, Program{Name: "weather", Command: []string{"./tool.sh"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := added.Run(t.Context(), fsm.RunTool{Name: "weather"}); got.Text != want {
			t.Errorf("got %q, want %q", got.Text, want)
		}
	}
}
