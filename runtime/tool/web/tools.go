package web

import (
	"context"
	"errors"
	"time"

	"shelly/fsm"
	"shelly/runtime/egress"
	"shelly/runtime/tool"
)

// The names of the tools.
const (
	FetchName  = "web_fetch"
	SearchName = "web_search"
)

// Options says which tools there are and what bounds them.
type Options struct {
	Fetch    bool          // offer web_fetch
	Guard    *egress.Guard // what web_fetch may reach
	Timeout  time.Duration // for one call of either tool
	BytesMax int           // of a decoded body; the rest is not read
	Search   Search
}

// Search is the server that web_search asks.
type Search struct {
	Kind string // "searxng", "brave", or empty: none
	URL  string // of the server; empty: Brave's own
	Key  string // Brave's
}

// Tools returns the offered tools.
func Tools(o Options) ([]tool.Added, error) {
	if (o.Fetch || o.Search.Kind != "") && (o.Timeout <= 0 || o.BytesMax <= 0) {
		return nil, errors.New("the tools of the web have no bounds")
	}
	var list []tool.Added
	if o.Fetch {
		t, err := tool.Own(fetchDecl(), newFetcher(o).fetch)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	if o.Search.Kind != "" {
		s, err := newSearcher(o)
		if err != nil {
			return nil, err
		}
		t, err := tool.Own(searchDecl(), s.search)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// connectMax is how long opening a connection may take.
const connectMax = 10 * time.Second

func fetchDecl() fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        FetchName,
		Description: "Read a page of the web as text.",
		Parameters: `{"type":"object","properties":{` +
			`"url":{"type":"string","maxLength":2048,"description":"Such as https://example.com/page"},` +
			`"links":{"type":"boolean","description":"Also list the links of the page"}},` +
			`"required":["url"],"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
	}
}

func searchDecl() fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        SearchName,
		Description: "Search the web. The result is titles, addresses and extracts.",
		Parameters: `{"type":"object","properties":{` +
			`"query":{"type":"string","maxLength":400},` +
			`"count":{"type":"integer","minimum":0,"maximum":10,"description":"How many results, 5 if left out"}},` +
			`"required":["query"],"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
	}
}

// within bounds the time of a call.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errTime)
}

// errTime is the cause of a context that the call's time-out ended, and not its caller.
var errTime = errors.New("its time was over")
