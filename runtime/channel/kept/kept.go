// Package kept keeps, across a restart, how far each channel has delivered (CHN-8).
//
// Everything to be delivered is in the journal: the messages to the channel's chats, by their
// positions, and the answers to its requests, by the indexes of the records that accepted them.
// So the file holds only numbers, and if some are lost, those messages are delivered once more.
// A chat that has to wait is left behind: the others go on, and its own position is kept.
package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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

// BehindMax is the most chats of a channel that can be behind.
const BehindMax = 64

// owedMax is the most answers that can be owed.
const owedMax = 1024

// partsMax is the most messages that are remembered as delivered in part.
const partsMax = 2 * BehindMax

// Delivered is how far a channel has delivered. A copy of it may be kept: its methods change no
// map and no slice in place.
type Delivered struct {
	Messages uint64            `json:"messages"`         // the position of the last message
	Behind   map[string]uint64 `json:"behind,omitempty"` // chats that are behind that, by the positions of the last messages delivered to them
	Answers  uint64            `json:"answers"`          // the answers to all requests accepted up to this index are delivered
	Owed     []uint64          `json:"owed,omitempty"`   // but for those to the requests with these indexes, in ascending order
	Also     []uint64          `json:"also,omitempty"`   // and those to the requests with these later indexes, in ascending order
	Asked    []string          `json:"asked,omitempty"`  // ids of delivered questions, the latest last
	Parts    []Partly          `json:"parts,omitempty"`  // messages that were delivered in part, the latest last
	Partly   *Partly           `json:"partly,omitempty"` // one of those, in a file of an older version
}

// Partly is a message that was delivered in part.
type Partly struct {
	ID    string `json:"id"`
	Bytes int    `json:"bytes"` // of its text that were delivered
}

// Leave leaves a chat behind: all its messages up to a position are delivered.
func (d *Delivered) Leave(chat string, position uint64) {
	d.Behind = maps.Clone(d.Behind)
	if d.Behind == nil {
		d.Behind = map[string]uint64{}
	}
	d.Behind[chat] = position
}

// Rejoin notes that a chat is no longer behind.
func (d *Delivered) Rejoin(chat string) {
	d.Behind = maps.Clone(d.Behind)
	delete(d.Behind, chat)
}

// Message notes that a message to a chat was delivered.
func (d *Delivered) Message(chat string, position uint64) {
	if _, behind := d.Behind[chat]; behind {
		d.Leave(chat, position)
	} else {
		d.Messages = position
	}
}

// Has reports whether the answer to the request accepted at an index was delivered.
func (d Delivered) Has(index uint64) bool {
	return index <= d.Answers && !slices.Contains(d.Owed, index) || slices.Contains(d.Also, index)
}

// Answer adds the delivered answer of the request at an index, and then settles.
func (d *Delivered) Answer(index, settled uint64, open []uint64) {
	d.Also = append(slices.Clone(d.Also), index)
	d.Settle(settled, open)
}

// Settle notes that the answers to all requests up to an index were delivered, but for the open
// ones. Where too many are open, it is only noted up to one of them.
func (d *Delivered) Settle(settled uint64, open []uint64) {
	settled = max(d.Answers, settled)
	open = slices.Sorted(slices.Values(open))
	if len(open) > owedMax {
		settled = max(d.Answers, min(settled, open[owedMax]-1))
	}
	d.Answers, d.Owed = settled, slices.DeleteFunc(open, func(i uint64) bool { return i > settled })
	d.Also = slices.DeleteFunc(slices.Clone(d.Also), func(i uint64) bool { return i <= d.Answers })
	slices.Sort(d.Also)
}

// Part notes that a part of a message was delivered, up to the given number of bytes of its text.
func (d *Delivered) Part(id string, bytes int) {
	d.Whole(id)
	d.Parts = append(d.Parts, Partly{id, bytes})
	d.Parts = d.Parts[max(0, len(d.Parts)-partsMax):]
}

// Whole forgets the parts of a message.
func (d *Delivered) Whole(id string) {
	d.Parts = slices.DeleteFunc(slices.Clone(d.Parts), func(p Partly) bool { return p.ID == id })
}

// PartOf returns how many bytes of a message's text were delivered.
func (d Delivered) PartOf(id string) int {
	i := slices.IndexFunc(d.Parts, func(p Partly) bool { return p.ID == id })
	if i < 0 {
		return 0
	}
	return d.Parts[i].Bytes
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
	unknown := func(i uint64) bool { return i > last }
	d.Owed, d.Also = slices.DeleteFunc(slices.Clone(d.Owed), unknown), slices.DeleteFunc(slices.Clone(d.Also), unknown)
	d.Behind = maps.Clone(d.Behind)
	maps.DeleteFunc(d.Behind, func(_ string, position uint64) bool { return position >= d.Messages })
	if d.Partly != nil {
		d.Part(d.Partly.ID, d.Partly.Bytes)
		d.Partly = nil
	}
	return d, f.Save(channel, d)
}

// Save durably writes how far a channel has delivered.
func (f *File) Save(channel string, d Delivered) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Channels[channel] = d
	return durable.As{Alone: true}.File(f.name, func(out io.Writer) error { return json.NewEncoder(out).Encode(f.now) })
}
