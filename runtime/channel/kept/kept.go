// Package kept keeps, across a restart, how far each channel has delivered (CHN-8).
//
// Everything to be delivered is in the journal: the messages to the channel's chats, by their
// positions, and the answers to its requests, by the indexes of the records that accepted them.
// So the file holds only numbers, and if some are lost, those messages are delivered once more.
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

// format is the version of the file's format.
const format = 1

// askedMax is the most delivered questions of a channel that are remembered.
const askedMax = 64

// Delivered is how far a channel has delivered.
type Delivered struct {
	Messages uint64   `json:"messages"`        // the position of the last message
	Answers  uint64   `json:"answers"`         // the answers to all requests accepted up to this index are delivered
	Also     []uint64 `json:"also,omitempty"`  // and those to the requests with these indexes, in ascending order
	Asked    []string `json:"asked,omitempty"` // ids of delivered questions, the latest last
	Partly   *Partly  `json:"partly,omitempty"`
}

// Partly is a message that was delivered in part.
type Partly struct {
	ID    string `json:"id"`
	Bytes int    `json:"bytes"` // of its text that were delivered
}

// Has reports whether the answer to the request accepted at an index was delivered.
func (d Delivered) Has(index uint64) bool {
	return index <= d.Answers || slices.Contains(d.Also, index)
}

// Answer adds the delivered answer of the request at an index, and then settles.
func (d *Delivered) Answer(index, settled uint64) {
	d.Also = append(slices.Clone(d.Also), index)
	d.Settle(settled)
}

// Settle notes that the answers to all requests up to an index were delivered.
func (d *Delivered) Settle(settled uint64) {
	d.Answers = max(d.Answers, settled)
	d.Also = slices.DeleteFunc(slices.Clone(d.Also), func(i uint64) bool { return i <= d.Answers })
	slices.Sort(d.Also)
}

// Ask adds a delivered question.
func (d *Delivered) Ask(id string) {
	d.Asked = append(slices.Clone(d.Asked), id)
	d.Asked = d.Asked[max(0, len(d.Asked)-askedMax):]
}

// file is the content of the file.
type file struct {
	Format   int                  `json:"format"`
	Channels map[string]Delivered `json:"channels"`
}

// File is the file in a data folder. Its methods may be called concurrently.
type File struct {
	name string // empty: nothing is kept
	mu   sync.Mutex
	now  file
}

// Open reads the file in a data folder. After an error the returned File is still usable, as if
// there were no file.
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

// Begin returns how far a channel has delivered. An unknown channel begins after the last
// record; so does one that lies beyond it, because an older journal was restored.
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

// Save durably writes how far a channel has delivered.
func (f *File) Save(channel string, d Delivered) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Channels[channel] = d
	return durable.As{Alone: true}.File(f.name, func(out io.Writer) error { return json.NewEncoder(out).Encode(f.now) })
}
