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

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/engine"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
	"shelly/runtime/store/files"
	"shelly/runtime/tarfile"
)

// checkpointFolder is where the checkpoint is in the data folder while the backup is written.
const checkpointFolder = "checkpoint.tmp"

// momentsMax is how many times a checkpoint is taken in the hope that the memory files do not
// change during it.
const momentsMax = 3

// Store is the part of a store that Write needs.
type Store interface {
	Name() string
	// Checkpoint makes a store in dir with all that was written.
	Checkpoint(dir string) error
}

// Source is what to back up.
type Source struct {
	Data    string // the data folder
	Store   Store  // the open store of the data folder; nil: use Still
	Version string // the version of this shelly
	Now     func() time.Time
	// Still is the store of a data folder that no daemon uses, open read-only. Its files are
	// written as they are, and nothing is made in the folder.
	Still *store.Store
}

// Write writes a backup of what is synced when it begins (JRN-24). Only one backup of a data folder
// may run at a time; writes to the store may go on. If an error comes before the first byte,
// nothing was written; after a later one w holds a part that no reader takes for a whole backup.
func Write(ctx context.Context, w io.Writer, from Source) (Manifest, error) {
	if from.Still != nil {
		return write(ctx, w, from)
	}
	m, err := write(ctx, w, from)
	return m, errors.Join(err, Clear(from.Data))
}

// Clear removes what a crash during Write left. The caller holds the store's lock.
func Clear(data string) error { return os.RemoveAll(filepath.Join(data, checkpointFolder)) }

func write(ctx context.Context, w io.Writer, from Source) (m Manifest, err error) {
	f, err := freeze(from)
	defer func() { err = errors.Join(err, f.close()) }()
	if err != nil {
		return m, err
	}
	if err := examine(ctx, f.store); err != nil {
		return m, err
	}
	m = Manifest{Format: Format, Shelly: from.Version, Time: from.Now().UTC(), Store: f.store.Name(), StoreFormat: store.Format}
	if err := m.describe(f.store); err != nil {
		return m, err
	}
	if err := m.list(f); err != nil {
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
	for _, file := range m.Files {
		if err := a.file(f, file); err != nil {
			return m, err
		}
	}
	sums := a.sums.String()
	return m, errors.Join(a.add(checksumsName, int64(len(sums)), strings.NewReader(sums)), a.tar.Close())
}

// examine reads the whole store: a damaged one must not be kept as if it were a good backup
// (JRN-30).
func examine(ctx context.Context, s *store.Store) error {
	x, err := s.Examine(ctx)
	return errors.Join(err, x.Err())
}

// frozen is what is backed up, as it is at one moment.
type frozen struct {
	dir    string       // the folder of the store's files, which do not change
	store  *store.Store // the store in dir, open read-only
	memory []*os.File
	end    func() error // closes the store
}

func (f frozen) close() error {
	err := closeAll(f.memory)
	if f.end != nil {
		err = errors.Join(err, f.end())
	}
	return err
}

// freeze takes a checkpoint of a store that may be written to meanwhile, and opens the memory files
// of the same moment. If anything cannot be opened, there is no backup.
func freeze(from Source) (f frozen, err error) {
	if from.Still != nil {
		f.dir, f.store = datafolder.Store(from.Data), from.Still
		f.memory, err = openMemory(filepath.Join(from.Data, memoryFolder))
		return f, err
	}
	if f.dir, f.memory, err = checkpoint(from); err != nil {
		return f, fmt.Errorf("take a checkpoint of the store: %w", err)
	}
	if f.store, err = store.OpenReadOnly(f.dir, store.Options{}); err != nil {
		return f, fmt.Errorf("open the checkpoint: %w", err)
	}
	f.end = f.store.Close
	return f, nil
}

// checkpoint takes a checkpoint and opens the memory files, and repeats this if they changed during
// it.
func checkpoint(from Source) (dir string, memory []*os.File, err error) {
	scratch := filepath.Join(from.Data, checkpointFolder)
	folder := filepath.Join(from.Data, memoryFolder)
	dir = filepath.Join(scratch, storeFolder)
	for moment := 1; ; moment++ {
		if err := errors.Join(closeAll(memory), os.RemoveAll(scratch), os.Mkdir(scratch, 0o700)); err != nil {
			return dir, nil, err
		}
		before := look(folder)
		if err := from.Store.Checkpoint(dir); err != nil {
			return dir, nil, err
		}
		if memory, err = openMemory(folder); err != nil || moment == momentsMax || same(before, look(folder)) {
			return dir, memory, err
		}
	}
}

// look returns the state of the memory files; nil for a missing one.
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

// openMemory opens the memory files that exist. A link is followed.
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
			return files, fmt.Errorf("%s is not a regular file: move it away", file)
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

// describe fills in what a store holds.
func (m *Manifest) describe(s *store.Store) error {
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

// list lists the files of the store and of the memory folder.
func (m *Manifest) list(f frozen) error {
	folder, err := files.List(vfs.Default, f.dir)
	if err != nil {
		return err
	}
	for _, name := range folder.Names() {
		info, err := os.Stat(filepath.Join(f.dir, name))
		if err != nil {
			return err
		}
		m.add(storeFolder, info)
	}
	for _, f := range f.memory {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		m.add(memoryFolder, namedInfo{info, filepath.Base(f.Name())})
	}
	return m.check()
}

// namedInfo is the information of a file under another name.
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
func (a *archive) file(from frozen, f File) (err error) {
	folder, name := path.Split(f.Name)
	if folder == memoryFolder+"/" {
		for _, m := range from.memory {
			if filepath.Base(m.Name()) == name {
				return a.add(f.Name, f.Bytes, m)
			}
		}
	}
	file, err := os.Open(filepath.Join(from.dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return a.add(f.Name, f.Bytes, file)
}

// add writes an entry of the given size in bytes.
func (a *archive) add(name string, bytes int64, content io.Reader) error {
	err := a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: bytes, Mode: 0o600, ModTime: a.at})
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(a.tar, sum), io.LimitReader(tarfile.While(a.ctx, content), bytes))
	switch {
	case err != nil:
		return fmt.Errorf("write %s: %w", name, err)
	case n < bytes:
		return fmt.Errorf("write %s: it became shorter while it was read: try again", name)
	}
	a.sums.WriteString(checksum(name, sum.Sum(nil)))
	return nil
}

// checksum returns a line of the checksums.
func checksum(name string, sum []byte) string { return hex.EncodeToString(sum) + "  " + name + "\n" }
