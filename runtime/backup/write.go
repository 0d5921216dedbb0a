package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// checkpointFolder is where the checkpoint lies in the data folder while it is written.
const checkpointFolder = "checkpoint.tmp"

// momentsMax is how often the checkpoint is taken for memory files that stay as they
// were.
const momentsMax = 3

// Store is the part of a store that is needed.
type Store interface {
	Name() string
	// Checkpoint makes a store of its own in dir, of all that is written.
	Checkpoint(dir string) error
}

// Source is what to back up.
type Source struct {
	Data    string // the data folder
	Store   Store  // of the data folder, open
	Version string // of this shelly
	Now     func() time.Time
}

// Write writes a backup of what is synced when it begins (JRN-24), one at a time for a
// data folder. Writes to the store go on meanwhile. An error before the first byte has
// written nothing; behind it w holds a part that no reader takes for the whole.
func Write(ctx context.Context, w io.Writer, from Source) (Manifest, error) {
	m, err := write(ctx, w, from)
	return m, errors.Join(err, Clear(from.Data))
}

// Clear removes what a crash in the midst of Write has left. The caller has the
// store's lock.
func Clear(data string) error { return os.RemoveAll(filepath.Join(data, checkpointFolder)) }

func write(ctx context.Context, w io.Writer, from Source) (m Manifest, err error) {
	memory, err := freeze(from)
	defer func() { err = errors.Join(err, closeAll(memory)) }()
	if err != nil {
		return m, fmt.Errorf("take a checkpoint of the store: %w", err)
	}
	dir := filepath.Join(from.Data, checkpointFolder, storeFolder)
	m = Manifest{Format: Format, Shelly: from.Version, Time: from.Now().UTC(), Store: from.Store.Name(), StoreFormat: store.Format}
	if err := m.describe(dir); err != nil {
		return m, err
	}
	if err := m.list(dir, memory); err != nil {
		return m, err
	}
	head, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	a := &archive{ctx: ctx, tar: tar.NewWriter(w), at: m.Time}
	if err := a.add(manifestName, int64(len(head)), strings.NewReader(string(head))); err != nil {
		return m, err
	}
	for _, f := range m.Files {
		if err := a.file(dir, f, memory); err != nil {
			return m, err
		}
	}
	sums := a.sums.String()
	return m, errors.Join(a.add(checksumsName, int64(len(sums)), strings.NewReader(sums)), a.tar.Close())
}

// freeze takes the checkpoint and opens the memory files as they are then.
func freeze(from Source) (memory []*os.File, err error) {
	scratch := filepath.Join(from.Data, checkpointFolder)
	folder := filepath.Join(from.Data, memoryFolder)
	for moment := 1; ; moment++ {
		if err := errors.Join(closeAll(memory), os.RemoveAll(scratch), os.Mkdir(scratch, 0o700)); err != nil {
			return nil, err
		}
		before := look(folder)
		if err := from.Store.Checkpoint(filepath.Join(scratch, storeFolder)); err != nil {
			return nil, err
		}
		if memory, err = openMemory(folder); err != nil || moment == momentsMax || same(before, look(folder)) {
			return memory, err
		}
	}
}

// look returns what the memory files are now; a missing one is nil.
func look(folder string) (infos [len(memoryFiles)]fs.FileInfo) {
	for i, name := range memoryFiles {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil {
			infos[i] = info
		}
	}
	return infos
}

func same(a, b [len(memoryFiles)]fs.FileInfo) bool {
	for i := range a {
		if a[i] == nil || b[i] == nil {
			if a[i] != b[i] {
				return false
			}
			continue
		}
		if !os.SameFile(a[i], b[i]) || a[i].Size() != b[i].Size() || a[i].ModTime() != b[i].ModTime() {
			return false
		}
	}
	return true
}

// openMemory opens the memory files that there are. Where a name is a link, it is what
// the link leads to.
func openMemory(folder string) (files []*os.File, err error) {
	for _, name := range memoryFiles {
		file := filepath.Join(folder, name)
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return files, err
		case !info.Mode().IsRegular():
			return files, fmt.Errorf("%s is no regular file: move it away", file)
		}
		f, err := os.Open(file)
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*os.File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// describe says what the checkpoint holds, by opening it: what cannot be opened is no
// backup.
func (m *Manifest) describe(dir string) (err error) {
	s, err := store.OpenReadOnly(dir, store.Options{})
	if err != nil {
		return fmt.Errorf("open the checkpoint: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	kept, err := s.Kept()
	if err != nil {
		return err
	}
	m.First, m.Last = kept.First, kept.Last
	for before := ^uint64(0); ; {
		page, err := s.Requests(before, engine.ReadMax)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			m.Requests++
			if !r.Done {
				m.Unfinished++
			}
		}
		before = page[len(page)-1].Index
	}
}

// list names the files of the checkpoint and of the memory folder.
func (m *Manifest) list(dir string, memory []*os.File) error {
	entries, err := os.ReadDir(dir) // in the order of their names
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !plain(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		m.add(storeFolder, info)
	}
	for _, f := range memory {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		m.add(memoryFolder, namedInfo{info, filepath.Base(f.Name())})
	}
	return m.check()
}

// namedInfo is a file that has another name here.
type namedInfo struct {
	fs.FileInfo
	name string
}

func (n namedInfo) Name() string { return n.name }

func (m *Manifest) add(folder string, info fs.FileInfo) {
	m.Files = append(m.Files, File{Name: path.Join(folder, info.Name()), Bytes: info.Size()})
	m.Bytes += info.Size()
}

// archive writes the entries.
type archive struct {
	ctx  context.Context
	tar  *tar.Writer
	at   time.Time
	sums strings.Builder
}

// file writes a file of the manifest.
func (a *archive) file(dir string, f File, memory []*os.File) (err error) {
	folder, name := path.Split(f.Name)
	if folder == memoryFolder+"/" {
		for _, m := range memory {
			if filepath.Base(m.Name()) == name {
				return a.add(f.Name, f.Bytes, m)
			}
		}
	}
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return a.add(f.Name, f.Bytes, file)
}

// add writes an entry of so many bytes.
func (a *archive) add(name string, bytes int64, content io.Reader) error {
	err := a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: bytes, Mode: 0o600, ModTime: a.at})
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(a.tar, sum), io.LimitReader(reading{a.ctx, content}, bytes))
	switch {
	case err != nil:
		return fmt.Errorf("write %s: %w", name, err)
	case n < bytes:
		return fmt.Errorf("write %s: it became shorter meanwhile: try again", name)
	}
	a.sums.WriteString(checksum(name, sum.Sum(nil)))
	return nil
}

// checksum is a line of the checksums.
func checksum(name string, sum []byte) string { return hex.EncodeToString(sum) + "  " + name + "\n" }

// reading reads until its context ends.
type reading struct {
	ctx context.Context
	io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
