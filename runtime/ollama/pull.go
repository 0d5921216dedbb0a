package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"shelly/fsm"
)

// pullIdle bounds the wait between two lines of a pull. The server is silent while it verifies a
// download, which takes minutes for a large model.
const pullIdle = 15 * time.Minute

// Pulling is one line of the progress of a pull.
type Pulling struct {
	Status    string `json:"status"`    // in the server's words
	Digest    string `json:"digest"`    // of the layer that the sizes belong to; empty: there is none
	Total     int64  `json:"total"`     // the size of the layer in bytes
	Completed int64  `json:"completed"` // the bytes of it that have arrived
}

// Why a pull failed, if that changes what to do about it.
var (
	// ErrNoSuchModel: the registry has no such model.
	ErrNoSuchModel = errors.New("there is no such model")
	// ErrOffline: the server cannot reach the registry.
	ErrOffline = errors.New("the registry cannot be reached")
	// ErrDiskFull: the server's disk has no space for the model.
	ErrDiskFull = errors.New("there is no space for it")
)

// Pull makes the server download a model, and calls tell with the progress. It returns once the
// model is installed. If ctx ends, the server stops but keeps what has arrived, and the next pull
// continues from there. The error is an [*Error], or wraps one of those above.
func (c *Client) Pull(ctx context.Context, name string, tell func(Pulling)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(pullIdle, func() {
		cancel(failure(fsm.BrainTimeout, "the Ollama server at %s said nothing about the download for %v", c.base, pullIdle))
	})
	defer silent.Stop()
	resp, err := c.startPull(ctx, name)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, errorBytesMax))
		text, ours := errorText(resp.StatusCode, body)
		return c.unpulled(name, resp.StatusCode, text, ours)
	}
	in := newLines(resp.Body)
	defer in.giveBack()
	for {
		line, err := in.next()
		silent.Reset(pullIdle)
		switch {
		case errors.Is(err, io.EOF):
			return failure(fsm.BrainCutStream, "the Ollama server at %s broke off the download", c.base)
		case err != nil:
			return c.failed(ctx, err)
		}
		done, err := c.pulled(name, line, tell)
		if done || err != nil {
			return err
		}
	}
}

// startPull asks for a model. The answer lasts as long as the download, so its lines are bounded
// but not its whole.
func (c *Client) startPull(ctx context.Context, name string) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{"model": name, "stream": true})
	if err != nil {
		return nil, err
	}
	req, err := c.posted(ctx, c.base.JoinPath("api/pull").String(), body)
	if err != nil {
		return nil, err
	}
	unbounded := *c.http
	if b, ok := c.http.Transport.(bounded); ok {
		unbounded.Transport = b.Transport
	}
	resp, err := unbounded.Do(req)
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	return resp, nil
}

// pulled handles one line, and reports whether it is the last.
func (c *Client) pulled(name string, line []byte, tell func(Pulling)) (done bool, err error) {
	var l struct {
		Pulling
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return false, failure(fsm.BrainGarbage, "the answer of the server at %s could not be read: %s", c.base, excerpt(string(line)))
	}
	if len(l.Error) > 0 {
		text, _ := errorText(http.StatusOK, line)
		return false, c.unpulled(name, http.StatusOK, text, true)
	}
	tell(l.Pulling)
	return l.Status == "success", nil
}

// unpulled classifies what the server says about a failed pull. Only the text tells, whether it
// comes during a stream or with status 500.
func (c *Client) unpulled(name string, status int, text string, ours bool) error {
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("file does not exist"), has("manifest unknown"), has("invalid model name"):
		return fmt.Errorf("%w as %q (%s)", ErrNoSuchModel, name, text)
	case has("no space left"):
		return fmt.Errorf("%w where the Ollama server at %s keeps its models (%s)", ErrDiskFull, c.base, text)
	case has("no such host"), has("dial tcp"), has("i/o timeout"), has("network is unreachable"), has("connection refused"), has("server misbehaving"):
		return fmt.Errorf("%w by the Ollama server at %s (%s)", ErrOffline, c.base, text)
	case status == http.StatusOK:
		return failure(fsm.BrainError, "the Ollama server at %s could not pull %q: %s", c.base, name, text)
	default:
		return c.refused(name, status, text, ours)
	}
}
