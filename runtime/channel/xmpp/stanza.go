package xmpp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"slices"
	"strings"
	"time"

	"mellium.im/xmlstream"
	"mellium.im/xmpp/jid"
)

// The namespaces of extensions to RFC 6120.
const (
	nsManaged = "urn:xmpp:sm:3" // stream management (XEP-0198)
	nsXML     = "http://www.w3.org/XML/1998/namespace"
)

// The elements of stream management.
type (
	enable struct {
		XMLName xml.Name `xml:"urn:xmpp:sm:3 enable"`
	}
	ask struct {
		XMLName xml.Name `xml:"urn:xmpp:sm:3 r"`
	}
	acknowledge struct {
		XMLName xml.Name `xml:"urn:xmpp:sm:3 a"`
		Handled uint32   `xml:"h,attr"`
	}
)

// plain leaves out the attributes of other namespaces. Package encoding/xml does not tell them from a
// stanza's own, and servers pass them on, so that one named x:from would take the place of the
// sender's address, which the server vouches for (CHN-34).
var plain = xmlstream.RemoveAttr(func(_ xml.StartElement, a xml.Attr) bool { return foreign(a) })

func foreign(a xml.Attr) bool { return a.Name.Space != "" && a.Name.Space != nsXML }

// unreadable reports whether an attribute cannot be where an answer goes. Without one the answer goes
// to the server.
func unreadable(a xml.Attr) bool {
	_, err := jid.Parse(a.Value)
	return a.Name.Local == "from" && (foreign(a) || err != nil)
}

// answered reports whether the library answers an iq, with an error: as the library does, it looks at
// local names, up to the first type and id.
func answered(attributes []xml.Attr) bool {
	kind, typed, named := "", false, false
	for _, a := range attributes {
		switch a.Name.Local {
		case "type":
			kind, typed = a.Value, true
		case "id":
			named = true
		}
		if typed && named {
			break
		}
	}
	return kind == "get" || kind == "set"
}

// presence announces that the account is available, or answers a subscription request.
type presence struct {
	XMLName xml.Name `xml:"presence"`
	To      string   `xml:"to,attr,omitempty"`
	Type    string   `xml:"type,attr,omitempty"`
}

// message is an outgoing message.
type message struct {
	XMLName xml.Name `xml:"message"`
	To      string   `xml:"to,attr"`
	Type    string   `xml:"type,attr"`
	ID      string   `xml:"id,attr"`
	Body    string   `xml:"body"`
	Origin  originID
	Active  active
}

// active asks the receiver's client to say when its person writes (XEP-0085).
type active struct {
	XMLName xml.Name `xml:"http://jabber.org/protocol/chatstates active"`
}

type originID struct {
	XMLName xml.Name `xml:"urn:xmpp:sid:0 origin-id"`
	ID      string   `xml:"id,attr"`
}

// incoming is an incoming message.
type incoming struct {
	From   string    `xml:"from,attr"`
	Type   string    `xml:"type,attr"`
	ID     string    `xml:"id,attr"`
	Lang   string    `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	Bodies []body    `xml:"jabber:client body"`
	Error  *fault    `xml:"jabber:client error"`
	Writes *struct{} `xml:"http://jabber.org/protocol/chatstates composing"`
}

// body is a message's text, in one of several languages.
type body struct {
	Lang string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	Text string `xml:",chardata"`
}

// text returns the body in the message's own language, or else the first. One without a language
// has the message's (RFC 6121, 5.2.3).
func (m *incoming) text() string {
	if len(m.Bodies) == 0 {
		return ""
	}
	i := slices.IndexFunc(m.Bodies, func(b body) bool { return b.Lang == "" || strings.EqualFold(b.Lang, m.Lang) })
	return m.Bodies[max(i, 0)].Text
}

// fault is why a message was returned.
type fault struct {
	Type  string `xml:"type,attr"`
	Texts []struct {
		XMLName xml.Name
		Text    string `xml:",chardata"`
	} `xml:",any"`
}

// Error implements error.
func (f *fault) Error() string { return "it was returned: " + f.String() }

// String returns the server's explanation.
func (f *fault) String() string {
	var words []string
	for _, t := range f.Texts {
		word := t.XMLName.Local
		if word == "text" {
			word = strings.TrimSpace(t.Text)
		}
		words = append(words, word)
	}
	return strings.Join(words, ": ")
}

// final reports whether it is useless to send the message again (RFC 6120, 8.3.2). An error
// without one of the known types says nothing about that.
func (f *fault) final() bool { return f.Type == "auth" || f.Type == "cancel" || f.Type == "modify" }

// idOf returns an id for an incoming message that is the same if it is delivered again. It
// depends on the sender with the resource, the stanza's id, and the text, because clients may
// count from 1 again after a restart. A message without an id gets a different one each time.
func (m *incoming) idOf(text string, now time.Time) string {
	id := m.ID
	if id == "" {
		id = now.Format(time.RFC3339Nano)
	}
	sum := sha256.Sum256([]byte(m.From + "\x00" + id + "\x00" + text))
	return hex.EncodeToString(sum[:16])
}
