// Package datafolder knows the layout of a data folder, and opens the store in it.
//
//	store/         the store (package store)
//	identity.json  says that a store was made here: if that store is gone, no new one is made silently
//	memory/        MEMORY.md and HISTORY.md (package session)
//	token          what clients authenticate with (package client); endpoint.json says where to connect
//	processes/     which commands are running (package tree)
//
// During a backup or a restore the folder also holds their working files (package backup).
package datafolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"shelly/fsm/engine"
	"shelly/runtime/durable"
	"shelly/runtime/store"
)

// Names in a data folder.
const (
	storeName     = "store"
	identityName  = "identity.json"
	memoryName    = "memory"
	tokenName     = "token"
	endpointName  = "endpoint.json"
	processesName = "processes"
	logsName      = "logs"
)

// ErrNone is the error when no store was ever made in a data folder.
var ErrNone = errors.New("shelly has not run with this data folder yet: start it with shelly run")

// Store returns the folder of the store.
func Store(data string) string { return filepath.Join(data, storeName) }

// Logs returns the folder of the log.
func Logs(data string) string { return filepath.Join(data, logsName) }

// identity is the content of identity.json.
type identity struct {
	Format int    `json:"format"`
	Store  string `json:"store"` // the name of the first store made here
}

// identityFormat is the version of identity.json, and of the layout of the data folder.
const identityFormat = 1

// Open opens the store of a data folder, or makes one if there never was one (JRN-29). A journal
// in which newer code decided is refused with an engine.ErrNewer, and nothing is changed (JRN-15).
func Open(data string, o store.Options) (*store.Store, error) {
	if err := Own(data); err != nil { // before anything in it fails for that reason
		return nil, err
	}
	if err := Check(data); err != nil && !errors.Is(err, ErrNone) {
		return nil, err
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := Guard(data, log); err != nil {
		return nil, err
	}
	o.Admits = admits
	s, err := store.Open(Store(data), o)
	if err != nil {
		return nil, err
	}
	if err := identify(data, s.Name()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// admits refuses a journal in which newer code decided. What cannot be read is left to the opening,
// which says what is damaged.
func admits(j engine.Reader) error {
	if err := engine.Known(j); errors.Is(err, engine.ErrNewer) {
		return err
	}
	return nil
}

// OpenReadOnly opens the store of a data folder for reading, and changes nothing there. The error
// may be ErrNone.
func OpenReadOnly(data string, o store.Options) (*store.Store, error) {
	if err := Check(data); err != nil {
		return nil, err
	}
	s, err := store.OpenReadOnly(Store(data), o)
	if errors.Is(err, store.ErrNone) { // the first start was interrupted
		return nil, fmt.Errorf("%s: %w", data, ErrNone)
	}
	return s, err
}

// Check returns nil if the store of a data folder exists and is complete, judging by the names of
// its files, ErrNone if none was ever made, and otherwise what is wrong with it. It changes
// nothing.
func Check(data string) error {
	there, err := store.Look(Store(data))
	if err != nil || there {
		return err
	}
	shows, err := evidence(data)
	switch {
	case err != nil:
		return err
	case shows == "":
		return fmt.Errorf("%s: %w", data, ErrNone)
	}
	return store.Gone(Store(data), shows)
}

// Around returns the data folder in which a path lies, or "" if it lies in none, whatever links it
// goes through. The path itself need not exist, nor folders on the way.
func Around(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return ""
	}
	for ; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if shows, _ := evidence(dir); shows != "" {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// evidence returns the file that shows that a store was made in a data folder, or "". A folder made
// by an older shelly has no identity.json: there a token beside an empty store folder shows it,
// whereas a token alone may have been put there for a first start.
func evidence(data string) (string, error) {
	name := filepath.Join(data, identityName)
	text, err := os.ReadFile(name)
	switch {
	case err == nil:
		var id identity
		if json.Unmarshal(text, &id) == nil && id.Format > identityFormat {
			return "", fmt.Errorf("%w: %s has format %d, this shelly reads up to %d: use the newer one", store.ErrNewerFormat, name, id.Format, identityFormat)
		}
		return name, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("cannot read the data folder: %w%s", err, store.Advice(err))
	}
	token := filepath.Join(data, tokenName)
	for _, name := range []string{Store(data), token} {
		if _, err := os.Stat(name); err != nil {
			return "", nil
		}
	}
	return token, nil
}

// identify records that a store was made, once.
func identify(data, name string) error {
	file := filepath.Join(data, identityName)
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	text, err := json.Marshal(identity{Format: identityFormat, Store: name})
	if err != nil {
		return err
	}
	return durable.Text(file, append(text, '\n'))
}
