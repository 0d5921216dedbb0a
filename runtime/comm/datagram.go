package comm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sort"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Bounds of a datagram, in bytes.
const (
	// DatagramBytesMax is the longest request: what UDP over IPv4 carries, 65,535
	// less the headers of IP and UDP (RFC 768, RFC 791).
	DatagramBytesMax = 65_507
	// ReplyDatagramBytesMax is the longest answer.
	ReplyDatagramBytesMax = 60 << 10
)

// DatagramType is the type of an answering datagram.
type DatagramType string

// The types of an answering datagram.
const (
	DatagramAccepted DatagramType = "accepted"
	DatagramQueued   DatagramType = "queued"
	DatagramHeld     DatagramType = "held"
	DatagramDeferred DatagramType = "deferred"
	DatagramReply    DatagramType = "reply"
	DatagramError    DatagramType = "error"
)

// Datagram is an answer over UDP (COM-2).
type Datagram struct {
	ID      string       `json:"id"`
	Type    DatagramType `json:"type"`
	Content string       `json:"content"`
	IsError bool         `json:"is_error"`
	Code    Code         `json:"code,omitempty"`    // of type error
	Cut     bool         `json:"cut,omitempty"`     // Content is not all of it
	Ahead   int          `json:"ahead,omitempty"`   // of type queued: how many go first
	Outcome fsm.Outcome  `json:"outcome,omitempty"` // of type reply
}

// claim reads what a datagram says about its sender, whatever else is wrong with
// it. A datagram that cannot be read at all proves no token.
func claim(data []byte) (id, token string, readable bool) {
	var c struct{ ID, Token string }
	err := json.NewDecoder(bytes.NewReader(data)).Decode(&c)
	if err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return "", "", false
	}
	if checkName("id", c.ID, 1, IDBytesMax) != nil {
		c.ID = "" // useless for telling a sender's requests apart
	}
	return c.ID, c.Token, true
}

// decodeDatagram reads the request of a sender that has proved its token (COM-2).
func decodeDatagram(data []byte, principal string, bytesMax int) (Request, error) {
	if len(data) > bytesMax {
		return Request{}, tooLarge("the datagram", bytesMax)
	}
	r := Request{Key: fsm.RequestKey{Principal: principal, Channel: ChannelUDP}}
	var token string
	err := decodeObject(data, text("id", &r.Key.ID), text("text", &r.Text), text("session", &r.Session),
		text("channel", &r.Origin.Channel), text("chat", &r.Origin.Chat), text("token", &token))
	if err != nil {
		return Request{}, err
	}
	r.Origin = originAt(r.Origin, ChannelUDP)
	return r, checkRequest(r)
}

// encodeReply fits a reply into one datagram. One that is too long is cut between
// two characters and ends in a mark that says how to get the rest.
func encodeReply(id string, reply Event) []byte {
	d := Datagram{ID: id, Type: DatagramReply, Content: reply.Text, IsError: reply.IsError, Outcome: reply.Outcome}
	whole := encode(d)
	if len(whole) <= ReplyDatagramBytesMax {
		return whole
	}
	d.Cut = true
	cutAt := func(n int) []byte {
		head := wording.Edge(reply.Text, n)
		d.Content = head + fmt.Sprintf("\n[cut: %s; GET /v1/requests/%s?channel=%s has all]",
			wording.Count(len(reply.Text)-len(head), "more byte"), url.PathEscape(id), ChannelUDP)
		return encode(d)
	}
	tooLong := sort.Search(len(reply.Text)-1, func(n int) bool { return len(cutAt(n)) > ReplyDatagramBytesMax })
	return cutAt(tooLong - 1)
}

// encode writes a datagram. Its fields are texts and flags, which always encode.
func encode(d Datagram) []byte {
	b, _ := wording.JSON(d)
	return b
}
