package openai

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"shelly/runtime/comm/idempotency"
)

// KeyHeader is how a client names its request, so that sending it again is the same request
// (draft-ietf-httpapi-idempotency-key-header).
const KeyHeader = idempotency.Header

// keyBytesMax leaves room for the prefix of a session's name.
const keyBytesMax = 100

// The prefixes of ids.
const (
	chatPrefix     = "chatcmpl-"
	responsePrefix = "resp_"
	itemPrefix     = "msg_"
)

// wireID returns a request's id as a part of a URL: each byte that is not a letter, a digit, "-"
// or "_" becomes "." and two hexadecimal digits.
func wireID(prefix, id string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for _, c := range []byte(id) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, ".%02X", c)
	}
	return b.String()
}

var errID = errors.New("not an id of this front")

// requestID returns the request's id from an id of [wireID].
func requestID(prefix, wire string) (string, error) {
	rest, ok := strings.CutPrefix(wire, prefix)
	if !ok || rest == "" {
		return "", errID
	}
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		if rest[i] != '.' {
			b.WriteByte(rest[i])
			continue
		}
		if i+3 > len(rest) {
			return "", errID
		}
		c, err := strconv.ParseUint(rest[i+1:i+3], 16, 8)
		if err != nil {
			return "", errID
		}
		b.WriteByte(byte(c))
		i += 2
	}
	if id := b.String(); wireID(prefix, id) == wire {
		return id, nil
	}
	return "", errID
}

// retryHeader counts the tries of OpenAI's SDKs: 0 is the first.
const retryHeader = "X-Stainless-Retry-Count"

// id returns the request's id: the client's own, or one made from its bytes. A message that
// comes again as a new request gets the next number; one that says that it is another try gets
// the number of the last (FRT-7). No other request gets the id until release is called.
func (f *Front) id(r *http.Request, body []byte) (id string, release func(), err error) {
	if keys := r.Header.Values(KeyHeader); len(keys) > 0 {
		key := idempotency.Key(r.Header)
		if len(keys) > 1 || key == "" || len(key) > keyBytesMax {
			return "", nil, &Error{Code: "invalid_idempotency_key", Message: fmt.Sprintf("%s is not one text of 1 to %d bytes", KeyHeader, keyBytesMax)}
		}
		return key, func() {}, nil
	}
	sum := sha256.Sum256(append([]byte(r.URL.Path+"\n"), body...))
	name := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
	f.naming.Lock()
	defer f.naming.Unlock()
	last, err := f.last(r.Context(), name)
	if err != nil {
		return "", nil, err
	}
	if tries := r.Header.Get(retryHeader); last == 0 || tries == "" || tries == "0" {
		last++
	}
	id = counted(name, last)
	key := f.key(r.Context(), id)
	f.reserved[key]++
	return id, func() {
		f.naming.Lock()
		defer f.naming.Unlock()
		if f.reserved[key]--; f.reserved[key] == 0 {
			delete(f.reserved, key)
		}
	}, nil
}

func counted(name string, n int) string { return fmt.Sprintf("%s-%d", name, n) }

// last returns the number of the last request with a name; 0: there is none. The caller holds the
// lock.
func (f *Front) last(ctx context.Context, name string) (int, error) {
	taken := func(n int) (bool, error) {
		key := f.key(ctx, counted(name, n))
		if f.reserved[key] > 0 {
			return true, nil
		}
		_, is, err := f.front.Request(ctx, key)
		return is, err
	}
	low, high := 0, 1 // low is taken, and high will be found free
	for {
		is, err := taken(high)
		if err != nil {
			return 0, err
		}
		if !is {
			break
		}
		low, high = high, 2*high
	}
	for high-low > 1 {
		middle := (low + high) / 2
		is, err := taken(middle)
		if err != nil {
			return 0, err
		}
		if is {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}
