package openapi

import (
	"net/http"

	"shelly/runtime/access"
	"shelly/runtime/comm"
)

// Path is where the document is.
const Path = "/v1/openapi.json"

// Served is a document at a route. It is made once the routes are known, and before they are
// served.
type Served struct {
	Version string
	text    []byte
}

// Route is where it is served.
func (s *Served) Route() comm.Route {
	return comm.Route{Method: http.MethodGet, Pattern: Path, Right: access.Ask, Page: true, Handle: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write(s.text)
		return err
	}}
}

// Of describes routes.
func (s *Served) Of(routes []comm.Route) (err error) {
	s.text, err = Document(s.Version, routes)
	return err
}
