package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/runtime/clock"
	"shelly/runtime/comm"
	"shelly/runtime/process"
)

const (
	// answerBytesMax bounds an answer and a line of a stream.
	answerBytesMax = 64 << 20

	dialTimeout   = 5 * time.Second
	answerTimeout = 30 * time.Second
)

// Options adapts a client; the zero value is ready.
type Options struct {
	// SilenceMax is how long a stream may be silent before it counts as broken;
	// 0: four heartbeats of the daemon.
	SilenceMax time.Duration
	// ProofMax is how long a daemon may take to prove that it is one; 0: 5 s.
	ProofMax time.Duration
	// AnswerMax is how long an answer may be in the making; 0: 30 s. A backup and an export of the
	// memory may take as long as they need.
	AnswerMax time.Duration
	// Again is called before each further try; nil: nothing is.
	Again func()
	// Beginning makes attaching deliver a request's events from its beginning, and not only
	// those that the daemon still has in memory.
	Beginning bool
	// Tries is the number of further tries after the last sign of life of a connection; 0:
	// TriesMax.
	Tries int
	// Pause waits between two tries; nil: by the clock.
	Pause func(ctx context.Context, d time.Duration) error
}

// Client talks to the daemon of one data folder. It may be used from many
// goroutines.
type Client struct {
	dir     string
	o       Options
	http    *http.Client
	patient *http.Client // for answers that may take as long as they need
}

// New returns a client for the daemon of a data folder. It reads nothing yet.
func New(dir string, o Options) *Client {
	if o.SilenceMax <= 0 {
		o.SilenceMax = 4 * comm.HeartbeatEvery
	}
	if o.ProofMax <= 0 {
		o.ProofMax = proofTimeout
	}
	if o.AnswerMax <= 0 {
		o.AnswerMax = answerTimeout
	}
	if o.Tries <= 0 {
		o.Tries = TriesMax
	}
	if o.Pause == nil {
		o.Pause = clock.Pause
	}
	if o.Again == nil {
		o.Again = func() {}
	}
	c := &Client{dir: dir, o: o}
	c.http, c.patient = c.within(o.AnswerMax), c.within(0)
	return c
}

// within returns a client whose answers must begin within limit; 0: no limit.
func (c *Client) within(limit time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 nil, // the token stays on this machine
			DialContext:           c.dial,
			ResponseHeaderTimeout: limit,
			DisableKeepAlives:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Status returns the daemon's status.
func (c *Client) Status(ctx context.Context) (comm.Status, error) {
	return get[comm.Status](ctx, c, "/v1/status")
}

// Get returns the record of a request; channel "" is that of Ask.
func (c *Client) Get(ctx context.Context, id, channel string) (comm.Record, error) {
	return c.GetOf(ctx, About{ID: id, Channel: channel})
}

// GetOf is Get of a request that may be another client's.
func (c *Client) GetOf(ctx context.Context, about About) (comm.Record, error) {
	return get[comm.Record](ctx, c, about.of(""))
}

// Cancel asks to end a request, and reports whether that changed anything; channel ""
// is that of Ask. The request still ends with a reply.
func (c *Client) Cancel(ctx context.Context, id, channel string) (taken bool, err error) {
	return c.CancelOf(ctx, About{ID: id, Channel: channel})
}

// CancelOf is Cancel of a request that may be another client's.
func (c *Client) CancelOf(ctx context.Context, about About) (taken bool, err error) {
	answer, err := post[comm.Taken](ctx, c, about.of("/cancel"), nil)
	return answer.Taken, err
}

// Requests returns the wanted requests, the latest first.
func (c *Client) Requests(ctx context.Context, w comm.Wanted) (comm.RequestsBody, error) {
	q := url.Values{
		"before": {decimal(w.Before)}, "limit": {strconv.Itoa(max(0, w.Limit))}, "state": {w.State}, "id": {w.ID}, "prefix": {w.Prefix}, "session": {w.Session}, "client": {w.Client},
	}
	if w.After == 0 {
		return c.requests(ctx, q)
	}
	q.Set("after", decimal(w.After))
	body, err := c.requests(ctx, q)
	if refused := (*Error)(nil); !errors.As(err, &refused) || refused.Code != comm.CodeBadRequest {
		return body, err
	}
	q.Del("after") // which an older daemon does not know (COM-105)
	if body, err = c.requests(ctx, q); err != nil {
		return body, err
	}
	body.Requests = slices.DeleteFunc(body.Requests, func(r comm.Record) bool { return r.Index <= w.After })
	if body.Next <= w.After+1 {
		body.Next = 0
	}
	return body, nil
}

func (c *Client) requests(ctx context.Context, q url.Values) (comm.RequestsBody, error) {
	return get[comm.RequestsBody](ctx, c, "/v1/requests?"+q.Encode())
}

// segment returns an id as a part of a path. Dots are escaped as well, so that no id is taken for
// a step up in the path.
func segment(id string) string { return strings.ReplaceAll(url.PathEscape(id), ".", "%2E") }

// get returns what a path answers.
func get[T any](ctx context.Context, c *Client, path string) (answer T, err error) {
	err = c.read(ctx, http.MethodGet, path, nil, &answer)
	return answer, err
}

// post sends fields, or nothing if they are nil, and returns the answer.
func post[T any](ctx context.Context, c *Client, path string, fields any) (answer T, err error) {
	var body []byte
	if fields != nil {
		if body, err = json.Marshal(fields); err != nil {
			return answer, fmt.Errorf("encode what is sent: %w", err)
		}
	}
	err = c.read(ctx, http.MethodPost, path, body, &answer)
	return answer, err
}

// read decodes the answer to a request.
func (c *Client) read(ctx context.Context, method, path string, body []byte, to any) error {
	response, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(response.Body, answerBytesMax)).Decode(to); err != nil {
		return fmt.Errorf("read shelly's answer: %w", err)
	}
	return nil
}

// do sends one request and returns an answer that is not an error.
func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	return c.doBy(ctx, c.http, method, path, body)
}

func (c *Client) doBy(ctx context.Context, by *http.Client, method, path string, body []byte) (*http.Response, error) {
	header := http.Header{}
	if method == http.MethodPost {
		header.Set("Content-Type", "application/json")
	}
	response, listens, err := c.send(ctx, by, method, path, header, body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = response.Body.Close() }()
		return nil, refusal(response, listens)
	}
	return response, nil
}

// send sends one request with the token, and returns the answer, whatever its status, and the
// address that it came from.
func (c *Client) send(ctx context.Context, by *http.Client, method, path string, header http.Header, body []byte) (answer *http.Response, listens string, err error) {
	at, err := ReadEndpoint(c.dir)
	if err != nil {
		return nil, "", err
	}
	host, listens := at.HTTP, at.HTTP
	switch {
	case at.HTTP == "" && at.Unix == "":
		return nil, "", errors.New("the running shelly does not listen for HTTP; set comm.http and start it again")
	case at.HTTP == "":
		host, listens = noAddress, at.Unix
	}
	token, err := ReadToken(c.dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, "", noAccess(err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", &Error{Problem: comm.Problem{Code: comm.CodeUnauthorized, Message: err.Error()}}
	case err != nil:
		return nil, "", &Error{Problem: comm.Problem{Code: comm.CodeDamaged, Message: err.Error()}}
	}
	request, err := http.NewRequestWithContext(context.WithValue(context.WithValue(ctx, tokenKey{}, token), endpointKey{}, at), method, "http://"+host+path, bytes.NewReader(body))
	if err != nil {
		return nil, "", fmt.Errorf("make the request to %s: %w", listens, err)
	}
	request.Header = header
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := by.Do(request)
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" && ctx.Err() == nil {
		return nil, "", fmt.Errorf("%w (nothing answers at %s)", ErrNotRunning, listens)
	}
	if errors.Is(err, errStranger) {
		if errors.Is(err, errSilence) && at.Start != "" && !process.Gone(at.PID, at.Start) {
			if process.Suspended(at.PID, at.Start) {
				return nil, "", fmt.Errorf("%w: process %d is suspended: continue it with kill -CONT %d", ErrSilent, at.PID, at.PID)
			}
			return nil, "", fmt.Errorf("%w: process %d has said nothing at %s for %v: it hangs, or the machine is too busy; try again, or end it and start shelly again",
				ErrSilent, at.PID, listens, c.o.ProofMax)
		}
		if errors.Is(err, errSilence) && process.Gone(at.PID, at.Start) {
			return nil, "", fmt.Errorf("%w (process %d, which listened at %s, has ended, and what is there now says nothing; if a service manager holds the socket, it is starting shelly: try again)",
				ErrNotRunning, at.PID, listens)
		}
		return nil, "", stranger(at, listens, filepath.Join(c.dir, TokenFile))
	}
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() && ctx.Err() == nil {
		err = fmt.Errorf("it gave no answer within %v; the machine may be too busy", c.o.AnswerMax)
	}
	if err != nil {
		return nil, "", fmt.Errorf("ask shelly: %w: %w", ErrBroken, err)
	}
	return response, listens, nil
}

// stranger is the error if something else listens in the daemon's place. The token was
// not sent.
func stranger(at Endpoint, listens, tokenFile string) error {
	if process.Gone(at.PID, at.Start) {
		return fmt.Errorf("%w (another program answers at %s, where process %d listened, which has ended)", ErrNotRunning, listens, at.PID)
	}
	p := comm.Problem{
		Code:    comm.CodeUnauthorized,
		Message: fmt.Sprintf("what answers at %s cannot prove that it knows the token in %s, which was not sent: it is not shelly, or not that of this data folder", listens, tokenFile),
		Hint:    "start shelly again; it writes down where it listens",
	}
	if at.Start != "" { // it is the process that wrote the endpoint file
		p.Message = fmt.Sprintf("the token in %s, which was not sent, is not that of the shelly at %s", tokenFile, listens)
		p.Hint = fmt.Sprintf("put back the token that it was started with, or stop process %d and start shelly again", at.PID)
	}
	return &Error{Problem: p}
}

// refusal reads an error.
func refusal(response *http.Response, address string) error {
	e := &Error{}
	var body comm.ProblemBody
	err := json.NewDecoder(io.LimitReader(response.Body, answerBytesMax)).Decode(&body)
	if e.Problem = body.Error; err != nil || e.Message == "" {
		e.Problem = comm.Problem{
			Message: fmt.Sprintf("what answers at %s is not shelly (HTTP status %d)", address, response.StatusCode),
			Hint:    "start shelly again; it writes down where it listens",
		}
	}
	return e
}
