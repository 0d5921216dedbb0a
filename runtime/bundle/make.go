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
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/runtime/tarfile"
)

// Source says what to make a bundle of.
type Source struct {
	Version string
	System  string // the system that the program is for
	Now     func() time.Time
	Binary  string   // the program
	Config  []byte   // the configuration, without secrets; nil: none
	Skills  []string // folders of skills; missing ones are left out
	Store   string   // Ollama's model store
	Models  []string // names of models; may be empty
}

// Make writes a bundle (DEP-7). It reads each file twice: once for its checksum and once to write
// it.
func Make(ctx context.Context, w io.Writer, from Source) (m Manifest, err error) {
	list, err := from.list()
	if err != nil {
		return m, err
	}
	m = Manifest{Format: Format, Shelly: from.Version, System: from.System, Time: from.Now().UTC().Truncate(time.Second), Models: from.Models}
	for i := range list {
		if err := list[i].measure(ctx); err != nil {
			return m, err
		}
	}
	list = slices.Concat(preface(m, list), list)
	for _, s := range list {
		m.Files = append(m.Files, s.File)
	}
	if err := m.check(); err != nil {
		return m, fmt.Errorf("%w: %w; rename it, or leave its skill out", ErrName, err)
	}
	head, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return m, err
	}
	if len(head) > manifestBytesMax {
		return m, fmt.Errorf("too many files for a bundle: their list takes %d bytes; at most %d are allowed", len(head), manifestBytesMax)
	}
	out := tar.NewWriter(w)
	if err := put(out, m.Time, File{Name: manifestName, Bytes: int64(len(head))}, bytes.NewReader(head)); err != nil {
		return m, err
	}
	for _, s := range list {
		if err := s.copy(ctx, out, m.Time); err != nil {
			return m, err
		}
	}
	return m, out.Close()
}

// list lists the files, each once: models share blobs. If several folders have a skill of the same
// name, all its files are the first folder's.
func (from Source) list() ([]source, error) {
	list := []source{{File: File{Name: binaryName, Run: true}, path: from.Binary}}
	if from.Config != nil {
		list = append(list, source{File: File{Name: configName}, text: from.Config})
	}
	folders := map[string]string{} // the folder of skills that each skill is from
	for _, folder := range from.Skills {
		found, err := skills(folder)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			skill, _, _ := strings.Cut(strings.TrimPrefix(s.Name, skillsFolder), "/")
			if _, known := folders[skill]; !known {
				folders[skill] = folder
			}
			if folders[skill] == folder {
				list = append(list, s)
			}
		}
	}
	for _, name := range from.Models {
		found, err := model(from.Store, name)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(s source) bool {
		twice := known[s.Name]
		known[s.Name] = true
		return twice
	}), nil
}

// skills lists the files of a folder of skills, which may be a link itself. Links in it are not followed, and version
// control's files and those of an interrupted install are left out.
func skills(folder string) (list []source, err error) {
	folder, err = filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case !d.Type().IsRegular() || d.Name() == tempName:
			return nil
		}
		rel, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			list = append(list, source{File: File{Name: skillsFolder + filepath.ToSlash(rel), Run: info.Mode()&0o100 != 0}, path: file})
		}
		return err
	})
	return list, err
}

// preface returns the files for a machine that has no shelly yet.
func preface(m Manifest, list []source) []source {
	var sums strings.Builder
	for _, s := range list {
		fmt.Fprintf(&sums, "%s  %s\n", s.SHA256, s.Name)
	}
	models := "none"
	if len(m.Models) > 0 {
		models = strings.Join(m.Models, ", ")
	}
	readme := fmt.Sprintf(`shelly %s for %s, for a machine without internet.

  tar -xf THIS_FILE bin/shelly       take the program out
  ./bin/shelly bundle verify THIS_FILE
  ./bin/shelly bundle install THIS_FILE --dry-run
  ./bin/shelly bundle install THIS_FILE
  shelly doctor

Models: %s. Ollama itself is not in here.
`, m.Shelly, m.System, models)
	both := []source{{File: File{Name: readmeName}, text: []byte(readme)}, {File: File{Name: sumsName}, text: []byte(sums.String())}}
	for i := range both {
		sum := sha256.Sum256(both[i].text)
		both[i].SHA256, both[i].Bytes = hex.EncodeToString(sum[:]), int64(len(both[i].text))
	}
	return both
}

func (s *source) open() (io.ReadCloser, error) {
	if s.path == "" {
		return io.NopCloser(bytes.NewReader(s.text)), nil
	}
	return os.Open(s.path)
}

// measure determines size and checksum. A blob whose checksum is not its name is damaged.
func (s *source) measure(ctx context.Context) (err error) {
	f, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	if s.Bytes, err = io.Copy(sum, tarfile.While(ctx, f)); err != nil {
		return err
	}
	got := hex.EncodeToString(sum.Sum(nil))
	if s.SHA256 != "" && s.SHA256 != got {
		return fmt.Errorf("%s is damaged: its checksum is not its name; pull the model again", s.path)
	}
	s.SHA256 = got
	return nil
}

// copy writes the file. It is an error if the file has changed since it was measured.
func (s *source) copy(ctx context.Context, out *tar.Writer, at time.Time) (err error) {
	f, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	if err := put(out, at, s.File, io.TeeReader(tarfile.While(ctx, f), sum)); err != nil {
		return fmt.Errorf("write %s: %w", s.Name, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != s.SHA256 {
		return fmt.Errorf("%s has changed while it was read: try again", s.path)
	}
	return nil
}

// put writes an entry.
func put(out *tar.Writer, at time.Time, f File, content io.Reader) error {
	mode := int64(0o644)
	if f.Run {
		mode = 0o755
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: f.Bytes, Mode: mode, ModTime: at}); err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(content, f.Bytes))
	if err == nil && n < f.Bytes {
		err = errors.New("it became shorter while it was read: try again")
	}
	return err
}
