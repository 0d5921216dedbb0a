package xmpp

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mellium.im/xmlstream"
)

// FuzzCHN34Stanza reads arbitrary messages. Whatever is in them, the sender, the kind and the id are
// those of the attributes without a namespace.
func FuzzCHN34Stanza(f *testing.F) {
	for _, text := range []string{
		`<message xmlns='jabber:client' from='mia@example.org/1' type='chat' id='7' xml:lang='en'><body xml:lang='de'>Hallo.</body><body>Hello.</body></message>`,
		`<message xmlns='jabber:client' xmlns:x='urn:x' x:from='mia@example.org' from='eve@example.org' x:type='chat' type='error'><error type='cancel' x:type='wait'><gone xmlns='urn:y'/></error></message>`,
		`<message xmlns='jabber:client'><received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='a@b'><body>no</body></message></forwarded></received></message>`,
		`<message xmlns='jabber:client' xmlns:jabber='urn:z' from='a&#10;b'><body>&#x1b;[31m</body><body xmlns='urn:y'>no</body><delay xmlns='urn:xmpp:delay' stamp='x'/></message>`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := xml.NewDecoder(strings.NewReader(text))
		var start xml.StartElement
		for is := false; !is; {
			token, err := in.Token()
			if err != nil {
				return
			}
			start, is = token.(xml.StartElement)
		}
		want := map[string]string{}
		for _, a := range start.Attr {
			if a.Name.Space == "" {
				want[a.Name.Local] = a.Value
			}
		}
		var m incoming
		if decode(xml.NewTokenDecoder(plain(xmlstream.MultiReader(xmlstream.Token(start.Copy()), in))), &m) != nil {
			return
		}
		if m.From != want["from"] || m.Type != want["type"] || m.ID != want["id"] {
			t.Errorf("%q: from %q, type %q, id %q; want %q", text, m.From, m.Type, m.ID, want)
		}
		if said := m.text(); !utf8.ValidString(said) || len(m.idOf(said, time.UnixMilli(0))) != 32 {
			t.Errorf("%q: got %q, id %q; want UTF-8, and 32 characters", text, said, m.idOf(said, time.UnixMilli(0)))
		}
		if m.Error != nil {
			_ = m.Error.String()
		}
	})
}
