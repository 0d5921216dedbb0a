package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/runtime/ollama/handmade"
)

func write1(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ollamaStore lays out two handmade models that share a blob as Ollama's store does.
func ollamaStore(t *testing.T) string {
	t.Helper()
	store, shared := t.TempDir(), "{{.Prompt}}"
	gguf, err := handmade.Chat(handmade.Script{Default: "Hello."})
	if err != nil {
		t.Fatal(err)
	}
	blob := func(text []byte) map[string]any {
		write1(t, filepath.Join(store, "blobs", "sha256-"+digest(text)), string(text), 0o644)
		return map[string]any{"digest": "sha256:" + digest(text), "size": len(text)}
	}
	for name, model := range map[string][]byte{"registry.ollama.ai/library/small/latest": gguf, "hf.co/ann/vectors/q4": handmade.Embedding()} {
		manifest, err := json.Marshal(map[string]any{
			"schemaVersion": 2, "config": blob([]byte(name)), "layers": []any{blob(model), blob([]byte(shared))},
		})
		if err != nil {
			t.Fatal(err)
		}
		write1(t, filepath.Join(store, "manifests", name), string(manifest), 0o644)
	}
	return store
}

// made makes a bundle with something of every kind.
func made(t *testing.T) (Manifest, []byte) {
	t.Helper()
	dir := t.TempDir()
	from := Source{
		Version: "v1", System: "linux/amd64", Now: func() time.Time { return time.Unix(1, 0) },
		Binary: filepath.Join(dir, "shelly"), Config: []byte("profile: default\n"),
		Skills: []string{filepath.Join(dir, "skills"), filepath.Join(dir, "none")}, Store: ollamaStore(t),
	}
	write1(t, from.Binary, "#!", 0o755)
	write1(t, filepath.Join(dir, "skills/deploy/SKILL.md"), "skill", 0o644)
	write1(t, filepath.Join(dir, "skills/deploy/scripts/run"), "run", 0o755)
	var err error
	if from.Models, err = Models(from.Store); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	m, err := Make(context.Background(), &file, from)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if _, err := Make(context.Background(), &again, from); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
		t.Errorf("made a second time it is another, %v", err)
	}
	return m, file.Bytes()
}

func placesIn(dir string) Places {
	return Places{Bin: filepath.Join(dir, "b"), Config: filepath.Join(dir, "c"), Skills: filepath.Join(dir, "s"), Models: filepath.Join(dir, "m")}
}

// A bundle that is made can be verified and installed; a second install has nothing to do; an
// interrupted one can be continued; differences are known before anything is written.
func TestDEP7ABundleArrives(t *testing.T) {
	ctx := context.Background()
	want, file := made(t)
	if diff := cmp.Diff([]string{"hf.co/ann/vectors:q4", "small:latest"}, want.Models); diff != "" {
		t.Error(diff)
	}
	m, err := Verify(ctx, bytes.NewReader(file))
	if diff := cmp.Diff(want, m); diff != "" || err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
	to := placesIn(t.TempDir())
	install := func() (written int) {
		t.Helper()
		steps, err := Look(ctx, m, to)
		if err != nil {
			t.Fatal(err)
		}
		if err := Install(ctx, bytes.NewReader(file), to, steps, func(Step) { written++ }); err != nil {
			t.Fatal(err)
		}
		return written
	}
	all := len(m.Files) - 2 // the preface is not installed
	if n := install(); n != all {
		t.Errorf("%d files written, want %d", n, all)
	}
	if n := install(); n != 0 {
		t.Errorf("%d files written again", n)
	}
	if got, err := Models(to.Models); err != nil || !slices.Equal(got, want.Models) {
		t.Errorf("models %q, %v", got, err)
	}
	for name, mode := range map[string]os.FileMode{to.Bin + "/shelly": 0o755, to.Config + "/config.yaml": 0o600, to.Skills + "/deploy/scripts/run": 0o755, to.Skills + "/deploy/SKILL.md": 0o644} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: got %v, %v; want Mode().Perm() %v", name, info, err, mode)
		}
	}
	if err := os.Remove(to.Bin + "/shelly"); err != nil {
		t.Fatal(err)
	}
	if n := install(); n != 1 {
		t.Errorf("%d files written where one was missing", n)
	}
	write1(t, to.Config+"/config.yaml", "own: 1", 0o600)
	steps, err := Look(ctx, m, to)
	if i := slices.IndexFunc(steps, func(s Step) bool { return s.State == Differs }); err != nil || i < 0 || steps[i].Path != to.Config+"/config.yaml" {
		t.Errorf("the changed configuration is not seen: %v, %+v", err, steps)
	}
}

// entry is an entry of a tar file made by someone else.
type entry struct {
	tar.Header
	text string
}

func tarOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	for _, e := range entries {
		if e.Typeflag == 0 {
			e.Typeflag = tar.TypeReg
		}
		if e.Typeflag == tar.TypeReg {
			e.Size = int64(len(e.text))
		}
		err := w.WriteHeader(&e.Header)
		if err == nil {
			_, err = w.Write([]byte(e.text))
		}
		if err != nil && e.Typeflag == tar.TypeReg {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func headed(name, text string, more ...File) entry {
	m := Manifest{Format: Format, Files: append([]File{{Name: name, Bytes: int64(len(text)), SHA256: digest([]byte(text))}}, more...)}
	head, _ := json.Marshal(m)
	return entry{tar.Header{Name: manifestName}, string(head)}
}

// A hostile bundle is refused before any of it is in place.
func TestDEP8AHostileBundleIsRefused(t *testing.T) {
	blob := blobsFolder + "sha256-" + digest([]byte("y"))
	long := strings.Repeat("a/", 600) + "x"
	for name, file := range map[string][]byte{
		"nothing":               nil,
		"no tar":                []byte(strings.Repeat("x", 2000)),
		"no manifest":           tarOf(t, entry{tar.Header{Name: "bin/shelly"}, "x"}),
		"out of the folder":     tarOf(t, headed("skills/../../x", "x"), entry{tar.Header{Name: "skills/../../x"}, "x"}),
		"from the root":         tarOf(t, headed("/etc/passwd", "x"), entry{tar.Header{Name: "/etc/passwd"}, "x"}),
		"a folder of Windows":   tarOf(t, headed(`skills/..\..\x`, "x"), entry{tar.Header{Name: `skills/..\..\x`}, "x"}),
		"a drive":               tarOf(t, headed("skills/C:x", "x"), entry{tar.Header{Name: "skills/C:x"}, "x"}),
		"a control character":   tarOf(t, headed("skills/a\x1b[2J", "x"), entry{tar.Header{Name: "skills/a\x1b[2J"}, "x"}),
		"another place":         tarOf(t, headed("store/x", "x"), entry{tar.Header{Name: "store/x"}, "x"}),
		"a long name":           tarOf(t, headed("skills/"+long, "x")),
		"a symbolic link":       tarOf(t, headed("bin/shelly", ""), entry{tar.Header{Name: "bin/shelly", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""}),
		"a hard link":           tarOf(t, headed("bin/shelly", ""), entry{tar.Header{Name: "bin/shelly", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""}),
		"a device":              tarOf(t, headed("bin/shelly", ""), entry{tar.Header{Name: "bin/shelly", Typeflag: tar.TypeBlock, Devmajor: 8}, ""}),
		"a pipe":                tarOf(t, headed("bin/shelly", ""), entry{tar.Header{Name: "bin/shelly", Typeflag: tar.TypeFifo}, ""}),
		"a folder":              tarOf(t, headed("bin/shelly", ""), entry{tar.Header{Name: "bin/shelly", Typeflag: tar.TypeDir}, ""}),
		"another entry":         tarOf(t, headed("bin/shelly", "x"), entry{tar.Header{Name: "skills/x"}, "x"}),
		"one more":              tarOf(t, headed("bin/shelly", "x"), entry{tar.Header{Name: "bin/shelly"}, "x"}, entry{tar.Header{Name: "skills/x"}, "x"}),
		"bytes after its end":   append(tarOf(t, headed("bin/shelly", "x"), entry{tar.Header{Name: "bin/shelly"}, "x"}), 'x'),
		"one less":              tarOf(t, headed("bin/shelly", "x")),
		"another content":       tarOf(t, headed("bin/shelly", "x"), entry{tar.Header{Name: "bin/shelly"}, "y"}),
		"a longer content":      tarOf(t, headed("bin/shelly", "x"), entry{tar.Header{Name: "bin/shelly"}, "xx"}),
		"a blob of another sum": tarOf(t, headed(blob, "x"), entry{tar.Header{Name: blob}, "x"}),
		"a name twice":          tarOf(t, headed("skills/A", "x", File{Name: "skills/a", SHA256: digest(nil)})),
		"a file as a folder":    tarOf(t, headed("skills/a", "x", File{Name: "skills/a/b", SHA256: digest(nil)})),
		"a negative size":       tarOf(t, headed("bin/shelly", "x", File{Name: "skills/a", Bytes: -1, SHA256: digest(nil)})),
		"a size beyond all":     tarOf(t, headed("bin/shelly", "x", File{Name: "skills/a", Bytes: 1<<63 - 1, SHA256: digest(nil)})),
		"no checksum":           tarOf(t, entry{tar.Header{Name: manifestName}, `{"format":1,"files":[{"name":"bin/shelly","bytes":1,"sha256":""}]}`}),
		"an unfinished file":    tarOf(t, headed("skills/a/"+tempName, "x"), entry{tar.Header{Name: "skills/a/" + tempName}, "x"}),
		"a folder of that name": tarOf(t, headed("skills/a/"+tempName+"/b", "x"), entry{tar.Header{Name: "skills/a/" + tempName + "/b"}, "x"}),
		"no format":             tarOf(t, entry{tar.Header{Name: manifestName}, `{"files":[]}`}),
	} {
		to := t.TempDir()
		_, err := Verify(context.Background(), bytes.NewReader(file))
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v; want ErrDamaged", name, err)
		}
		err = Install(context.Background(), bytes.NewReader(file), placesIn(to), []Step{{File: File{Name: "bin/shelly", Bytes: 1, SHA256: digest([]byte("x"))}}}, func(Step) {})
		if _, there := os.Stat(filepath.Join(to, "etc")); err == nil || there == nil {
			t.Errorf("%s: installed, %v", name, err)
		}
	}
	for _, format := range []string{fmt.Sprint(Format + 1), "20261128000000000000"} {
		newer := tarOf(t, entry{tar.Header{Name: manifestName}, `{"format":` + format + `,"files":"?"}`})
		if _, err := Verify(context.Background(), bytes.NewReader(newer)); !errors.Is(err, ErrNewer) {
			t.Errorf("a newer one: %v", err)
		}
	}
}

// A bundle that is cut short, or has another byte anywhere, does not pass for a whole one, and no
// wrong file of it is put in place.
func TestDEP8ADamagedBundleIsRefused(t *testing.T) {
	_, file := made(t)
	for at := 0; at < len(file)-1024; at += 509 { // the end mark is two blocks of zeros
		if _, err := Verify(context.Background(), bytes.NewReader(file[:at])); err == nil {
			t.Fatalf("cut at %d it verifies", at)
		}
	}
	const short = "it ends before the end of its closing blocks"
	if _, err := Verify(context.Background(), bytes.NewReader(file[:len(file)-100])); err == nil || !strings.HasSuffix(err.Error(), short) {
		t.Errorf("cut in the end mark: %v; want %s", err, short)
	}
	m, _ := Verify(context.Background(), bytes.NewReader(file))
	at := bytes.Index(file, []byte("profile: default"))
	wrong := slices.Clone(file)
	wrong[at] ^= 4
	to := placesIn(t.TempDir())
	steps, err := Look(context.Background(), m, to)
	if err != nil {
		t.Fatal(err)
	}
	if err := Install(context.Background(), bytes.NewReader(wrong), to, steps, func(Step) {}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a flipped bit: %v", err)
	}
	if left, _ := os.ReadDir(to.Config); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// A link in the place of a folder that leads out of the target is not followed, and neither it nor
// anything else that no file can take the place of is touched: it is named before anything is written.
func TestDEP8WhatIsInTheWayIsNamedAndNothingIsWritten(t *testing.T) {
	m, _ := made(t)
	out := t.TempDir()
	for name, put := range map[string]func(to Places) (at string, err error){ // order-free: each for itself
		"a link out, where a folder belongs": func(to Places) (string, error) {
			at := filepath.Join(to.Skills, "deploy")
			return at, errors.Join(os.MkdirAll(to.Skills, 0o755), os.Symlink(out, at))
		},
		"a link that leads nowhere, where a folder belongs": func(to Places) (string, error) {
			at := filepath.Join(to.Skills, "deploy")
			return at, errors.Join(os.MkdirAll(to.Skills, 0o755), os.Symlink("nothing", at))
		},
		"a file where a folder belongs": func(to Places) (string, error) {
			at := filepath.Join(to.Skills, "deploy")
			return at, errors.Join(os.MkdirAll(to.Skills, 0o755), os.WriteFile(at, nil, 0o644))
		},
		"a file in the place of the skills": func(to Places) (string, error) {
			return to.Skills, os.WriteFile(to.Skills, nil, 0o644)
		},
		"a folder where a file belongs": func(to Places) (string, error) {
			at := filepath.Join(to.Bin, "shelly")
			return at, os.MkdirAll(at, 0o755)
		},
		"a link to a folder where a file belongs": func(to Places) (string, error) {
			at := filepath.Join(to.Bin, "shelly")
			return at, errors.Join(os.MkdirAll(to.Bin, 0o755), os.Symlink(out, at))
		},
	} {
		to := placesIn(t.TempDir())
		at, err := put(to)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Look(t.Context(), m, to); !errors.Is(err, ErrInTheWay) || !strings.Contains(err.Error(), at+" is ") {
			t.Errorf("%s: %v; want ErrInTheWay with %s", name, err, at)
		}
	}
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("it wrote %v", left)
	}
}

// A link in the place of a file is what it leads to, wherever that is; one that is replaced becomes
// the file, and what it led to stays (CLI-3).
func TestDEP9ALinkBecomesTheFile(t *testing.T) {
	m, file := made(t)
	to, out := placesIn(t.TempDir()), t.TempDir()
	same, other := filepath.Join(out, "same.yaml"), filepath.Join(out, "other")
	program, configuration := filepath.Join(to.Bin, "shelly"), filepath.Join(to.Config, "config.yaml")
	if err := errors.Join(
		os.MkdirAll(to.Bin, 0o755), os.MkdirAll(to.Config, 0o755), os.MkdirAll(filepath.Join(to.Skills, "deploy"), 0o755),
		os.WriteFile(same, []byte("profile: default\n"), 0o600), os.Symlink(same, configuration),
		os.WriteFile(other, []byte("an older program"), 0o755), os.Symlink(other, program),
		os.Symlink("nothing", filepath.Join(to.Skills, "deploy", "SKILL.md")),
	); err != nil {
		t.Fatal(err)
	}
	steps, err := Look(t.Context(), m, to)
	if err != nil {
		t.Fatal(err)
	}
	got := map[State][]string{}
	for _, s := range steps {
		if s.State != Missing {
			got[s.State] = append(got[s.State], filepath.Base(s.Path))
		}
	}
	if diff := cmp.Diff(map[State][]string{Same: {"config.yaml"}, Differs: {"shelly", "SKILL.md"}}, got); diff != "" {
		t.Errorf("the states (-want +got)\n%s", diff)
	}
	if err := Install(t.Context(), bytes.NewReader(file), to, steps, func(Step) {}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(program); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the program is %v, %v; want a file", info, err)
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "an older program" {
		t.Errorf("what the link led to is now %q, %v", text, err)
	}
	if at, err := os.Readlink(configuration); err != nil || at != same {
		t.Errorf("the link that was as it should be leads to %q, %v", at, err)
	}
}

// A model is found by its name as Ollama writes it, and a damaged blob is not passed on.
func TestDEP7AModelIsFoundInOllamasStore(t *testing.T) {
	for name, want := range map[string]string{
		"small": "registry.ollama.ai/library/small/latest", "small:1b": "registry.ollama.ai/library/small/1b",
		"ann/small": "registry.ollama.ai/ann/small/latest", "hf.co/ann/small:q4": "hf.co/ann/small/q4",
	} {
		if got := manifestPath(name); got != want {
			t.Errorf("%s is at %s, want %s", name, got, want)
		}
	}
	store := ollamaStore(t)
	if _, err := model(store, "none"); !errors.Is(err, ErrNoModel) {
		t.Errorf("a model that is not there: %v", err)
	}
	blobs, _ := filepath.Glob(filepath.Join(store, "blobs/*"))
	for _, b := range blobs {
		write1(t, b, "changed", 0o644)
	}
	_, err := Make(context.Background(), &bytes.Buffer{}, Source{Binary: "/dev/null", Store: store, Models: []string{"small"}, Now: time.Now})
	if err == nil || !strings.Contains(err.Error(), "pull the model again") {
		t.Errorf("a damaged blob: %v", err)
	}
}

func TestDEP7ASkillIsWhollyFromTheFirstFolderThatHasIt(t *testing.T) {
	dir := t.TempDir()
	from := Source{Binary: filepath.Join(dir, "shelly"), Skills: []string{filepath.Join(dir, "own"), filepath.Join(dir, "linked"), filepath.Join(dir, "none")}}
	write1(t, from.Binary, "#!", 0o755)
	write1(t, filepath.Join(dir, "own/deploy/SKILL.md"), "own", 0o644)
	write1(t, filepath.Join(dir, "all/deploy/SKILL.md"), "all", 0o644)
	write1(t, filepath.Join(dir, "all/deploy/scripts/run"), "all", 0o755)
	write1(t, filepath.Join(dir, "all/rest/SKILL.md"), "rest", 0o644)
	if err := os.Symlink("all", filepath.Join(dir, "linked")); err != nil { // as people keep them with their other settings
		t.Fatal(err)
	}
	list, err := from.list()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list[1:] { // after the program
		got = append(got, strings.TrimPrefix(s.path, dir))
	}
	if diff := cmp.Diff([]string{"/own/deploy/SKILL.md", "/all/rest/SKILL.md"}, got); diff != "" {
		t.Errorf("files of skills (-want +got)\n%s", diff)
	}
}
