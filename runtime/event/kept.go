package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"shelly/runtime/durable"
)

// keptName is the name of the file in the data folder.
const keptName = "events.json"

// keptFormat is the version of its format.
const keptFormat = 1

// Kept is what the engine keeps across a restart. Nil keeps nothing.
type Kept struct {
	name string
	mu   sync.Mutex
	was  keptFile
}

type keptFile struct {
	Format  int                   `json:"format"`
	Sources map[string]keptSource `json:"sources"`
}

// keptSource is what was told about a source.
type keptSource struct {
	Of     string            `json:"of"`               // its configuration then; if that is of another source, the rest is ignored
	Told   int64             `json:"told,omitempty"`   // files: up to when changes were told, in milliseconds since 1970
	States map[string]string `json:"states,omitempty"` // by subject
}

// OpenKept reads what is kept in a data folder. After an error the result is usable, as if
// nothing were kept.
func OpenKept(data string) (*Kept, error) {
	k := &Kept{name: filepath.Join(data, keptName)}
	text, err := os.ReadFile(k.name)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &k.was)
	}
	if err == nil && k.was.Format != keptFormat {
		err = fmt.Errorf("%s has the format %d, and this version knows %d", k.name, k.was.Format, keptFormat)
	}
	if err != nil {
		k.was = keptFile{}
	}
	return k, err
}

// begin gives a watch what was told before. For a new source, everything that is there now
// counts as told.
func (k *Kept) begin(w *watch, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = now.UnixMilli()
	if k == nil {
		return
	}
	k.mu.Lock()
	was, known := k.was.Sources[w.spec.Name]
	k.mu.Unlock()
	if !known || !w.spec.continues(was.Of) {
		return
	}
	if was.Told > 0 {
		w.told = was.Told
	}
	for subject, state := range was.States { // order-free: the subjects differ
		w.states.Begin(subject, state)
	}
}

// save writes what was told to the file.
func (k *Kept) save(watches []*watch) error {
	if k == nil {
		return nil
	}
	file := keptFile{Format: keptFormat, Sources: map[string]keptSource{}}
	for _, w := range watches {
		file.Sources[w.spec.Name] = w.kept()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(file.Sources) == 0 && len(k.was.Sources) == 0 {
		return nil // without sources there is no file
	}
	k.was = file
	return durable.As{Alone: true}.File(k.name, func(out io.Writer) error { return json.NewEncoder(out).Encode(file) })
}

func (w *watch) kept() keptSource {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := keptSource{Of: w.spec.Of, Told: w.told}
	for _, name := range w.states.Subjects() {
		if s.States == nil {
			s.States = map[string]string{}
		}
		s.States[name] = w.states.Told(name)
		if w.out != nil && w.out.state != nil && w.out.state.Subject == name { // it is not raised yet
			s.States[name] = w.out.state.From
		}
	}
	return s
}
