package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/egress"
	"shelly/runtime/tool"
)

// The kinds of search server.
const (
	SearXNG = "searxng"
	Brave   = "brave"
)

// BraveURL is the address of Brave's search.
const BraveURL = "https://api.search.brave.com"

// searcher is the tool web_search.
type searcher struct {
	options Options
	base    *url.URL
	client  *http.Client
}

// newSearcher checks the configuration. The server is the operator's choice, so a private
// address is as good as any (TOL-76).
func newSearcher(o Options) (*searcher, error) {
	text := o.Search.URL
	switch o.Search.Kind {
	case SearXNG:
		if text == "" {
			return nil, errors.New("tools.web.search.url is missing: the address of the SearXNG server")
		}
	case Brave:
		if text == "" {
			text = BraveURL
		}
		if o.Search.Key == "" {
			return nil, errors.New("the key of Brave's search is missing: put it into the environment variable that tools.web.search.key_from names (BRAVE_API_KEY)")
		}
	default:
		return nil, fmt.Errorf("tools.web.search.kind: %q is not a kind of search server", o.Search.Kind)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("tools.web.search.url wants an address such as http://127.0.0.1:8888")
	}
	if host, err := egress.ParseAllowed(u.Hostname()); o.Search.Kind == Brave && u.Scheme != "https" && (err != nil || !host.Loopback()) {
		return nil, errors.New("tools.web.search.url: Brave's key is sent over https only")
	}
	own := http.Transport{Proxy: nil, DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: connectMax}).DialContext, TLSHandshakeTimeout: connectMax}
	return &searcher{options: o, base: u, client: &http.Client{
		Transport:     &own,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// found is one result of a search.
type found struct{ Title, URL, Extract string }

const (
	countUsual   = 5
	extractBytes = 400 // of one result
	titleBytes   = 150
	markedBytes  = 8 << 10 // of a title or an extract with its tags, which can be made to take long
)

// search asks the server (TOL-75).
func (s *searcher) search(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	query := strings.TrimSpace(a.Text("query", ""))
	if query == "" {
		return tool.Invalid("query is empty")
	}
	count := cmp.Or(a.Number("count", 0), countUsual)
	ctx, cancel := within(ctx, s.options.Timeout)
	defer cancel()
	list, err := s.ask(ctx, query, count)
	switch {
	case err != nil && context.Cause(ctx) == errTime:
		return tool.Failed("the search server gave no answer within %v (tools.web.timeout)", s.options.Timeout)
	case err != nil && ctx.Err() != nil:
		return tool.Failed("stopped: the call was given up")
	case errors.As(err, new(refusal)):
		return tool.Invalid("%v", err)
	case err != nil:
		return tool.Failed("the search server cannot be asked: %v", err)
	case len(list) == 0:
		return tool.Result{Text: "nothing found for " + wording.Quote(query) + "; try other words"}
	}
	var out strings.Builder
	for i, f := range list[:min(count, len(list))] {
		fmt.Fprintf(&out, "%d. %s\n   %s\n", i+1, plain(f.Title, titleBytes), line(f.URL, linkBytesMax))
		if extract := plain(f.Extract, extractBytes); extract != "" {
			out.WriteString("   " + extract + "\n")
		}
	}
	return tool.Result{Text: strings.TrimSuffix(out.String(), "\n")}
}

// plain returns a text of a result on one line, without the tags with which servers mark words.
func plain(text string, most int) string {
	if strings.ContainsAny(text, "<&") {
		text = page(context.Background(), []byte(wording.Clip(text, markedBytes)), nil, false)
	}
	return line(text, most)
}

// line returns a text on one line. An address has & before names such as region or copy, which are no
// characters of HTML there.
func line(text string, most int) string {
	return wording.Clip(strings.Join(strings.Fields(visible(text)), " "), most)
}

func (s *searcher) ask(ctx context.Context, query string, count int) ([]found, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address(query, count), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "shelly")
	if s.options.Search.Kind == Brave {
		req.Header.Set("X-Subscription-Token", s.options.Search.Key)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, egress.Bare(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, int64(s.options.BytesMax)+1))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, s.status(resp.StatusCode)
	case len(b) > s.options.BytesMax:
		return nil, fmt.Errorf("its answer is longer than %d bytes (tools.web.bytes_max)", s.options.BytesMax)
	}
	return s.results(b)
}

func (s *searcher) address(query string, count int) string {
	if s.options.Search.Kind == Brave {
		u := s.base.JoinPath("res", "v1", "web", "search")
		u.RawQuery = url.Values{"q": {query}, "count": {strconv.Itoa(count)}}.Encode()
		return u.String()
	}
	u := s.base.JoinPath("search")
	u.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
	return u.String()
}

// status words an HTTP error, with what the operator can do.
func (s *searcher) status(code int) error {
	err := fmt.Errorf("it answers HTTP %d %s", code, http.StatusText(code))
	switch {
	case s.options.Search.Kind == SearXNG && code == http.StatusForbidden:
		return refusal{fmt.Errorf("%w; its settings must allow JSON (search.formats in SearXNG's settings.yml): the operator can add it", err)}
	case s.options.Search.Kind == Brave && (code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusUnprocessableEntity):
		return refusal{fmt.Errorf("%w; the operator has to check the key (tools.web.search.key_from)", err)}
	case code == http.StatusTooManyRequests || code >= 500:
		return err
	}
	return refusal{err}
}

// results reads an answer: SearXNG's results with content, or Brave's web.results with
// description.
func (s *searcher) results(b []byte) ([]found, error) {
	var answer struct {
		Results []struct{ Title, URL, Content string }
		Web     struct {
			Results []struct{ Title, URL, Description string }
		}
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		if bytes.HasPrefix(bytes.TrimSpace(b), []byte("<")) {
			return nil, refusal{errors.New("it answers with a page and not with JSON; the operator has to check tools.web.search.url")}
		}
		return nil, fmt.Errorf("its answer cannot be read: %w", err)
	}
	var list []found
	for _, r := range answer.Results {
		list = append(list, found{r.Title, r.URL, r.Content})
	}
	for _, r := range answer.Web.Results {
		list = append(list, found{r.Title, r.URL, r.Description})
	}
	return list, nil
}
