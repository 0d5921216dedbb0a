package scenario

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/fsm/wording"
	"shelly/sim/scenario/casetest"
	"shelly/sim/strict"
)

// Files as people break them: each error says where, which key, what is wrong and
// what is allowed, on one line that is safe to print. The ids are those of a corpus
// of broken files, in whose words the faults are put here.
func TestSCN2ABrokenFileSaysWhereAndWhatIsWrong(t *testing.T) {
	const rest = "expect: {ends: serving}\n"
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for _, c := range "bcdefghi" {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "]\n"
	}
	text := func(lines ...string) fstest.MapFS {
		return folder(map[string]string{"x/x.scenario.yaml": strings.Join(lines, "\n") + "\n"})
	}
	with := func(fsys fstest.MapFS, name, text string) fstest.MapFS {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
		return fsys
	}
	tests := []struct {
		name string
		fsys fstest.MapFS
		want []string
	}{
		{"y005 empty file", text(""), []string{":1:1: is empty", "begins with scenario: 1"}},
		{"y009 tab as indentation", text("scenario: 1", "name: hello", "brain:", "\t- says: hello"), []string{":4:1: a tab", "use spaces"}},
		{"y011 colon forgotten", text("scenario: 1", "name hello", "brain: []"), []string{":2:1: expected `key: value`"}},
		{"y012 bracket never closed", text("scenario: [1", "name: hello"), []string{":1:11: unclosed ["}},
		{"y013 quote never closed", text(`name: "hello`, "scenario: 1", "brain: []"), []string{":1:7: unclosed quote"}},
		{"y015 nested key given twice", text("scenario: 1", "name: x", "brain:", "  - thinks: a", "    says: hello", "    says: bye", rest), []string{":6:5: brain[0].says: already given on line 5"}},
		{"y017 misspelled nested key", text("scenario: 1", "name: x", "brain:", "  - sayz: hello", rest), []string{":4:5: brain[0].sayz: unknown key sayz; did you mean says?"}},
		{"y018 wrong letter case", text("scenario: 1", "Name: x", rest), []string{":2:1: Name: unknown key Name; did you mean name?"}},
		{"y019 blank in a key", text("scenario: 1", "memory file: x", rest), []string{":2:1: ", "unknown key memory file; did you mean memory_file?"}},
		{"y026 infinite", text("clock: {start: \"2026-01-05T09:00:00Z\",", "  until: .inf}", "scenario: 1", "name: x", rest), []string{":2:10: clock.until: wants a duration such as 300s"}},
		{"y031 octal surprise", text("scenario: 1", "name: x", "config: {max_tool_rounds: 0o17}", rest), []string{":3:27: config.max_tool_rounds: write the number 0o17 in plain decimal"}},
		{"y032 number as text", text("scenario: 1", "name: x", "config: {max_tool_rounds: \"7\"}", rest), []string{":3:27: config.max_tool_rounds: wants a whole number, not text"}},
		{"y033 number for a name", text("name: 12", "scenario: 1", rest), []string{":1:7: name: wants text, not the number 12; quote it"}},
		{"y036 empty name", text("name: ''", "scenario: 1", rest), []string{":1:1: name: is empty"}},
		{"y038 name missing", text("scenario: 1", rest), []string{":1:1: the key name is missing"}},
		{"y043 empty moment", text("scenario: 1", "name: x", "timeline: [{}]", rest), []string{":3:12: timeline[0]: is empty", "the keys here are: at, user"}},
		{"y046 list at the top", text("- a", "- b"), []string{":1:1: a scenario is a map, found a list"}},
		{"y052 bad regular expression", text("scenario: 1", "name: x", "brain:", "  - {says: a, sees: {last: {$regex: '['}}}", rest), []string{":4:37: brain[0].sees.last.$regex: is not a valid regular expression: missing closing ]"}},
		{"y053 regular expression that would be slow elsewhere", text("scenario: 1", "name: x", "brain:", "  - {says: a, sees: {last: {$regex: '(a+)+$'}}}", rest), nil},
		{"y057 includes itself", text("scenario: 1", "include: x.scenario.yaml"), []string{":2:10: include: include cycle: x.scenario.yaml -> x.scenario.yaml"}},
		{"y058 cycle of two", with(with(text("scenario: 1", "include: a.yaml"), "x/a.yaml", "include: b.yaml\n"), "x/b.yaml", "include: a.yaml\n"), []string{":2:10: include: include cycle: a.yaml -> b.yaml -> a.yaml"}},
		{"y060 absolute include", text("name: x", "include: /etc/passwd"), []string{":2:10: include: wants a relative path"}},
		{"y062 include by address", text("name: x", "include: https://example.com/a.yaml"), []string{":2:10: include: wants a file path"}},
		{"y063 include of a device", text("name: x", "include: /dev/zero"), []string{":2:10: include: wants a relative path"}},
		{"y065 alias bomb", text("scenario: 1", "name: x", bomb+"memory_file: *i"), []string{"memory_file: wants text, not a list"}},
		{"y065 alias bomb where data is allowed", text("scenario: 1", "name: x", bomb+"world: {a: *i}"), []string{"aliases and variables written out; the limit is 20000"}},
		{"y068 merge key", text("about: &d {name: a}", "scenario: 1", "name: x", "<<: *d", rest), []string{":4:1: merge keys (<<) are not supported; write the keys out"}},
		{"y072 number used as a key", text("name: x", "1: y", "scenario: 1", rest), []string{":2:1: 1: unknown key 1; allowed: scenario, name"}},
		{"y074 UTF-16", text("\xff\xfen\x00a\x00"), []string{":1:1: byte 0xff is not UTF-8; save the file as UTF-8"}},
		{"y076 escape byte", text("na\x1b[31mme: x"), []string{":1:3: control character U+001B; remove it"}},
		{"y078 ten thousand nested lists", text(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)), []string{"nested too deep; the limit is 40"}},
		{"y079 a thousand maps nested by indentation", text(nestedMaps(1000)), []string{":40:40: nested too deep; the limit is 40"}},
		{"y079 ten thousand maps nested by indentation", text(nestedMaps(10_000)), []string{"is too large; the limit is 4096 KiB"}},
		{"y081 one line of fifty megabytes", text(strings.Repeat("x", 50_000_000)), []string{"is too large; the limit is 4096 KiB"}},
		{"y088 bare tilde", text("scenario: 1", "name: x", "about: {workspace: ~}", rest), []string{":3:20: about.workspace: has no value: a bare ~ is YAML's null; quote it"}},
		{"y102 directory", fstest.MapFS{"x/x.scenario.yaml": {Mode: fs.ModeDir}}, []string{"x/x.scenario.yaml: is a directory"}},
		{"y103 missing file", fstest.MapFS{}, []string{"x/x.scenario.yaml: no such file"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load(test.fsys, "x/x.scenario.yaml")
			var load *strict.Error
			switch {
			case test.want == nil:
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			case !errors.As(err, &load):
				t.Fatalf("error %v, want a strict.Error", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error:\n%.1000s\nwant in it: %s", err, want)
				}
			}
			for line := range strings.Lines(err.Error()) {
				if line = strings.TrimSuffix(line, "\n"); wording.Line(line) != line || len(line) > 1500 || !strings.HasPrefix(line, "x/x.scenario.yaml:") {
					t.Errorf("line %.2000q", line)
				}
			}
		})
	}
}

// The words of an error name no file of the machine beside the one that was named.
func TestSCN2AFileThatMayNotBeRead(t *testing.T) {
	fsys := denying{fstest.MapFS{"x/x.scenario.yaml": {Data: []byte(casetest.Valid)}}}
	if got := problemsOf(t, fsys); got != "x/x.scenario.yaml: permission denied" {
		t.Errorf("error %s", got)
	}
}

// denying is a file system whose files may not be opened.
type denying struct{ fstest.MapFS }

func (denying) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: "/root/" + name, Err: os.ErrPermission}
}
