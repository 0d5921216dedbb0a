// Package datafolder knows what lies where in a data folder, and opens the store in it.
//
//	store/         the store (package store)
//	identity.json  that a store was made here: where that is gone, none is begun in silence
//	memory/        MEMORY.md and HISTORY.md (package session)
//	token          what clients show (package client), as endpoint.json, where they find it
//	processes/     which commands run (package tree)
//
// Beside them lie, for a while, what a backup or a restore works with (package backup).
package datafolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

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

// ErrNone says that no store was ever made in a data folder.
var ErrNone = errors.New("shelly has not run with this data folder yet: start it with shelly run")

// Store is the folder of the store.
func Store(data string) string { return filepath.Join(data, storeName) }

// Logs is the folder of the log.
func Logs(data string) string { return filepath.Join(data, logsName) }

// identity is what identity.json says.
type identity struct {
	Format int    `json:"format"`
	Store  string `json:"store"` // the name of the store that was made first
}

// identityFormat is the version of identity.json, and of where things lie.
const identityFormat = 1

// Open opens the store of a data folder, or makes one where none ever was (JRN-29).
func Open(data string, o store.Options) (*store.Store, error) {
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
	s, err := store.Open(Store(data), o)
	if err != nil {
		return nil, err
	}
	if err := identify(data, s.Name()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// OpenReadOnly opens the store of a data folder to be read, and changes nothing there. The
// error may be ErrNone.
func OpenReadOnly(data string, o store.Options) (*store.Store, error) {
	if err := Check(data); err != nil {
		return nil, err
	}
	return store.OpenReadOnly(Store(data), o)
}

// Check returns nil where the store of a data folder is there as far as the names of its
// files tell, ErrNone where none was ever made, and else what is wrong with it.
// Nothing is changed.
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

// evidence returns the file that shows that a store was made in a data folder, or "". A
// folder that an older shelly has made has no identity: there a token beside an empty
// folder shows it, while one alone may have been put there for a first start.
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

// identify notes that a store was made, once.
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
