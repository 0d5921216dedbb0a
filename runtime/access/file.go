package access

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"shelly/fsm"
	"shelly/runtime/durable"
	"shelly/runtime/misfit"
)

// Name is the file's name in the data folder.
const Name = "clients.json"

// format is the version of the file. A newer one is not read.
const format = 1

const fileBytesMax = 1 << 20

// kept is the content of the file.
type kept struct {
	Format  int          `json:"format"`
	Clients []keptClient `json:"clients"`
}

type keptClient struct {
	Name string     `json:"name"`
	Hash string     `json:"sha256"` // of the token, as hexadecimal digits
	Can  []string   `json:"can"`
	Made fsm.Millis `json:"made"`
	Used fsm.Millis `json:"used,omitempty"`
}

// load reads the file; without a file there are no clients. A file that others may use, or
// that cannot be read, is an error, so that nobody is let in or shut out by a guess.
func load(path string) ([]entry, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the clients: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; remove it and make the tokens again", path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others may use %s (mode %04o); remove it and make the tokens again", path, info.Mode().Perm())
	case info.Size() > fileBytesMax:
		return nil, fmt.Errorf("%s is longer than %d bytes; remove it and make the tokens again", path, fileBytesMax)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the clients: %w", err)
	}
	list, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; mend it, or remove it and make the tokens again", path, err)
	}
	return list, nil
}

// parse reads the text of the file.
func parse(data []byte) ([]entry, error) {
	var k kept
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&k); err != nil {
		return nil, misfit.Worded(err)
	}
	_, after := d.Token()
	switch {
	case k.Format != format:
		return nil, fmt.Errorf("its format is %d, and this shelly reads %d", k.Format, format)
	case !errors.Is(after, io.EOF):
		return nil, errors.New("there is more after its end")
	case len(k.Clients) > Max:
		return nil, fmt.Errorf("it has %d clients, and the most is %d", len(k.Clients), Max)
	}
	var list []entry
	for _, one := range k.Clients {
		e, err := one.entry()
		if err != nil {
			return nil, err
		}
		if index(list, e.Name) >= 0 {
			return nil, fmt.Errorf("there are two clients %q", e.Name)
		}
		list = append(list, e)
	}
	return list, nil
}

func (k keptClient) entry() (entry, error) {
	can, err := ParseRights(k.Can)
	if err != nil {
		return entry{}, fmt.Errorf("client %q: %w", k.Name, err)
	}
	e := entry{Client: Client{Name: k.Name, Can: can, Made: k.Made, Used: k.Used}}
	if err := CheckName(k.Name); err != nil {
		return entry{}, err
	}
	sum, err := hex.DecodeString(k.Hash)
	if err != nil || len(sum) != len(e.sum) {
		return entry{}, fmt.Errorf("client %q has no hash of a token", k.Name)
	}
	e.sum = [sha256.Size]byte(sum)
	return e, nil
}

// save replaces the file, whole and durably.
func save(path string, list []entry) error {
	k := kept{Format: format, Clients: []keptClient{}}
	for _, e := range list {
		one := keptClient{Name: e.Name, Hash: hex.EncodeToString(e.sum[:]), Made: e.Made, Used: e.Used}
		for _, r := range e.Can {
			one.Can = append(one.Can, string(r))
		}
		k.Clients = append(k.Clients, one)
	}
	data, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the clients: %w", err)
	}
	return durable.Text(path, append(data, '\n'))
}
