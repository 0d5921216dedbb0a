package comm

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"sync"
	"time"
)

// TokenBytesMin is the least length of a token: in hexadecimal digits 128 bits, which
// nobody can guess.
const TokenBytesMin = 32

// secret is a token to compare with.
type secret struct{ sum [sha256.Size]byte }

func newSecret(token string) (secret, error) {
	if len(token) < TokenBytesMin {
		return secret{}, fmt.Errorf("the token has %d bytes and needs at least %d; delete the token file and start again to get a new one", len(token), TokenBytesMin)
	}
	return secret{sha256.Sum256([]byte(token))}, nil
}

// is compares in constant time. It compares hashes, so that the time does not
// reveal the length either.
func (s secret) is(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(s.sum[:], sum[:]) == 1
}

// The number of wrong tokens that are answered with 401 within a window; further ones get 429.
// The bound holds for all senders together, loopback included. The right token always passes:
// it cannot be guessed, so locking its owner out would only help an attacker.
const (
	WrongTokensMax    = 10
	WrongTokensWindow = time.Minute
)

// allowance lets something happen a number of times per window.
type allowance struct {
	now func() time.Time

	mu    sync.Mutex
	begin time.Time
	used  int
}

// take uses one up. If none is left it returns false and the time until the next
// window.
func (a *allowance) take() (ok bool, wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if age := now.Sub(a.begin); age < 0 || age >= WrongTokensWindow {
		a.begin, a.used = now, 0
	}
	if a.used >= WrongTokensMax {
		return false, a.begin.Add(WrongTokensWindow).Sub(now)
	}
	a.used++
	return true, 0
}
