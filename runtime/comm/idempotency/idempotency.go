// Package idempotency lets a POST that is sent again be answered as it was (COM-92), after
// draft-ietf-httpapi-idempotency-key-header.
//
// It is for what has no id of its own that is durable. The answers are in memory, and end
// with the process.
package idempotency

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Header is the name of the header.
const Header = "Idempotency-Key"

// Bounds of what is kept.
const (
	Max            = 1000           // keys, of all callers together; the oldest goes first
	AnswerBytesMax = 64 << 10       // of an answer; a longer one is not kept, and its key not used up
	Life           = 24 * time.Hour // of an answer
)

// Errors to tell apart.
var (
	ErrOther   = errors.New("the Idempotency-Key was used with another request")
	ErrRunning = errors.New("the request with this Idempotency-Key is being answered")
	ErrFull    = errors.New("too many requests with an Idempotency-Key are being answered")
)

// Key reads the key of a request: a string of structured fields (RFC 8941), or a bare word;
// empty where there is none.
func Key(h http.Header) string {
	text := strings.TrimSpace(h.Get(Header))
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text[1 : len(text)-1])
}

// Name tells keys apart: whose it is.
type Name struct{ Caller, Key string }

// Sum is what a request says, as a hash.
type Sum = [sha256.Size]byte

// Answer is what was answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// kept is a key that was used.
type kept struct {
	name   Name
	sum    Sum
	at     time.Time
	answer *Answer // nil: it is being answered
}

// Keys are those that were used. The zero value is ready but for Now. Its methods may be called
// from many goroutines at once.
type Keys struct {
	Now func() time.Time

	mu   sync.Mutex
	list []kept // the oldest first
}

// Begin takes a key for a request, or returns how the same request was answered.
func (k *Keys) Begin(name Name, sum Sum) (*Answer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.Now()
	k.list = slices.DeleteFunc(k.list, func(o kept) bool { return o.answer != nil && now.Sub(o.at) >= Life })
	if i := k.index(name); i >= 0 {
		switch o := k.list[i]; {
		case o.sum != sum:
			return nil, ErrOther
		case o.answer == nil:
			return nil, ErrRunning
		default:
			return o.answer, nil
		}
	}
	if len(k.list) >= Max {
		oldest := slices.IndexFunc(k.list, func(o kept) bool { return o.answer != nil })
		if oldest < 0 {
			return nil, ErrFull
		}
		k.list = slices.Delete(k.list, oldest, oldest+1)
	}
	k.list = append(k.list, kept{name: name, sum: sum, at: now})
	return nil, nil
}

// End keeps the answer for a key; nil: nothing has happened, and the key is free.
func (k *Keys) End(name Name, a *Answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := k.index(name)
	switch {
	case i < 0:
	case a == nil:
		k.list = slices.Delete(k.list, i, i+1)
	default:
		k.list[i].answer = a
	}
}

func (k *Keys) index(name Name) int {
	return slices.IndexFunc(k.list, func(o kept) bool { return o.name == name })
}

// Serve answers a request with a key: by next the first time, and as it did then later. An
// error is for the caller to answer with.
func (k *Keys) Serve(w http.ResponseWriter, r *http.Request, name Name, body []byte, next http.Handler) error {
	sum := sha256.Sum256([]byte(r.Method + "\x00" + r.URL.RequestURI() + "\x00" + string(body)))
	before, err := k.Begin(name, sum)
	if err != nil {
		return err
	}
	if before != nil {
		before.write(w)
		return nil
	}
	rec := &recorder{ResponseWriter: w, status: http.StatusOK}
	var a *Answer
	defer func() { k.End(name, a) }()
	next.ServeHTTP(rec, r)
	if rec.status < http.StatusMultipleChoices && rec.body.Len() <= AnswerBytesMax {
		a = &Answer{rec.status, w.Header().Clone(), rec.body.Bytes()}
	}
	return nil
}

// write answers as before.
func (a *Answer) write(w http.ResponseWriter) {
	for name, values := range a.Header { // order-free: a set
		w.Header()[name] = values
	}
	w.Header().Set("Idempotency-Replayed", "true")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a client that has gone is nobody to tell of an error
}

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// Unwrap lets [http.ResponseController] reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(data []byte) (int, error) {
	if r.body.Len() <= AnswerBytesMax {
		r.body.Write(data)
	}
	return r.ResponseWriter.Write(data)
}
