package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"

	"shelly/runtime/datafolder"
	"shelly/runtime/durable"
	"shelly/runtime/process"
	"shelly/runtime/store"
)

// EndpointFile is the name, in the data folder, of the file that says where the
// daemon listens.
const EndpointFile = "endpoint.json"

// Endpoint says where a daemon listens.
type Endpoint struct {
	HTTP    string `json:"http"`           // HOST:PORT
	UDP     string `json:"udp,omitempty"`  // HOST:PORT
	Unix    string `json:"unix,omitempty"` // path of a socket
	PID     int    `json:"pid"`
	Start   string `json:"start,omitempty"` // of the process (process.Started)
	Version string `json:"version"`
}

// WriteEndpoint tells clients where the daemon listens, from now on.
func WriteEndpoint(dir string, e Endpoint) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the endpoint: %w", err)
	}
	return durable.Text(filepath.Join(dir, EndpointFile), append(data, '\n'))
}

// RemoveEndpoint tells clients that a daemon does not listen any more. The file of another daemon,
// which has its data folder in the same place by now, is left alone (CFG-8).
func RemoveEndpoint(dir string, own Endpoint) error {
	if e, err := ReadEndpoint(dir); err == nil && e != own {
		return nil
	}
	err := os.Remove(filepath.Join(dir, EndpointFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the endpoint file: %w", err)
	}
	return nil
}

// noAccess is the error if a file of the data folder is closed to this user.
func noAccess(err error) error {
	return fmt.Errorf("%w: %w; run this as the user that shelly runs as, or name another folder with --data", ErrNoAccess, err)
}

// ReadEndpoint returns where the daemon of a data folder listens. Without a file the error is
// ErrNotRunning, and also ErrUnannounced if a process uses the folder; if this user may not read
// it, ErrNoAccess; if it is damaged, ErrEndpoint. A copied folder names the daemon of the original,
// which does not use the copy (COM-110). A file left by a killed daemon looks like any other, so
// the listener must prove what it is before it is sent the token (COM-18). The addresses are always
// loopback addresses.
func ReadEndpoint(dir string) (Endpoint, error) {
	path := filepath.Join(dir, EndpointFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if used := store.InUse(datafolder.Store(dir)); used != nil {
			return Endpoint{}, unannounced{fmt.Errorf("%w (there is no %s: it may just be starting), but %w", ErrUnannounced, path, used)}
		}
		return Endpoint{}, fmt.Errorf("%w (there is no %s)", ErrNotRunning, path)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return Endpoint{}, fmt.Errorf("%w (a file stands where the data folder %s should be: name another with --data)", ErrNotRunning, dir)
	}
	if errors.Is(err, fs.ErrPermission) {
		return Endpoint{}, noAccess(err)
	}
	if err != nil {
		return Endpoint{}, fmt.Errorf("%w: %w", ErrEndpoint, err)
	}
	var e Endpoint
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&e); err != nil {
		return Endpoint{}, fmt.Errorf("%w: %s is not an endpoint file; start shelly again to write a new one: %w", ErrEndpoint, path, err)
	}
	for _, address := range []string{e.HTTP, e.UDP} {
		to, err := netip.ParseAddrPort(address)
		if address != "" && (err != nil || !to.Addr().Unmap().IsLoopback()) {
			return Endpoint{}, fmt.Errorf("%w: %s names %q, which is not a loopback address; start shelly again to write a new one", ErrEndpoint, path, address)
		}
	}
	if e.PID != os.Getpid() && e.Start != "" && !process.Gone(e.PID, e.Start) && store.Unused(datafolder.Store(dir)) {
		return Endpoint{}, fmt.Errorf("%w (%s names process %d, which has another data folder: this one may be a copy)", ErrNotRunning, path, e.PID)
	}
	return e, nil
}
