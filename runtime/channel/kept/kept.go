// Package kept keeps over a restart how far each channel has delivered (CHN-8).
//
// What is to be delivered is in the journal: the messages to the channel's chats, by their
// positions, and the answers of its requests, by the indexes of the records that accepted them.
// So the file holds numbers, and what is lost of it is delivered once more.
package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"shelly/fsm/engine"
	"shelly/runtime/durable"
)

// Name is the file's name in the data folder.
const Name = "channels.json"

// format is its version.
const format = 1

// askedMax bounds the questions of a channel that are known to be delivered.
const askedMax = 64

// Delivered is how far a channel is.
type Delivered struct {
	Messages uint64   `json:"messages"`        // the position of the last message
	Answers  uint64   `json:"answers"`         // of all requests that were accepted up to this index
	Also     []uint64 `json:"also,omitempty"`  // and of these, in ascending order
	Asked    []string `json:"asked,omitempty"` // ids of questions, the latest last
	Partly   *Partly  `json:"partly,omitempty"`
}

// Partly is what was delivered in part.
type Partly struct {
	ID    string `json:"id"`
	Bytes int    `json:"bytes"` // of its text
}

// Has reports whether the answer of the request that was accepted at an index is delivered.
func (d Delivered) Has(index uint64) bool {
	return index <= d.Answers || slices.Contains(d.Also, index)
}

// Answer adds an answer. Every request up to the index settled has its answer delivered.
func (d *Delivered) Answer(index, settled uint64) {
	d.Also = append(slices.Clone(d.Also), index)
	d.Settle(settled)
}

// Settle notes that every request up to an index has its answer delivered.
func (d *Delivered) Settle(settled uint64) {
	d.Answers = max(d.Answers, settled)
	d.Also = slices.DeleteFunc(slices.Clone(d.Also), func(i uint64) bool { return i <= d.Answers })
	slices.Sort(d.Also)
}

// Ask adds a question.
func (d *Delivered) Ask(id string) {
	d.Asked = append(slices.Clone(d.Asked), id)
	d.Asked = d.Asked[max(0, len(d.Asked)-askedMax):]
}

// file is the form of the file.
type file struct {
	Format   int                  `json:"format"`
	Channels map[string]Delivered `json:"channels"`
}

// File is the file of a data folder. Its methods may be called at the same time.
type File struct {
	name string // empty: nothing is kept
	mu   sync.Mutex
	now  file
}

// Open reads the file of a data folder. After an error it is usable all the same: as if it were
// not there.
func Open(data string) (*File, error) {
	f := &File{name: filepath.Join(data, Name), now: file{Format: format, Channels: map[string]Delivered{}}}
	text, err := os.ReadFile(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	var was file
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err == nil && was.Format != format {
		err = fmt.Errorf("it has the format %d; this shelly knows %d", was.Format, format)
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w", f.name, err)
	}
	if was.Channels != nil {
		f.now = was
	}
	return f, nil
}

// Begin returns how far a channel is. One that is not known begins after the last record that
// there is; one that lies beyond it, because an older journal was put back, goes on from there.
func (f *File) Begin(channel string, last uint64) (Delivered, error) {
	f.mu.Lock()
	d, known := f.now.Channels[channel]
	f.mu.Unlock()
	if !known {
		d = Delivered{Messages: engine.LastOf(last), Answers: last}
	}
	d.Messages, d.Answers = min(d.Messages, engine.LastOf(last)), min(d.Answers, last)
	d.Also = slices.DeleteFunc(slices.Clone(d.Also), func(i uint64) bool { return i > last })
	return d, f.Save(channel, d)
}

// Save keeps how far a channel is, durably.
func (f *File) Save(channel string, d Delivered) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Channels[channel] = d
	return durable.As{Alone: true}.File(f.name, func(out io.Writer) error { return json.NewEncoder(out).Encode(f.now) })
}
