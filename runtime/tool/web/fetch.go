package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/egress"
	"shelly/runtime/tool"
)

// fetcher is the tool web_fetch.
type fetcher struct {
	options Options
	client  *http.Client
	render  func(ctx context.Context, b []byte, contentType string, at *url.URL, links bool) (text, what string) // readable
	places  chan struct{}                                                                                        // for pages being rendered
	moment  time.Duration                                                                                        // the least time for rendering
}

// rendersMax is the most pages that are rendered as text at once, including those whose call
// has been given up.
const rendersMax = 4

// renderLeast is the least time that a page gets to be rendered, even if its call's time is over.
const renderLeast = 2 * time.Second

func newFetcher(o Options) *fetcher {
	return &fetcher{options: o, client: o.Guard.Client(connectMax), render: readable, places: make(chan struct{}, rendersMax), moment: renderLeast}
}

const (
	redirectsMax = 5
	errorBytes   = 2 << 10 // of an error page that are shown
)

// fetch reads one page (TOL-70).
func (f *fetcher) fetch(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	u, err := parseAddress(a.Text("url", ""))
	if err != nil {
		return tool.Invalid("%v", err)
	}
	ctx, cancel := within(ctx, f.options.Timeout)
	defer cancel()
	resp, err := f.follow(ctx, u)
	if err != nil {
		return f.failure(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	links, _ := a["links"].(bool)
	return f.shown(ctx, resp, links)
}

// follow fetches a page and follows its redirects; each address is checked like the first
// (TOL-73).
func (f *fetcher) follow(ctx context.Context, u *url.URL) (*http.Response, error) {
	for range redirectsMax + 1 {
		resp, err := f.get(ctx, u)
		if err != nil {
			return nil, err
		}
		to := resp.Header.Get("Location")
		if !redirects(resp.StatusCode) || to == "" {
			return resp, nil
		}
		_ = resp.Body.Close()
		next, err := u.Parse(to)
		if err != nil {
			return nil, refusal{fmt.Errorf("%s redirects to %s, which is not an address", u, wording.Quote(to))}
		}
		if err := checkAddress(next); err != nil {
			return nil, refusal{fmt.Errorf("%s redirects to %s: %w", u, wording.Quote(to), err)}
		}
		u = next
	}
	return nil, refusal{fmt.Errorf("more than %d redirects; the last was to %s", redirectsMax, u)}
}

// refusal is an error that another attempt does not change.
type refusal struct{ error }

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func (f *fetcher) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, refusal{err}
	}
	req.Header.Set("User-Agent", "shelly")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1")
	return f.client.Do(req)
}

// failure words why a page could not be read.
func (f *fetcher) failure(ctx context.Context, err error) tool.Result {
	err = egress.Bare(err)
	var refused *egress.Refused
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &refused):
		return tool.Invalid("%v; web_fetch reads public pages, and what the operator allows (tools.web.allow_addresses)", refused)
	case errors.As(err, new(refusal)):
		return tool.Invalid("%v", err)
	case context.Cause(ctx) == errTime:
		return tool.Failed("no answer within %v (tools.web.timeout)", f.options.Timeout)
	case ctx.Err() != nil:
		return tool.Failed("stopped: the call was given up")
	case errors.As(err, &dns) && dns.IsNotFound:
		return tool.Invalid("there is no host %s", dns.Name)
	case errors.As(err, &dns):
		return tool.Nothing("the name %s cannot be looked up: is there a network?", dns.Name)
	case errors.As(err, &cert):
		return tool.Invalid("TLS error, the page is not read: %v", cert.Err)
	case strings.HasPrefix(err.Error(), "tls: "), strings.Contains(err.Error(), "remote error: tls"):
		return tool.Invalid("TLS error, the page is not read: %v", err)
	}
	return tool.Failed("the page cannot be read: %v", err)
}

// shown returns a response as the model sees it.
func (f *fetcher) shown(ctx context.Context, resp *http.Response, links bool) tool.Result {
	b, missing := f.read(ctx, resp.Body)
	address := resp.Request.URL
	fails := resp.StatusCode >= 400 // its text says why; links would take its place
	text, what, err := f.text(ctx, b, resp, links && !fails)
	if err != nil {
		return f.failure(ctx, err)
	}
	status := ""
	if resp.StatusCode != http.StatusOK {
		status = fmt.Sprintf(", HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	head := fmt.Sprintf("%s (%s%s)\n\n", address, what, status)
	if fails {
		head = "the page cannot be had: " + head + wording.Edge(text, errorBytes)
		if again := resp.Header.Get("Retry-After"); again != "" {
			head += "\n[the server asks to wait: " + wording.OneLine(wording.Clip(again, wording.ShownMax)) + "]"
		}
		if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
			return tool.Failed("%s", head)
		}
		return tool.Invalid("%s", head)
	}
	if strings.TrimSpace(text) == "" {
		text = "[empty: there is no text]"
	}
	if missing != "" { // before the text, whose end may be cut (TOL-4)
		head += "[incomplete: " + missing + "]\n\n"
	}
	return tool.Result{Text: head + text, Failed: len(b) == 0 && missing != ""}
}

// text returns the text of a response's body and its kind. A body in a content encoding that was not
// asked for is only described (TOL-74): the client has undone the one that was.
func (f *fetcher) text(ctx context.Context, b []byte, resp *http.Response, links bool) (text, what string, err error) {
	kind := resp.Header.Get("Content-Type")
	coding := strings.ToLower(strings.TrimSpace(strings.Join(resp.Header.Values("Content-Encoding"), ", ")))
	if coding == "" || coding == "identity" || len(b) == 0 {
		return f.readable(ctx, b, kind, resp.Request.URL, links)
	}
	coding = wording.Quote(coding)
	return fmt.Sprintf("[not readable: %s in the content encoding %s, which web_fetch has not asked for]", wording.Count(len(b), "byte"), coding), "content encoding " + coding, nil
}

// readable renders a page as text, or gives up when the call's time is over (TOL-73): a page can
// be made so that rendering takes long. A page that arrived late still gets renderLeast. A
// rendering that is given up ends as soon as it can, and keeps its place until then.
func (f *fetcher) readable(ctx context.Context, b []byte, contentType string, at *url.URL, links bool) (text, what string, err error) {
	left := f.moment
	if end, ok := ctx.Deadline(); ok {
		left = max(left, time.Until(end))
	}
	over := time.NewTimer(left)
	defer over.Stop()
	rendering, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	given := ctx.Done()
	if context.Cause(ctx) == errTime {
		given = nil
	}
	type rendered struct{ text, what string }
	done := make(chan rendered, 1)
	place := f.places
	for {
		select {
		case place <- struct{}{}:
			place = nil
			go func() {
				defer func() { <-f.places }()
				text, what := f.render(rendering, b, contentType, at, links)
				done <- rendered{text, what}
			}()
		case r := <-done:
			return r.text, r.what, nil
		case <-over.C:
			return "", "", refusal{fmt.Errorf("the page arrived, but could not be rendered as text within %v (tools.web.timeout)", f.options.Timeout)}
		case <-given:
			if context.Cause(ctx) != errTime {
				return "", "", ctx.Err()
			}
			given = nil
		}
	}
}

// read reads a body within the bounds, and returns why that was not all of it, if it was not.
func (f *fetcher) read(ctx context.Context, body io.Reader) (b []byte, missing string) {
	b, err := io.ReadAll(io.LimitReader(body, int64(f.options.BytesMax)+1))
	switch {
	case len(b) > f.options.BytesMax:
		return b[:f.options.BytesMax], fmt.Sprintf("only the first %d bytes were read (tools.web.bytes_max)", f.options.BytesMax)
	case err == nil:
		return b, ""
	case context.Cause(ctx) == errTime:
		return b, fmt.Sprintf("the rest did not come within %v (tools.web.timeout)", f.options.Timeout)
	}
	return b, "the connection ended before the page did"
}
