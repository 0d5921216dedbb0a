package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"shelly/runtime/event"
	"shelly/runtime/event/settle"
	"shelly/runtime/event/source"
)

// recorder is a sink that keeps what it takes.
type recorder struct {
	told int64
	mu   sync.Mutex
	cond *sync.Cond
	all  []string
}

func newRecorder() *recorder {
	r := &recorder{}
	r.cond = sync.NewCond(&r.mu)
	return r
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, fmt.Sprintf(format, args...))
	r.cond.Broadcast()
}

func (r *recorder) Level(subject string, value int64, crossed, clear string) {
	r.add("level %s %d: %s / %s", subject, value, crossed, clear)
}
func (r *recorder) State(subject, state, text string)  { r.add("state %s %s: %s", subject, state, text) }
func (r *recorder) File(path string, what settle.What) { r.add("%s %s", what, path) }
func (r *recorder) Touched(at int64)                   { r.add("touched %d", at) }
func (r *recorder) Lost()                              { r.add("lost") }
func (r *recorder) Seen(text string)                   { r.add("seen %s", text) }
func (r *recorder) Told() int64                        { return r.told }

// until waits for a line, and returns all up to it.
func (r *recorder) until(t *testing.T, line string) []string {
	t.Helper()
	stop := context.AfterFunc(t.Context(), r.cond.Broadcast)
	defer stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !slices.Contains(r.all, line) {
		if t.Context().Err() != nil {
			t.Fatalf("%q has not come: %q", line, r.all)
		}
		r.cond.Wait()
	}
	return slices.Clone(r.all)
}

// folder is a folder that is watched.
type folder struct {
	t   *testing.T
	dir string
	*recorder
}

func watch(t *testing.T, dir string, change func(*source.Files), told int64) *folder {
	t.Helper()
	r := newRecorder()
	r.told = told
	f := source.Files{Folder: dir, Recursive: true}
	if change != nil {
		change(&f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Watch(ctx, r) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	w := &folder{t, dir, r}
	return w
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *folder) write(name string) {
	f.t.Helper()
	write(f.t, f.path(name))
}

func write(t *testing.T, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte("x"), 0o600))
}

// has reports whether something about a file was reported.
func has(lines []string, path string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(line, path) })
}

func TestEVT7FilesOfAFolderAreWatched(t *testing.T) {
	f := watch(t, t.TempDir(), nil, 0)
	f.until(t, "seen 1 folder")
	f.write("a.txt")
	f.until(t, "created "+f.path("a.txt"))
	f.write("a.txt")
	f.until(t, "written "+f.path("a.txt"))
	must(t, os.Rename(f.path("a.txt"), f.path("b.txt")))
	f.until(t, "removed "+f.path("a.txt"))
	f.until(t, "created "+f.path("b.txt"))
	must(t, os.Remove(f.path("b.txt")))
	f.until(t, "removed "+f.path("b.txt"))
}

// An editor that saves a file puts another in its place, which the system announces as a new one.
func TestEVT6AFileInThePlaceOfAnotherIsWritten(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "old.txt"))
	write(t, filepath.Join(dir, "sub", "old.txt"))
	f := watch(t, dir, nil, 1<<62)
	f.until(t, "seen 2 folders")
	f.write("new.txt")
	f.until(t, "created "+f.path("new.txt"))
	f.write(".gitignore")
	f.until(t, "created "+f.path(".gitignore"))
	f.write("later/a.txt")
	f.until(t, "created "+f.path("later/a.txt"))
	f.until(t, "seen 3 folders")
	seen, marks := 0, 0
	since := func() []string { // all that was reported since the last call
		marks++
		mark := fmt.Sprint("mark", marks)
		f.write(mark)
		lines := f.until(t, "created "+f.path(mark))
		defer func() { seen = len(lines) }()
		return lines[seen:]
	}
	for _, name := range []string{"old.txt", "sub/old.txt", "new.txt", ".gitignore", "later/a.txt"} {
		since()
		saved := f.path(name + ".saving~")
		write(t, saved)
		must(t, os.Rename(saved, f.path(name)))
		if lines := since(); !slices.Contains(lines, "written "+f.path(name)) || slices.Contains(lines, "created "+f.path(name)) {
			t.Errorf("%s: reported is %q", name, lines)
		}
		must(t, os.Remove(f.path(name)))
		f.write(name)
		if lines := since(); !slices.Contains(lines, "removed "+f.path(name)) || !slices.Contains(lines, "created "+f.path(name)) {
			t.Errorf("%s, which had gone: reported is %q", name, lines)
		}
	}
}

func TestEVT7FoldersThatComeAreWatchedToo(t *testing.T) {
	f := watch(t, t.TempDir(), nil, 0)
	f.until(t, "seen 1 folder")
	f.write("in/deep/a.txt")
	f.until(t, "seen 3 folders")
	f.until(t, "created "+f.path("in/deep/a.txt"))
	f.write("in/deep/b.txt")
	f.until(t, "created "+f.path("in/deep/b.txt"))
	must(t, os.Rename(f.path("in/deep"), filepath.Join(t.TempDir(), "elsewhere")))
	f.until(t, "went "+f.path("in/deep"))
	f.until(t, "seen 2 folders")
}

// So that renaming a new folder is not a change of its own (EVT-5).
func TestEVT7ANewFolderIsReported(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "known"), 0o755))
	f := watch(t, dir, nil, 0)
	f.until(t, "seen 2 folders")
	outside := filepath.Join(t.TempDir(), "in")
	write(t, filepath.Join(outside, "deep", "a.txt"))
	must(t, os.Rename(outside, f.path("in")))
	lines := f.until(t, "created "+f.path("in/deep/a.txt"))
	if !slices.Contains(lines, "came "+f.path("in")) || !slices.Contains(lines, "came "+f.path("in/deep")) || slices.Contains(lines, "came "+f.path("known")) {
		t.Errorf("reported is %q", lines)
	}
}

func TestEVT7WithoutRecursionFoldersBelowAreNotWatched(t *testing.T) {
	f := watch(t, t.TempDir(), func(f *source.Files) { f.Recursive = false }, 0)
	f.until(t, "seen 1 folder")
	f.write("in/a.txt")
	f.write("b.txt")
	if lines := f.until(t, "created "+f.path("b.txt")); has(lines, "a.txt") {
		t.Errorf("reported is %q", lines)
	}
}

func TestEVT7ChangedRulesOfAFolderHoldAtOnce(t *testing.T) {
	f := watch(t, t.TempDir(), nil, 0)
	f.until(t, "seen 1 folder")
	f.write("sub/build/a")
	f.until(t, "created "+f.path("sub/build/a"))
	rules := f.path("sub/.gitignore")
	must(t, os.WriteFile(f.path("rules.tmp"), []byte("build/\n*.out\n"), 0o600))
	must(t, os.Rename(f.path("rules.tmp"), rules))
	f.until(t, "created "+rules) // they hold from here on
	for _, name := range []string{"sub/build/b", "sub/c.out", "sub/in/d.out", "sub/in/end"} {
		f.write(name)
	}
	lines := f.until(t, "created "+f.path("sub/in/end"))
	for _, name := range []string{"sub/build/b", "sub/c.out", "sub/in/d.out"} {
		if has(lines, f.path(name)) {
			t.Errorf("reported is %q", lines)
		}
	}
	must(t, os.Remove(rules))
	f.until(t, "removed "+rules)
	for _, name := range []string{"sub/build/d", "sub/e.out"} {
		f.write(name)
		f.until(t, "created "+f.path(name))
	}
	must(t, os.RemoveAll(f.path("sub/build")))
	f.until(t, "went "+f.path("sub/build"))
}

// The system does not say of a path that is gone whether it was a folder.
func TestEVT7AFolderThatIsNotWatchedIsNotReportedWhenItGoes(t *testing.T) {
	for _, recursive := range []bool{false, true} {
		dir := t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, "drafts"), 0o755))
		f := watch(t, dir, func(f *source.Files) { f.Recursive, f.Ignore = recursive, []string{"drafts/", "made/"} }, 0)
		f.until(t, "seen 1 folder")
		for i, name := range []string{"drafts", "made", "drafts"} {
			if i > 0 {
				must(t, os.Mkdir(f.path(name), 0o755))
				f.write("then" + name) // the folder is seen before it goes
				f.until(t, "created "+f.path("then"+name))
			}
			must(t, os.Remove(f.path(name)))
		}
		f.write("made") // a file may have the name of a folder
		f.until(t, "created "+f.path("made"))
		must(t, os.Remove(f.path("made")))
		if lines := f.until(t, "removed "+f.path("made")); slices.Contains(lines, "removed "+f.path("drafts")) || slices.Index(lines, "removed "+f.path("made")) < slices.Index(lines, "created "+f.path("made")) {
			t.Errorf("reported is %q", lines)
		}
	}
}

// Such as the lost+found of a disk: what is next to it is watched all the same.
// A folder that is moved away takes those in it along, which are left out: a file that later has the path
// of one is a file.
func TestEVT7AFileInThePlaceOfAFolderThatWasLeftOutIsReported(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "a", "build"), 0o755))
	f := watch(t, dir, func(f *source.Files) { f.Ignore = []string{"build/"} }, 0)
	f.until(t, "seen 2 folders")
	must(t, os.Rename(f.path("a"), filepath.Join(elsewhere, "a")))
	f.until(t, "went "+f.path("a"))
	f.write("a/build")
	f.until(t, "created "+f.path("a/build"))
	must(t, os.Remove(f.path("a/build")))
	f.write("last.txt")
	if lines := f.until(t, "created "+f.path("last.txt")); !slices.Contains(lines, "removed "+f.path("a/build")) {
		t.Errorf("it is not reported that the file is gone: %q", lines)
	}
}

func TestEVT7AFolderThatCannotBeReadHidesNoOther(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every folder")
	}
	dir := t.TempDir()
	shut := func(name string, mode os.FileMode) { must(t, os.Chmod(filepath.Join(dir, name), mode)) }
	for _, name := range []string{"lost+found", "zoo"} {
		write(t, filepath.Join(dir, name, "old.txt"))
	}
	must(t, os.Mkdir(filepath.Join(dir, "shut"), 0))
	shut("lost+found", 0)
	t.Cleanup(func() { shut("lost+found", 0o755) })
	f := watch(t, dir, nil, 0)
	lines := f.until(t, "seen 2 folders; 2 below them cannot be read, such as "+f.path("lost+found"))
	if !slices.Contains(lines, "written "+f.path("zoo/old.txt")) {
		t.Errorf("reported is %q", lines)
	}

	f.write("new.txt")
	f.until(t, "created "+f.path("new.txt"))
	shut("lost+found", 0o755)
	f.until(t, "created "+f.path("lost+found/old.txt"))
	f.until(t, "seen 3 folders; 1 below them cannot be read, such as "+f.path("shut"))
	f.write("lost+found/new.txt")
	f.until(t, "created "+f.path("lost+found/new.txt"))

	must(t, os.Remove(f.path("shut")))
	f.until(t, "went "+f.path("shut"))
	f.until(t, "seen 3 folders")
}

func TestEVT13AFolderThatCannotBeReadIsNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every folder")
	}
	dir, r := filepath.Join(t.TempDir(), "in"), newRecorder()
	must(t, os.Mkdir(dir, 0))
	err := source.Files{Folder: dir}.Watch(t.Context(), r)
	if err == nil || err.Error() != "the folder "+dir+" cannot be read: permission denied" {
		t.Errorf("it is said: %v", err)
	}
	if len(r.all) > 0 { // as if it had seen something since, the log would say the same at every try
		t.Errorf("reported is %q", r.all)
	}
}

// A file that is gone before anybody looked was created all the same: both together are nothing.
func TestEVT5AFileThatGoesAtOnceIsReportedAsCreatedFirst(t *testing.T) {
	f := watch(t, t.TempDir(), nil, 0)
	f.until(t, "seen 1 folder")
	for n := range 100 {
		name := fmt.Sprint("lock", n)
		f.write(name)
		must(t, os.Remove(f.path(name)))
		if lines := f.until(t, "removed "+f.path(name)); !slices.Contains(lines, "created "+f.path(name)) {
			t.Fatalf("reported is %q", lines)
		}
	}
}

func TestEVT7WhatIsIgnoredIsNotReported(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("build/\n"), 0o600))
	f := watch(t, dir, func(f *source.Files) {
		f.Ignore, f.Private = []string{"*.log", "/only/here"}, []string{filepath.Join(dir, "data")}
	}, 0)
	f.until(t, "seen 1 folder")
	for _, name := range []string{"x.log", "build/out", "data/store", ".git/index", "a.swp", "b.txt~", "only/here", "kept/only/here", "end"} {
		f.write(name)
	}
	lines := f.until(t, "created "+f.path("kept/only/here"))
	lines = append(lines, f.until(t, "created "+f.path("end"))...)
	for _, line := range lines {
		for _, name := range []string{".log", "out", "store", "index", "swp", "~"} {
			if strings.HasSuffix(line, name) {
				t.Errorf("reported is %q", line)
			}
		}
		if strings.HasSuffix(line, f.path("only/here")) {
			t.Errorf("reported is %q", line)
		}
	}
}

// Changes made since the last ones were told are reported by the first scan (EVT-8).
// Else each event is written there, which is a change, which is an event.
func TestEVT7ShellysOwnDataIsNotWatchedByAnyPath(t *testing.T) {
	home := t.TempDir()
	data := filepath.Join(home, "share", "shelly")
	write(t, filepath.Join(data, "logs", "shelly.log"))
	link := func(to string) string {
		name := filepath.Join(t.TempDir(), "link")
		must(t, os.Symlink(to, name))
		return name
	}
	private := func(path string) func(*source.Files) {
		return func(f *source.Files) { f.Private = []string{path} }
	}
	for _, c := range []struct{ watched, data string }{{home, data}, {link(home), data}, {home, link(data)}, {link(home), link(data)}} {
		f := watch(t, c.watched, private(c.data), 0)
		f.until(t, "seen 2 folders")
	}
	for _, c := range []struct{ watched, data string }{{data, data}, {link(data), data}, {data, link(data)}, {filepath.Join(data, "logs"), data}} {
		f := source.Files{Folder: c.watched, Recursive: true, Private: []string{c.data}}
		if err := f.Watch(t.Context(), newRecorder()); err == nil || err.Error() != c.watched+" is shelly's own data, which changes with each event: watch another folder" {
			t.Errorf("%s: it is said: %v", c.watched, err)
		}
	}
}

func TestEVT8WhatChangedWhileNobodyLookedIsReported(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub", "a.txt"))
	info, err := os.Stat(filepath.Join(dir, "sub", "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	at := info.ModTime().UnixMilli()
	before := watch(t, dir, nil, at-1)
	before.until(t, "written "+before.path("sub/a.txt"))
	after := watch(t, dir, nil, at+1000)
	if lines := after.until(t, "seen 2 folders"); has(lines, "a.txt") {
		t.Errorf("reported is %q", lines)
	}
}

// Programs that copy files set the permissions, the owner and the times of what they have written.
func TestEVT8AFileWhosePermissionsHaveChangedIsNotReported(t *testing.T) {
	dir := t.TempDir()
	f := watch(t, dir, nil, 0)
	f.until(t, "seen 1 folder")
	f.write("a.txt")
	name := filepath.Join(dir, "a.txt")
	f.until(t, "created "+name)
	must(t, os.Chmod(name, 0o640))
	write(t, filepath.Join(dir, "b.txt")) // announced after the chmod
	lines := f.until(t, "created "+f.path("b.txt"))
	at := int64(0)
	for _, line := range lines {
		_, _ = fmt.Sscanf(line, "touched %d", &at)
	}
	must(t, os.Remove(f.path("b.txt")))
	after := watch(t, dir, nil, at)
	if lines := after.until(t, "seen 1 folder"); at == 0 || has(lines, "a.txt") {
		t.Errorf("touched at %d, then reported is %q", at, lines)
	}
}

func TestEVT8ATimeToComeIsNotThatOfAChange(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"))
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(dir, "a.txt"), later, later))
	after := watch(t, dir, nil, later.Add(-time.Minute).UnixMilli())
	if lines := after.until(t, "seen 1 folder"); runtime.GOOS == "linux" && has(lines, "a.txt") {
		t.Errorf("reported is %q", lines)
	}
}

// Such as a disk that is mounted over the folder. Here it is a link that leads elsewhere: that
// changes what is found at the path in the same way, and needs no rights.
func TestEVT7AFolderInAnothersPlaceIsWatched(t *testing.T) {
	base := t.TempDir()
	link := filepath.Join(base, "link")
	for _, name := range []string{"a", "b"} {
		must(t, os.MkdirAll(filepath.Join(base, name, "sub"), 0o755))
	}
	write(t, filepath.Join(base, "b", "sub", "old.txt"))
	must(t, os.Symlink(filepath.Join(base, "a"), link))
	look := make(chan time.Time)
	f := watch(t, link, func(f *source.Files) { f.Look = look }, 1)
	f.until(t, "seen 2 folders")
	look <- time.Now() // nothing has changed
	f.write("a.txt")
	f.until(t, "created "+f.path("a.txt")) // so it has looked
	must(t, os.Remove(link))
	must(t, os.Symlink(filepath.Join(base, "b"), link))
	look <- time.Now()
	old := "written " + f.path("sub/old.txt")
	lines := f.until(t, old)
	if before := lines[:slices.Index(lines, old)]; slices.Index(before[1:], "seen 2 folders") >= 0 {
		t.Errorf("reported is %q before; want once what is seen", before)
	}
	f.until(t, "seen 2 folders")
	look <- time.Now() // read only when all is watched anew
	f.write("sub/new.txt")
	f.until(t, "created "+f.path("sub/new.txt"))
}

func TestEVT13AFolderThatIsNotThereIsReported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	err := source.Files{Folder: dir}.Watch(t.Context(), newRecorder())
	if err == nil || err.Error() != "there is no folder "+dir {
		t.Errorf("it is said: %v", err)
	}
	name := filepath.Join(t.TempDir(), "file")
	write(t, name)
	if err := (source.Files{Folder: name}).Watch(t.Context(), newRecorder()); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("it is said: %v", err)
	}
}

func TestEVT13AFolderThatGoesIsReported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "in")
	must(t, os.Mkdir(dir, 0o755))
	r, done := newRecorder(), make(chan error, 1)
	go func() { done <- source.Files{Folder: dir}.Watch(t.Context(), r) }()
	r.until(t, "seen 1 folder")
	must(t, os.Remove(dir))
	if err := <-done; err == nil || !strings.Contains(err.Error(), "is gone") || errors.Is(err, event.ErrNotHere) {
		t.Errorf("it is said: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A folder that is not watched because there are too many, or because it is too deep, is not reported as
// a file when it goes.
func TestEVT7AFolderBeyondTheMostIsNotReportedWhenItGoes(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", 64)) // which is at level 65
	must(t, os.MkdirAll(deep, 0o755))
	for i := range source.FoldersMax - 65 + 1 {
		must(t, os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o755))
	}
	f := watch(t, dir, nil, 1<<62)
	f.until(t, "seen 2000 folders; 1 more below them, or more than that, are not watched")
	must(t, os.Mkdir(f.path("last"), 0o755))
	f.until(t, "seen 2000 folders; 2 more below them, or more than that, are not watched")
	must(t, os.Remove(f.path("last")))
	must(t, os.Remove(deep))
	f.write("a.txt")
	lines := f.until(t, "created "+f.path("a.txt"))
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "removed ") }); i >= 0 {
		t.Errorf("a folder is reported as a file: %s", strings.ReplaceAll(lines[i], dir, ""))
	}
}

// stalled is a sink that takes the file "stall" only once it is told to.
type stalled struct {
	*recorder
	came, goes chan struct{}
}

func (s stalled) File(path string, what settle.What) {
	if filepath.Base(path) == "stall" && what == settle.Created {
		close(s.came)
		<-s.goes
	}
	s.recorder.File(path, what)
}

// Folders whose end the system has not told, because too much changed, are not taken for watched ones: they
// would leave no room for others.
func TestEVT7FoldersThatWentUnseenAreForgotten(t *testing.T) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	most, wrong := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || wrong != nil || most > 100_000 {
		t.Skipf("the queue of the system is not known or too long: %s, %v", text, err)
	}
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755))
	sink := stalled{newRecorder(), make(chan struct{}), make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- source.Files{Folder: dir, Recursive: true}.Watch(ctx, sink) }()
	sink.until(t, "seen 3 folders")
	write(t, filepath.Join(dir, "stall"))
	<-sink.came
	file := filepath.Join(dir, "busy")
	write(t, file)
	for i := range 2 * most { // other events in between, because equal ones are queued once
		must(t, os.Chmod(file, 0o600+os.FileMode(i%2)<<6))
		must(t, os.Truncate(file, int64(i%2)))
	}
	must(t, os.RemoveAll(filepath.Join(dir, "a")))
	close(sink.goes)
	sink.until(t, "lost")
	sink.until(t, "seen 1 folder")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
