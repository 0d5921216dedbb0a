package comm

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
)

// ProofRoute is where a client that does not know yet whom it has reached asks for a proof
// before it sends its token; ?challenge= is a text of [NewChallenge] (COM-18).
const ProofRoute = "/v1/proof"

// ProofBody is its answer.
type ProofBody struct {
	Proof string `json:"proof"`
}

// challengeBytes is the number of random bytes in a challenge.
const challengeBytes = 32

// NewChallenge returns a text that nobody has seen before.
func NewChallenge() string {
	var b [challengeBytes]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// Proof is the answer to a challenge that only a holder of the token can compute. The address
// is the one that the client has asked, so that another listener cannot pass the challenge on.
func Proof(token, address, challenge string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("shelly listens at " + address + " and answers " + challenge))
	return hex.EncodeToString(mac.Sum(nil))
}

// IsProof compares in constant time.
func IsProof(proof, token, address, challenge string) bool {
	return hmac.Equal([]byte(proof), []byte(Proof(token, address, challenge)))
}

// getProof proves that this listener knows the token. The answer is of no other use: the token
// cannot be derived from it, and it answers no other challenge.
func (h *HTTP) getProof(w http.ResponseWriter, r *http.Request) error {
	challenge := r.URL.Query().Get("challenge")
	if b, err := hex.DecodeString(challenge); err != nil || len(b) != challengeBytes {
		return badRequest("the challenge is not 64 hexadecimal digits", "send as many random ones")
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return &Problem{CodeInternal, "the listener does not know its address", ""}
	}
	return JSON(w, http.StatusOK, ProofBody{Proof(h.o.Token, at.String(), challenge)})
}
