package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/runtime/egress"
	"shelly/runtime/mcp/wire"
)

// open starts a program, or prepares to reach an address.
func (s *server) open(ctx context.Context, end context.CancelCauseFunc) (link, error) {
	if s.config.URL != "" {
		guard := egress.Guard{Allow: s.config.Allow, Setting: "tools.mcp." + s.config.Name + ".allow_addresses"}
		client := guard.Client(s.options.pace.connect)
		client.Transport = remoteVia(client.Transport, s.config.Headers, s.options.pace, end)
		return &reached{url: s.config.URL, client: client}, nil
	}
	if s.options.Sandbox == nil {
		return nil, errors.New("there is no sandbox to run it in")
	}
	return s.run(ctx, end)
}

// reached is a server at an address (TOL-93).
type reached struct {
	url    string
	client *http.Client
}

// A stream that the server, or something between, cuts is opened again however often that happens;
// a server that cannot be reached any more is noticed by remote.
func (r *reached) transport() sdk.Transport {
	return &sdk.StreamableClientTransport{Endpoint: r.url, HTTPClient: r.client, MaxRetries: math.MaxInt}
}

func (r *reached) contained() string { return "" }
func (r *reached) used()             {}
func (r *reached) complaint() string { return "" }
func (r *reached) close()            {}

// remote sends requests with the server's headers and bounds the responses.
type remote struct {
	sender  wire.Sender
	headers []Header
	grace   time.Duration           // for the answer to the end of the session
	end     context.CancelCauseFunc // ends the connection
}

func remoteVia(next http.RoundTripper, headers []Header, p pace, end context.CancelCauseFunc) *remote {
	return &remote{sender: wire.Sender{Next: bounding{next}, Least: p.least}, headers: headers, grace: p.grace, end: end}
}

const sessionHeader = "Mcp-Session-Id"

// RoundTrip implements [http.RoundTripper].
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if req.Method == http.MethodDelete { // nobody reads the answer, and a stop or a reload waits for it
		within, cancel := context.WithTimeout(ctx, r.grace)
		defer cancel()
		ctx = within
	}
	req = req.Clone(ctx)
	for _, h := range r.headers {
		req.Header.Set(h.Name, h.Value)
	}
	resp, err := r.sender.Send(req)
	if err != nil {
		if req.Method == http.MethodGet && req.Context().Err() == nil {
			r.end(fmt.Errorf("its stream cannot be opened: %w", err))
		}
		return nil, err
	}
	if req.Header.Get(sessionHeader) != "" {
		resp.Header.Del(sessionHeader) // the library would end the session for another one
	}
	resp.Header.Del("Location") // redirects are not followed, and one that cannot be read would be tried again and again
	return resp, nil
}

// bounding bounds responses.
type bounding struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounding) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: floodBytes + 1}
	return resp, nil
}

// bounded is a body of at most floodBytes. A reader that wants to say so itself can read one more.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it has written more than %d bytes", floodBytes)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
