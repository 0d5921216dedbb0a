package openapi

import (
	"net/http"
	"sync"

	"shelly/runtime/access"
	"shelly/runtime/comm"
)

// Path is where the document is.
const Path = "/v1/openapi.json"

// Served is a document at a route. It is built on the first request, because building it would
// slow down a start; Of must be called before that.
type Served struct {
	Version string
	text    func() ([]byte, error)
}

// Route returns the route that serves it.
func (s *Served) Route() comm.Route {
	return comm.Route{Method: http.MethodGet, Pattern: Path, Right: access.Ask, Page: true, Handle: comm.Taking(func(w http.ResponseWriter, _ *http.Request) error {
		text, err := s.text()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		_, err = w.Write(text)
		return err
	})}
}

// Of sets the routes to describe. A route without a row in the table is an error.
func (s *Served) Of(routes []comm.Route) error {
	for _, r := range routes {
		if _, _, err := rowOf(r); err != nil && !hidden(r) {
			return err
		}
	}
	s.text = sync.OnceValues(func() ([]byte, error) { return Document(s.Version, routes) })
	return nil
}
