package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"shelly/fsm"
)

// Bounds of the clients.
const (
	Max          = 256 // clients
	NameBytesMax = 32

	tokenRandomBytes = 32
	// tokenPrefix lets people, and programs that scan for secrets, recognize a token.
	tokenPrefix = "shelly_"
	// usedEvery is the precision of the time of a token's last use: nobody needs the precision
	// that a write for each use would give.
	usedEvery = fsm.Millis(time.Hour / time.Millisecond)
)

// Errors to tell apart.
var (
	ErrTaken = errors.New("there is a client of this name already")
	ErrMany  = fmt.Errorf("there are %d clients, which is the most", Max)
)

// Reserved is the name of the holder of the daemon's own token. No client can have it.
const Reserved = "local"

// Channels is the principal of requests from chat systems (CHN-3). No client can have it.
const Channels = "channel"

// Client is a client that may use the daemon.
type Client struct {
	Name string     `json:"name"`
	Can  Rights     `json:"can"`
	Made fsm.Millis `json:"made"`
	Used fsm.Millis `json:"used,omitempty"` // to the hour; absent: never
}

// entry is a client with what only the daemon knows.
type entry struct {
	Client
	sum    [sha256.Size]byte
	alive  context.Context // ends when the token is revoked
	revoke context.CancelFunc
}

// Options adapts the clients; the zero value is ready.
type Options struct {
	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // nil: none
}

// Clients is the clients of a data folder. Its methods may be called from many goroutines at
// once. Nil has no clients.
type Clients struct {
	path string
	o    Options

	mu   sync.Mutex
	list []entry
}

// Open reads the clients of a data folder.
func Open(data string, o Options) (*Clients, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	c := &Clients{path: filepath.Join(data, Name), o: o}
	list, err := load(c.path)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		c.list = append(c.list, e.living())
	}
	return c, nil
}

func (e entry) living() entry {
	e.alive, e.revoke = context.WithCancel(context.Background())
	return e
}

// CheckName returns an error if a name is not one for a client: the rules are those for channel
// names, and two names are reserved.
func CheckName(name string) error {
	word := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' }
	switch {
	case name == "" || len(name) > NameBytesMax || strings.ContainsFunc(name, func(r rune) bool { return !word(r) }):
		return fmt.Errorf("%q cannot be a client's name; use up to %d of a-z, 0-9, - and _", name, NameBytesMax)
	case name == Channels:
		return fmt.Errorf("%q is reserved for the requests of chat systems; use another name", name)
	case name == Reserved:
		return fmt.Errorf("%q is reserved for the holder of the daemon's own token; use another name", name)
	}
	return nil
}

// Find returns the client with a token, and a context that ends when the token is revoked. The
// time that it takes reveals nothing about the tokens.
func (c *Clients) Find(token string) (found Client, alive context.Context, ok bool) {
	if c == nil {
		return Client{}, nil, false
	}
	sum := sha256.Sum256([]byte(token))
	c.mu.Lock()
	defer c.mu.Unlock()
	at := -1
	for i := range c.list {
		if subtle.ConstantTimeCompare(c.list[i].sum[:], sum[:]) == 1 {
			at = i
		}
	}
	if at < 0 {
		return Client{}, nil, false
	}
	c.used(at)
	return c.list[at].Client, c.list[at].alive, true
}

// used notes that a token was used. If this cannot be written, the request is still accepted. The
// caller holds mu.
func (c *Clients) used(at int) {
	now := c.now()
	if hour := now - now%usedEvery; c.list[at].Used < hour {
		c.list[at].Used = hour
		if err := save(c.path, c.list); err != nil {
			c.o.Log.Warn("cannot record when a client's token was used", "client", c.list[at].Name, "error", err)
		}
	}
}

func (c *Clients) now() fsm.Millis { return fsm.Millis(c.o.Now().UnixMilli()) }

// List returns the clients in the order of their names.
func (c *Clients) List() []Client {
	list := []Client{}
	if c == nil {
		return list
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.list {
		list = append(list, e.Client)
	}
	slices.SortFunc(list, func(a, b Client) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Add durably adds a client, and returns its token, which is not kept anywhere.
func (c *Clients) Add(name string, can Rights) (token string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case index(c.list, name) >= 0:
		return "", ErrTaken
	case len(c.list) >= Max:
		return "", ErrMany
	}
	var b [tokenRandomBytes]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	token = tokenPrefix + hex.EncodeToString(b[:])
	e := entry{Client: Client{Name: name, Can: can, Made: c.now()}, sum: sha256.Sum256([]byte(token))}
	list := append(slices.Clone(c.list), e.living())
	if err := save(c.path, list); err != nil {
		return "", err
	}
	c.list = list
	return token, nil
}

// Revoke durably revokes a client's token, and ends what is open with it. It reports
// whether there was one.
func (c *Clients) Revoke(name string) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := index(c.list, name)
	if at < 0 {
		return false, nil
	}
	list := slices.Delete(slices.Clone(c.list), at, at+1)
	if err := save(c.path, list); err != nil {
		return false, err
	}
	c.list[at].revoke()
	c.list = list
	return true, nil
}

func index(list []entry, name string) int {
	return slices.IndexFunc(list, func(e entry) bool { return e.Name == name })
}
