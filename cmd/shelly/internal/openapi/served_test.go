package openapi

import (
	"strings"
	"testing"

	"shelly/runtime/access"
	"shelly/runtime/comm"
)

func TestCOM97ARouteThatIsNotDescribedIsAnError(t *testing.T) {
	known := comm.Route{Method: "GET", Pattern: "/v1/status", Right: access.All}
	hook := comm.Route{Method: "POST", Pattern: "/v1/channels/desk", Right: access.Anyone}
	if err := new(Served).Of([]comm.Route{known, hook}); err != nil {
		t.Error(err)
	}
	for _, r := range []comm.Route{{Method: "PUT", Pattern: "/v1/status"}, {Method: "GET", Pattern: "/v1/other"}, {Method: "POST", Pattern: "/v1/channels/desk", Right: access.All}} {
		if err := new(Served).Of([]comm.Route{known, r}); err == nil || !strings.Contains(err.Error(), r.Method+" "+r.Pattern) {
			t.Errorf("%s %s: got %v; want an error with %q", r.Method, r.Pattern, err, r.Method+" "+r.Pattern)
		}
	}
}
