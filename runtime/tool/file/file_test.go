package file

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

func TestTOL3PathsThatAreRefused(t *testing.T) {
	type object = map[string]any
	for _, c := range []struct {
		name, tool, path, want string
		setup                  func(*world)
	}{
		{"many parents", "read_file", strings.Repeat("../", 60) + "etc/passwd", "is outside the workspace", nil},
		{"a parent", "list_dir", "..", "is outside the workspace", nil},
		{"down and up", "read_file", "src/../../outside/canary.txt", "is outside the workspace", nil},
		{"absolute outside", "read_file", "/etc/passwd", "is outside the workspace", nil},
		{"name that begins like the workspace's", "read_file", "{{ws}}-evil/keep.txt", "is outside the workspace", nil},
		{"descriptor path", "read_file", "/dev/fd/0", "is outside the workspace", nil},
		{"through a folder link", "read_file", "link_out/canary.txt", "leads out of the workspace by .. or a symbolic link", nil},
		{"list a folder link", "list_dir", "link_out", "leads out of the workspace by .. or a symbolic link", nil},
		{"absolute file link", "read_file", "lnk.txt", "leads out of the workspace by .. or a symbolic link",
			func(w *world) { w.symlink(filepath.Join(w.outside, "canary.txt"), "lnk.txt") }},
		{"link loop", "read_file", "loop", "too many symbolic links", func(w *world) { w.symlink("loop", "loop") }},
		{"percent-encoded dots", "read_file", "%2e%2e/outside/canary.txt", "no such file", nil},
		{"percent-encoded slash", "read_file", "..%2foutside%2fcanary.txt", "no such file", nil},
		{"letters like dots", "read_file", "․․/outside/canary.txt", "no such file", nil},
		{"home", "read_file", "~/canary.txt", "no such file", nil},
		{"NUL", "read_file", "notes.txt\x00.png", "holds a NUL byte", nil},
		{"empty", "read_file", "", "path is empty", nil},
		{"blank", "list_dir", "   ", "path is empty", nil},
		{"too long", "read_file", strings.Repeat("a/", 200) + strings.Repeat("b", 4096), "the most is 4096", nil},
		{"too long a name", "read_file", strings.Repeat("b", 4000), "too long for the file system", nil},
		{"too deep", "read_file", strings.Repeat("a/", 256) + "b", "more than 255 parts", nil},
		{"folder read as a file", "read_file", "src", "is a directory; use list_dir", nil},
		{"file listed as a folder", "list_dir", "notes.txt", "is a file, not a directory; use read_file", nil},
		{"file as a folder", "read_file", "notes.txt/x", "leads through a file as if it were a folder", nil},
		{"missing", "read_file", "absent.html", `no such file or folder: "absent.html"; list_dir shows what there is`, nil},
		{"a hard link to what is outside", "read_file", "twin", `"twin" has 2 names (hard links), and one of them may be outside the workspace; it is refused`,
			func(w *world) { w.link(filepath.Join(w.outside, "canary.txt"), "twin") }},
		{"named pipe", "read_file", "fifo", "is a named pipe, not a regular file", func(w *world) { w.fifo("fifo") }},
		{"named pipe listed", "list_dir", "fifo", "is a named pipe, not a regular file", func(w *world) { w.fifo("fifo") }},
		{"socket", "read_file", "sock", "is a socket, not a regular file", func(w *world) {
			t.Chdir(w.workspace) // a socket's path is short
			l, err := net.Listen("unix", "sock")
			w.must(err)
			t.Cleanup(func() { _ = l.Close() })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.setup != nil {
				c.setup(w)
			}
			got := w.call(c.tool, object{"path": strings.ReplaceAll(c.path, "{{ws}}", w.workspace)})
			if !got.Failed || !strings.Contains(got.Text, c.want) {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

func TestTOL3DeviceIsRefused(t *testing.T) {
	w := newWorld(t)
	const zero = 1<<8 | 5 // major 1, minor 5
	if err := syscall.Mknod(filepath.Join(w.workspace, "dev0"), syscall.S_IFCHR|0o666, zero); err != nil {
		t.Skipf("no right to make a device: %v", err)
	}
	if got := w.call("read_file", map[string]any{"path": "dev0"}); !got.Failed || !strings.Contains(got.Text, "is a device, not a regular file") {
		t.Errorf("got %+v; want Failed, a Text with %q", got, "is a device, not a regular file")
	}
}

func TestPathsThatAreTaken(t *testing.T) {
	for _, c := range []struct{ name, path string }{
		{"plain", "notes.txt"},
		{"dot", "./notes.txt"},
		{"untidy", "src//.././notes.txt"},
		{"absolute inside", "{{ws}}/notes.txt"},
		{"absolute inside, untidy", "{{ws}}//src/./../notes.txt"},
		{"tilde in a name", "~notes"},
		{"dollar in a name", "$HOME.txt"},
		{"backslash in a name", `back\slash.txt`},
		{"dots in a name", "..notes..txt"},
		{"link inside", "link_in/notes.txt"},
		{"absolute link inside", "link_abs/notes.txt"},
		{"absolute link to a file", "link_file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, name := range []string{"~notes", "$HOME.txt", `back\slash.txt`, "..notes..txt"} {
				w.write(name, "alpha\n")
			}
			w.symlink(".", "link_in")
			w.symlink(w.workspace, "link_abs")
			w.symlink(filepath.Join(w.workspace, "notes.txt"), "link_file")
			got := w.call("read_file", map[string]any{"path": strings.ReplaceAll(c.path, "{{ws}}", w.workspace)})
			if got.Failed || !strings.HasPrefix(got.Text, "alpha\n") {
				t.Errorf("got %+v; want a Text that begins with %q", got, "alpha\n")
			}
		})
	}
}

func TestWorkspaceBehindALinkTakesBothOfItsNames(t *testing.T) {
	w := newWorld(t)
	link := w.workspace + "-link"
	w.must(os.Symlink(w.workspace, link))
	w.options.Workspace = link
	for _, base := range []string{link, w.workspace} {
		if got := w.call("read_file", map[string]any{"path": base + "/notes.txt"}); got.Failed {
			t.Errorf("%s: got %+v; want not Failed", base, got)
		}
	}
}

// What is in the workspace's place counts, and not the folder that was there at the start.
func TestTOL3AWorkspaceThatIsReplacedIsTheNewOne(t *testing.T) {
	w := newWorld(t)
	r := w.runner()
	call := func(name string, args object) fsm.ToolAnswered {
		return r.Run(guard(t), fsm.RunTool{Name: name, Args: mustJSON(t, args)})
	}
	old := w.workspace + "-old"
	w.must(os.Rename(w.workspace, old))
	for _, name := range []string{"read_file", "list_dir"} {
		if got := call(name, object{"path": "src/main.go"}); !got.Invalid || got.Text != "the workspace "+w.workspace+" is gone; ask the person for it" {
			t.Errorf("%s: got %+v; want Invalid, and that the workspace %s is gone", name, got, w.workspace)
		}
	}
	w.write("src/main.go", "package other\n")
	if got := call("read_file", object{"path": "src/main.go"}); got.Text != "package other\n" {
		t.Errorf("read %+v", got)
	}
	if got := call("grep", object{"pattern": "package"}); got.Text != "src/main.go\n1: package other\n" {
		t.Errorf("found %+v", got)
	}
	call("write_file", object{"path": "new.txt", "content": "x\n"})
	w.holds("new.txt", "x\n")
	if _, err := os.Stat(filepath.Join(old, "new.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("written in the old one: %v", err)
	}
}

func TestTOL3PrivateFolderIsRefusedInsideTheWorkspace(t *testing.T) {
	w := newWorld(t)
	w.write("state/journal", secret)
	w.write("state-of-things.txt", "fine\n")
	w.symlink("state", "innocent")
	w.options.Private = []string{filepath.Join(w.workspace, "state"), filepath.Join(w.outside, "nowhere")}
	for _, path := range []string{"state/journal", "innocent/journal", "src/../state/journal", filepath.Join(w.workspace, "state/journal")} {
		if got := w.call("read_file", map[string]any{"path": path}); !got.Failed || !strings.Contains(got.Text, "belongs to the agent itself") {
			t.Errorf("%s: got %+v; want Failed, Text with %q", path, got, "belongs to the agent itself")
		}
	}
	if got := w.call("list_dir", map[string]any{"path": "state"}); !got.Failed {
		t.Errorf("listed: %+v", got)
	}
	if got := w.call("read_file", map[string]any{"path": "state-of-things.txt"}); got.Failed {
		t.Errorf("got %+v; want Failed false", got)
	}
}

func TestListIsSortedWithKindsAndSizes(t *testing.T) {
	w := newWorld(t)
	w.fifo("pipe")
	want := fsm.ToolAnswered{Text: `build/
data.csv  14 bytes
docs/
link_out -> ../outside
notes.txt  24 bytes
old.txt  4 bytes
pipe  (a named pipe)
rm -rf notes.md  9 bytes
src/
`}
	same(t, want, w.call("list_dir", nil))
	w.write("src/one", "1")
	want = fsm.ToolAnswered{Text: "main.go  13 bytes\none  1 byte\nutil.py  17 bytes\n"}
	if diff := cmp.Diff(want, w.call("list_dir", map[string]any{"path": "src/"})); diff != "" {
		t.Errorf("trailing slash (-want +got)\n%s", diff)
	}
}

func TestEmptyFolderSaysSo(t *testing.T) {
	w := newWorld(t)
	w.must(os.Mkdir(filepath.Join(w.workspace, "void"), 0o755))
	same(t, fsm.ToolAnswered{Text: "(empty)"}, w.call("list_dir", map[string]any{"path": "void"}))
}

func TestOddNamesAreQuoted(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a\nb", "e\x1b[31m", "x\u202etxt.exe", " lead", "caf\xe9", "plain ünïcode 你好"} {
		w.write("odd/"+name, "")
	}
	want := fsm.ToolAnswered{Text: `" lead"  0 bytes
"a\nb"  0 bytes
caf\xe9  0 bytes
"e\x1b[31m"  0 bytes
plain ünïcode 你好  0 bytes
"x\u202etxt.exe"  0 bytes
`}
	same(t, want, w.call("list_dir", map[string]any{"path": "odd"}))
}

func TestTOL4LongListIsCutVisibly(t *testing.T) {
	w := newWorld(t)
	for i := range 1200 {
		w.write(fmt.Sprintf("many/%04d", i), "")
	}
	got := w.call("list_dir", map[string]any{"path": "many"})
	if got.Failed || !strings.HasPrefix(got.Text, "0000  0 bytes\n") || !strings.HasSuffix(got.Text, "of 1200 entries are shown]") {
		t.Errorf("by size: got %.40q … %q", got.Text, got.Text[max(0, len(got.Text)-60):])
	}
	w.options.ResultBytesMax = 1 << 20
	got = w.call("list_dir", map[string]any{"path": "many"})
	if lines := strings.Count(got.Text, "\n"); lines != entriesMax || !strings.HasSuffix(got.Text, "\n[cut: 1000 of 1200 entries are shown]") {
		t.Errorf("by number: %d lines, %q", lines, got.Text[len(got.Text)-60:])
	}
}

func TestFileIsReadInParts(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, want string
		args       map[string]any
	}{
		{"whole", "alpha\nbeta format\ngamma\n", nil},
		{"limit beyond the end", "alpha\nbeta format\ngamma\n", map[string]any{"limit": 3}},
		{"beginning", "alpha\n[lines 1 to 1 of a file of 24 bytes; read on with offset 2]", map[string]any{"limit": 1}},
		{"middle", "beta format\n[lines 2 to 2 of a file of 24 bytes; read on with offset 3]", map[string]any{"offset": 2, "limit": 1}},
		{"end", "gamma\n", map[string]any{"offset": 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := map[string]any{"path": "notes.txt"}
			maps.Copy(args, c.args)
			same(t, fsm.ToolAnswered{Text: c.want}, w.call("read_file", args))
		})
	}
	want := fsm.ToolAnswered{Text: "there is no line 4; the file has 3 lines", Failed: true, Nothing: true, Invalid: true}
	if diff := cmp.Diff(want, w.call("read_file", map[string]any{"path": "notes.txt", "offset": 4})); diff != "" {
		t.Errorf("beyond the end (-want +got)\n%s", diff)
	}
}

// Following the marks must give back the whole file, line by line.
func TestMarksLeadThroughALargeFile(t *testing.T) {
	w := newWorld(t)
	var file strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&file, "line %d ünïcode %s\n", i+1, strings.Repeat("x", i%97))
	}
	w.write("large.txt", file.String())
	var got strings.Builder
	for offset, parts := 1, 0; offset > 0; parts++ {
		if parts > 200 {
			t.Fatal("the marks do not end")
		}
		r := w.call("read_file", map[string]any{"path": "large.txt", "offset": offset})
		if r.Failed {
			t.Fatalf("offset %d: %+v", offset, r)
		}
		text, mark, cut := strings.Cut(r.Text, "[lines ")
		got.WriteString(text)
		offset = 0
		if cut {
			_, next, _ := strings.Cut(mark, "read on with offset ")
			if _, err := fmt.Sscanf(next, "%d", &offset); err != nil {
				t.Fatalf("mark %q: %v", mark, err)
			}
		}
	}
	if got.String() != file.String() {
		t.Errorf("%d bytes read of %d, or others", got.Len(), file.Len())
	}
}

func TestTOL4LongLineIsCutVisibly(t *testing.T) {
	w := newWorld(t)
	w.write("longline.txt", strings.Repeat("é", 100_000)+"\nshort\n")
	got := w.call("read_file", map[string]any{"path": "longline.txt"})
	if want := "é\n[lines 1 to 1 of a file of 200007 bytes; line 1 goes on: read it with offset 1 and column 1921; the next line has offset 2]"; got.Failed || !strings.HasSuffix(got.Text, want) {
		t.Errorf("got … %q; want it to end with %q", got.Text[max(0, len(got.Text)-150):], want)
	}
	got = w.call("read_file", map[string]any{"path": "longline.txt", "offset": 2})
	same(t, fsm.ToolAnswered{Text: "short\n"}, got)
}

func TestReadIsBounded(t *testing.T) {
	w := newWorld(t)
	w.options.ReadBytesMax = ReadBytesLeast
	w.write("lines.txt", strings.Repeat("1234567\n", 10_000))
	w.write("line.txt", strings.Repeat("x", 80_000))
	w.write("exact.txt", strings.Repeat("1234567\n", ReadBytesLeast/8))
	const mark = "; read_file looks at the first 4096 bytes only (tools.read_bytes_max)]"
	for _, c := range []struct {
		name   string
		args   map[string]any
		suffix string
		failed bool
	}{
		{"up to the bound", map[string]any{"path": "lines.txt", "offset": 500}, "[lines 500 to 512 of a file of 80000 bytes" + mark, false},
		{"after the bound", map[string]any{"path": "lines.txt", "offset": 600}, "line 600 lies beyond the first 4096 bytes of the file, and read_file looks no further (tools.read_bytes_max)", true},
		{"one line across the bound", map[string]any{"path": "line.txt"}, "; line 1 goes on: read it with offset 1 and column 3841" + mark, false},
		{"a column after the bound", map[string]any{"path": "line.txt", "column": 5000}, "column 5000 of line 1 lies beyond the first 4096 bytes of the file, and read_file looks no further (tools.read_bytes_max)", true},
		{"file that ends at the bound", map[string]any{"path": "exact.txt", "offset": 512}, "1234567\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.call("read_file", c.args)
			if got.Failed != c.failed || !strings.HasSuffix(got.Text, c.suffix) {
				t.Errorf("failed %v, … %q", got.Failed, got.Text[max(0, len(got.Text)-150):])
			}
		})
	}
}

// A file that grew while it was read has not met the bound.
func TestOnlyTheBoundEndsAReadEarly(t *testing.T) {
	for _, c := range []struct {
		left int64
		rest string
		want bool
	}{{0, "x", true}, {0, "", false}, {1, "x", false}} {
		if got := follows(&io.LimitedReader{N: c.left}, strings.NewReader(c.rest)); got != c.want {
			t.Errorf("follows(%d left, %q) = %v", c.left, c.rest, got)
		}
	}
}

func TestWhatIsNotTextIsDescribed(t *testing.T) {
	w := newWorld(t)
	w.write("pixel.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	w.write("noise.bin", strings.Repeat("\xf1\x02\xfe", 500))
	w.write("empty.txt", "")
	w.write("mark.txt", "\ufeff")
	var picture bytes.Buffer
	w.must(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 20, 10))))
	w.write("whole.png", picture.String())
	for path, want := range map[string]string{
		"pixel.png": "(image, png, 16 bytes; not shown as text)",
		"noise.bin": "(binary file, 1500 bytes, looks like application/octet-stream; not shown as text)",
		"empty.txt": "(empty file)",
		"mark.txt":  "(empty file)",
		"whole.png": fmt.Sprintf("(image, PNG, 20 × 10 pixels, %d bytes; not shown as text)", picture.Len()),
	} {
		if diff := cmp.Diff(fsm.ToolAnswered{Text: want}, w.call("read_file", map[string]any{"path": path})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", path, diff)
		}
	}
}
