// Package address writes XMPP addresses in the one form in which they can be compared (CHN-33).
package address

import (
	"strings"

	"mellium.im/xmpp/jid"
)

// Person returns a person's address without the resource and as the address of an incoming message
// is written (RFC 7622), in lower case. What is not an address stays as it is.
func Person(address string) string {
	j, err := jid.Parse(address)
	if err != nil {
		return address
	}
	return j.Bare().String()
}

// Allow returns the entries of an allow list as [Person] writes addresses.
func Allow(entries []string) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		if end, wild := strings.CutPrefix(e, "*"); wild {
			const start = "a" // stands for what the * does
			all[i] = "*" + strings.TrimPrefix(Person(start+end), start)
		} else {
			all[i] = Person(e)
		}
	}
	return all
}
