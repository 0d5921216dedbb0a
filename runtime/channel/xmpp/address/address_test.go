package address_test

import (
	"testing"

	"shelly/runtime/channel/xmpp/address"
)

func TestCHN33AnAddressIsAllowedInUpperOrLowerCase(t *testing.T) {
	for in, want := range map[string]string{
		"Mia@Example.org": "mia@example.org", "*@Example.org": "*@example.org", "*.Example.org": "*.example.org", "*": "*",
		"Example.org.": "example.org", "ＭＩＡ@xn--bcher-kva.example": "mia@bücher.example", "*Ia@Example.org": "*ia@example.org",
		"not an address@": "not an address@",
	} {
		if got := address.Allow([]string{in}); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := address.Person("Mia@Example.org/Phone"); got != "mia@example.org" {
		t.Errorf("a person's address: %q", got)
	}
}
