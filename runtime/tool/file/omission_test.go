package file

import (
	"strings"
	"testing"
)

// An edit of a line without its indentation would leave further lines of new at the margin.
func TestTOL105AnEditAtTheMarginOfAnIndentedLineIsRefused(t *testing.T) {
	const python, why = "if a:\n    return 1\n", "old begins after the indentation of line 2, and new goes on without any; give both with that of each line; nothing was changed"
	for _, c := range []struct {
		name, file, text, old, new string
		refused                    bool
	}{
		{"several lines for one", "a.py", python, "return 1", "x = 1\nreturn x", true},
		{"a part of a line", "a.py", python, "return", "x()\nreturn", true},
		{"a line of a Makefile", "Makefile", "a:\n\tcc a\n", "cc a", "cc a\ncc b", true},
		{"a line of YAML", "a.yaml", "a:\n  b: 1\n", "b: 1", "b: 1\nc: 2", true},
		{"with its indentation", "a.py", python, "    return 1", "    x = 1\n    return x", false},
		{"what goes on as the file", "a.py", python, "return 1", "x = 1\n    return x", false},
		{"one line", "a.py", python, "return 1", "return 2", false},
		{"after a blank line", "a.py", python, "return 1", "return 1\n\ndef f():\n    pass", false},
		{"where old goes on so", "a.py", python + "b()\n", "return 1\nb()", "return 2\nc()", false},
		{"at the margin", "a.py", python, "if a:", "b()\nif a:", false},
		{"within a line", "a.py", python, "1", "f(\n2)", false},
		{"a file in which it means nothing", "a.go", "\tb()\n", "b()", "b()\nc()", false},
	} {
		w := newWorld(t)
		w.write(c.file, c.text)
		got := w.call("edit_file", object{"path": c.file, "old": c.old, "new": c.new})
		if got.Failed != c.refused || c.refused && !strings.HasSuffix(got.Text, why) {
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
}

// A text with a line that stands for others would lose them.
func TestTOL106ALineThatStandsForOthersIsNotWritten(t *testing.T) {
	const text = "def f():\n    return 1\n\n\ndef g():\n    return 2\n    # a line that is so long that the others are all shorter than it is\n"
	for line, refused := range map[string]bool{ // order-free: each alone
		"# ... rest of the code ...": true, "    # ... (existing code) ...": true, "# ...": true, "// …": true, "/* ... */": true, "<!-- ... -->": true, "...the rest of the file": true,
		"# Rest of the code remains the same": true, "# the remaining functions are unchanged": true, "... existing code ...": true,
		"    ...": false, "# the rest": false, "x = [...]": false, "print('...')": false, "# wait ... same": false, "# existing": false, "//   ...": false, "...": false,
	} {
		w := newWorld(t)
		w.write("a.py", text)
		short := "def f():\n    return 3\n" + line + "\n"
		got := w.call("write_file", object{"path": "a.py", "content": short})
		if got.Invalid != refused || refused && !strings.HasSuffix(got.Text, " in place of other lines, which would be lost; nothing was written: give the whole text, or change a part with edit_file") {
			t.Errorf("%s: got %+v", line, got)
		}
		w.write("a.py", text)
		got = w.call("edit_file", object{"path": "a.py", "old": text, "new": short})
		if got.Invalid != refused || refused && !strings.HasSuffix(got.Text, " in place of other lines, which would be lost; nothing was changed: give only what changes, and that whole") {
			t.Errorf("%s: got %+v", line, got)
		}
		w.write("a.py", text+line+"\n")
		for name, content := range map[string]string{"that is there": short, "that is added": text + line + "\n" + line + "\n"} {
			if got := w.call("write_file", object{"path": "a.py", "content": content}); got.Failed {
				t.Errorf("%s, %s: got %+v", line, name, got)
			}
		}
		if got := w.call("write_file", object{"path": "new.py", "content": short}); got.Failed {
			t.Errorf("%s, in a new file: got %+v", line, got)
		}
	}
}
