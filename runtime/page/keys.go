package page

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"
)

// The lifetimes of tickets and tokens, and the most of each; if there is one too many, the oldest
// is dropped.
const (
	TicketLife = time.Minute
	TicketsMax = 16
	TokenIdle  = 24 * time.Hour // without a request
	TokensMax  = 64
)

// keyBytes is the number of random bytes in a ticket or a token.
const keyBytes = 32

// keys is the tickets and tokens that were given out. They end with the process (COM-71).
type keys struct {
	now func() time.Time

	mu      sync.Mutex
	tickets []key
	tokens  []key
}

// key is a ticket or a token, kept as its hash, because the time for comparing hashes reveals
// nothing.
type key struct {
	sum  [sha256.Size]byte
	ends time.Time
}

// ticket returns a new ticket.
func (k *keys) ticket() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.give(&k.tickets, TicketsMax, TicketLife)
}

// token exchanges a ticket for a new token.
func (k *keys) token(ticket string) (token string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := k.find(k.tickets, ticket)
	if i < 0 {
		return "", false
	}
	k.tickets = slices.Delete(k.tickets, i, i+1)
	return k.give(&k.tokens, TokensMax, TokenIdle), true
}

// holds reports whether a token is valid, and counts as a use of it.
func (k *keys) holds(token string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := k.find(k.tokens, token)
	if i < 0 {
		return false
	}
	used := k.tokens[i]
	used.ends = k.now().Add(TokenIdle)
	k.tokens = append(slices.Delete(k.tokens, i, i+1), used)
	return true
}

// give adds a new key. The caller holds mu.
func (k *keys) give(to *[]key, most int, life time.Duration) string {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	text := hex.EncodeToString(b[:])
	if len(*to) >= most {
		*to = slices.Delete(*to, 0, 1)
	}
	*to = append(*to, key{sha256.Sum256([]byte(text)), k.now().Add(life)})
	return text
}

// find returns the index of a valid key, or -1. The caller holds mu.
func (k *keys) find(list []key, text string) int {
	sum, now := sha256.Sum256([]byte(text)), k.now()
	return slices.IndexFunc(list, func(g key) bool { return g.sum == sum && now.Before(g.ends) })
}
