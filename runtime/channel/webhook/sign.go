package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The headers of a message.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// Bounds.
const (
	Tolerance   = 5 * time.Minute // between a message's time and now
	keyBytesMin = 16
	idBytesMax  = 128
	signsMax    = 16 // signatures of a message that are checked
)

// Key signs messages.
type Key []byte

// ParseKey reads a key: whsec_ and its bytes in base64, or any text of at least 16 bytes.
func ParseKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	key := Key(text)
	if coded, is := strings.CutPrefix(text, "whsec_"); is {
		raw, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			return nil, errors.New("is not base64 after whsec_")
		}
		key = raw
	}
	if len(key) < keyBytesMin {
		return nil, fmt.Errorf("has %d bytes; the least is %d (make one with: openssl rand -base64 32)", len(key), keyBytesMin)
	}
	return key, nil
}

// sum returns the signature of a message.
func (k Key) sum(id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, k)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return h.Sum(nil)
}

// Sign adds a message's headers to a request.
func Sign(header http.Header, key Key, id string, at time.Time, body []byte) {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	header.Set(HeaderID, id)
	header.Set(HeaderTimestamp, timestamp)
	header.Set(HeaderSignature, "v1,"+base64.StdEncoding.EncodeToString(key.sum(id, timestamp, body)))
}

// Verify returns the id of a message that one of the keys has signed, within Tolerance of now.
// The time that it takes reveals nothing about the keys.
func Verify(header http.Header, keys []Key, now time.Time, body []byte) (id string, err error) {
	id = header.Get(HeaderID)
	if id == "" || len(id) > idBytesMax || strings.ContainsFunc(id, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) }) {
		return "", fmt.Errorf("the header webhook-id is missing, or is not 1 to %d printable characters", idBytesMax)
	}
	timestamp := header.Get(HeaderTimestamp)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return "", errors.New("the header webhook-timestamp is missing, or is not a number of seconds since 1970")
	}
	if off := now.Sub(time.Unix(seconds, 0)).Abs(); off > Tolerance {
		return "", fmt.Errorf("the header webhook-timestamp is more than %v away from now; sign each attempt again, and compare the clocks", Tolerance)
	}
	sums := make([][]byte, len(keys)) // of each key once, however many signatures there are: anybody may send them
	for i, k := range keys {
		sums[i] = k.sum(id, timestamp, body)
	}
	signed := false
	for i, one := range strings.Fields(header.Get(HeaderSignature)) {
		version, coded, _ := strings.Cut(one, ",")
		given, err := base64.StdEncoding.DecodeString(coded)
		if version != "v1" || err != nil || i >= signsMax {
			continue
		}
		for _, sum := range sums {
			if hmac.Equal(given, sum) {
				signed = true
			}
		}
	}
	if !signed {
		return "", errors.New("the header webhook-signature holds no signature of this message with a key of the channel")
	}
	return id, nil
}
