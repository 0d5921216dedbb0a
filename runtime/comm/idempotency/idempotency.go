// Package idempotency answers a repeated POST with the first one's answer (COM-92), as
// draft-ietf-httpapi-idempotency-key-header describes.
//
// It is for requests without a durable id of their own. The answers are in memory, and end
// with the process.
package idempotency

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"maps"
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
	AnswerBytesMax = 64 << 10       // of an answer; a longer one is not kept, and its key stays free
	Life           = 24 * time.Hour // of an answer
)

// Errors to tell apart.
var (
	ErrOther   = errors.New("the Idempotency-Key was used with another request")
	ErrRunning = errors.New("the request with this Idempotency-Key is being answered")
	ErrFull    = errors.New("too many requests with an Idempotency-Key are being answered")
)

// Key reads a request's key: a structured-field string (RFC 8941) or a bare word; empty if there
// is none.
func Key(h http.Header) string {
	text := strings.TrimSpace(h.Get(Header))
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text[1 : len(text)-1])
}

// Name is a key and the caller it belongs to.
type Name struct{ Caller, Key string }

// Sum is the hash of a request's content.
type Sum = [sha256.Size]byte

// Answer is an answer that was given.
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
	answer *Answer // nil: the request is being answered
}

// Keys holds the keys that were used. The zero value is ready, except that Now must be set. Its
// methods may be called from many goroutines at once.
type Keys struct {
	Now func() time.Time

	mu   sync.Mutex
	list []kept // the oldest first
}

// Begin takes a key for a request, or returns the answer that the same request got.
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

// End keeps the answer for a key that was taken; nil: nothing has happened, and the key becomes free.
func (k *Keys) End(name Name, a *Answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := k.index(name) // it is there: a key without its answer is never dropped
	if a == nil {
		k.list = slices.Delete(k.list, i, i+1)
		return
	}
	k.list[i].answer = a
}

func (k *Keys) index(name Name) int {
	return slices.IndexFunc(k.list, func(o kept) bool { return o.name == name })
}

// Serve answers a request that has a key: the first time with next, later with the answer that
// next gave. If it returns an error, the caller must answer with it.
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

// write sends the answer again.
func (a *Answer) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.Header)
	w.Header().Set("Idempotency-Replayed", "true")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // an error means that the client has gone
}

// recorder records an answer while it is sent.
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
