package file

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/runtime/config"
	"shelly/runtime/tool"
)

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*Options)
	}{
		{"no workspace", "no such file or directory", func(o *Options) { o.Workspace += "/nowhere" }},
		{"a file as workspace", "not a directory", func(o *Options) { o.Workspace += "/notes.txt" }},
		{"short results", "the least is 1024", func(o *Options) { o.ResultBytesMax = 1023 }},
		{"short reads", "the least is 4096", func(o *Options) { o.ReadBytesMax = 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newWorld(t).options
			c.change(&o)
			if _, err := Open(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestTOL2BadArgumentsAreAClearResult(t *testing.T) {
	const usage = "; read_file takes: path (a string, required), column (a whole number from 0 on), limit (a whole number from 0 on), numbers (true or false), offset (a whole number from 0 on)"
	for _, c := range []struct{ args, want string }{
		{`{"path": "notes.txt"`, "the arguments are not JSON (unexpected end of JSON input)" + usage},
		{`{"path": "a"} {}`, "the arguments are not JSON (invalid character '{' after top-level value)" + usage},
		{``, "argument path is missing" + usage},
		{`null`, "argument path is missing" + usage},
		{`["notes.txt"]`, "the arguments are a list, not a JSON object" + usage},
		{`7`, "the arguments are 7, not a JSON object" + usage},
		{`"notes.txt"`, "the arguments are a text, not a JSON object" + usage},
		{`{"file": "notes.txt"}`, `unknown argument "file"; argument path is missing` + usage},
		{`{"path": null}`, "argument path must be a string, not null" + usage},
		{`{"path": 3}`, "argument path must be a string, not 3" + usage},
		{`{"path": ["a"]}`, "argument path must be a string, not a list" + usage},
		{`{"path": {"a": 1}}`, "argument path must be a string, not an object" + usage},
		{`{"path": "a", "offset": "two"}`, `argument offset must be a whole number from 0 on, not the text "two"` + usage},
		{`{"path": "a", "offset": "-1"}`, `argument offset must be a whole number from 0 on, not the text "-1"` + usage},
		{`{"path": "a", "numbers": "1"}`, `argument numbers must be true or false, not the text "1"` + usage},
		{`{"path": "a", "offset": 1.5}`, "argument offset must be a whole number from 0 on, not 1.5" + usage},
		{`{"path": "a", "offset": -1}`, "argument offset must be a whole number from 0 on, not -1" + usage},
		{`{"path": "a", "limit": true}`, "argument limit must be a whole number from 0 on, not true" + usage},
	} {
		t.Run(c.args, func(t *testing.T) {
			got := newWorld(t).runner().Run(guard(t), fsm.RunTool{Name: "read_file", Args: c.args})
			same(t, fsm.ToolAnswered{Text: c.want, Failed: true, Nothing: true, Invalid: true}, got)
		})
	}
}

func TestHarmlessFormsOfArgumentsAreTaken(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"list_dir", ``, "notes.txt  24 bytes\n"},
		{"list_dir", ` `, "notes.txt  24 bytes\n"},
		{"list_dir", `null`, "notes.txt  24 bytes\n"},
		{"list_dir", `""`, "notes.txt  24 bytes\n"},
		{"list_dir", `{}`, "notes.txt  24 bytes\n"},
		{"list_dir", `{"recursive": true}`, "ignored: unknown argument \"recursive\"; list_dir takes: dates (true or false), depth (a whole number from 0 to 10), path (a string)\nbuild/\n"},
		{"list_dir", `{"recursive": null}`, "notes.txt  24 bytes\n"},
		{"list_dir", `{"path": ""}`, "notes.txt  24 bytes\n"},
		{"list_dir", `{"path": null}`, "notes.txt  24 bytes\n"},
		{"read_file", `"{\"path\": \"notes.txt\"}"`, "alpha\n"},
		{"read_file", `{"path": "notes.txt", "offset": null, "limit": 3.0}`, "alpha\n"},
		{"read_file", `{"path": "notes.txt", "offset": "2", "limit": " 1 "}`, "beta format\n"},
		{"read_file", `{"path": "notes.txt", "offset": "", "limit": "None", "column": "null"}`, "alpha\n"},
		{"read_file", `{"path": "notes.txt", "offset": 0, "limit": 0, "column": 0}`, "alpha\n"},
		{"read_file", `{"path": "notes.txt", "numbers": "True"}`, "1: alpha\n"},
		{"list_dir", `{"depth": 0}`, "notes.txt  24 bytes\n"},
		{"edit_file", `{"path": "notes.txt", "edits": "[{\"old\": \"beta\", \"new\": \"x\"}]"}`, "+x format\n"},
		{"edit_file", `{"path": "notes.txt", "edits": {"old": "beta", "new": "x"}}`, "+x format\n"},
	} {
		t.Run(c.tool+c.args, func(t *testing.T) {
			got := newWorld(t).runner().Run(guard(t), fsm.RunTool{Name: c.tool, Args: c.args})
			if got.Failed || !strings.Contains(got.Text, c.want) {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

func TestUnknownToolNamesTheTools(t *testing.T) {
	want := fsm.ToolAnswered{Text: `there is no tool "rm"; the tools are: read_file, write_file, edit_file, list_dir, grep, glob`, Failed: true, Nothing: true, Invalid: true}
	same(t, want, newWorld(t).call("rm", nil))
}

// Whatever the model sends to the file tools, it gets a clean, bounded result
// that shows nothing from outside (TOL-2, TOL-3, TOL-4).
func TestRunIsTotal(t *testing.T) {
	w := newWorld(t)
	w.symlink(filepath.Join(w.outside, "canary.txt"), "lnk.txt")
	r := w.runner()
	ctx := guard(t)
	part := rapid.SampledFrom([]string{"..", ".", "", "~", "src", "notes.txt", "link_out", "lnk.txt", "canary.txt", "outside", "\x00", "\xff", "…", "/", w.outside, w.workspace})
	rapid.Check(t, func(t *rapid.T) {
		path := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "path"), "/")
		valid, err := json.Marshal(map[string]string{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		args := rapid.OneOf(rapid.Just(string(valid)), rapid.String()).Draw(t, "args")
		name := rapid.SampledFrom([]string{"read_file", "list_dir", "exec", "\x1b"}).Draw(t, "name")
		got := r.Run(ctx, fsm.RunTool{Name: name, Args: args})
		switch {
		case got.Text == "":
			t.Fatal("no text")
		case tool.Mend(got.Text) != got.Text || len(got.Text) > w.options.ResultBytesMax:
			t.Fatalf("not clean or too long: %q", got.Text)
		case strings.Contains(got.Text, secret):
			t.Fatalf("shows what is outside: %q", got.Text)
		}
	})
}

// Each file tool has a schema against which its calls are checked.
func TestTOL2EachFileToolHasItsSchema(t *testing.T) {
	added, err := newWorld(t).tools().Added()
	if err != nil || len(added) == 0 {
		t.Fatalf("%d tools, %v", len(added), err)
	}
	for _, a := range added {
		if got := a.Run(t.Context(), fsm.RunTool{Name: a.Decl.Name, Args: "[]"}); !got.Invalid || strings.Contains(got.Text, "schema of") {
			t.Errorf("%s: %+v; want that its arguments are no object", a.Decl.Name, got)
		}
	}
}

// A profile offers the tools that its document names.
func TestTOL31OnlyTheNamedToolsAreOffered(t *testing.T) {
	w := newWorld(t)
	w.options.Offered = []string{"grep", "read_file"}
	var names []string
	for _, d := range w.runner().Declarations() {
		names = append(names, d.Name)
	}
	same(t, []string{"read_file", "grep"}, names)
	if got := w.call("write_file", object{"path": "x", "content": "x"}); !got.Invalid {
		t.Errorf("one that is not offered: %+v", got)
	}
	w.options.Offered = []string{"read_fil"}
	if _, err := w.tools().Added(); !errors.Is(err, ErrNoTool) || !strings.Contains(err.Error(), `"read_fil"; there are: read_file, write_file,`) {
		t.Errorf("a wrong name: %v", err)
	}
	for _, name := range profile.Names() {
		for _, offered := range config.Builtin(name).Tools.Files {
			if !slices.Contains(Names(), offered) {
				t.Errorf("%s offers %s, which is no tool", name, offered)
			}
		}
	}
	if got := config.Builtin("default").Tools.Files; !slices.Equal(got, Names()) {
		t.Errorf("default offers %q", got)
	}
}

// The declarations are short, because a small model reads them before every conversation (TOL-1).
func TestTOL1DeclarationsAreShort(t *testing.T) {
	for _, d := range Declarations() {
		if n := len(d.Description) + len(d.Parameters); n > 720 {
			t.Errorf("%s has %d bytes", d.Name, n)
		}
		if d.Source != fsm.FromWorkspace {
			t.Errorf("%s has the source %v", d.Name, d.Source)
		}
	}
}
