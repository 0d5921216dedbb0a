package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"shelly/runtime/comm"
	"shelly/runtime/process"
)

// proofTimeout bounds a daemon's proof, for which it needs nothing but the token.
const proofTimeout = 5 * time.Second

// proofBytesMax bounds its answer, the headers included.
const proofBytesMax = 4 << 10

// errStranger means that the listener does not know the token.
var errStranger = errors.New("it cannot prove that it is the shelly of this data folder")

// errSilence means that a stranger says nothing. It may be the daemon, if that is suspended.
var errSilence = errors.New("it says nothing")

// tokenKey is the context key of a request's token, for the proof of its connection.
type tokenKey struct{}

// endpointKey is the context key of the Endpoint of the daemon.
type endpointKey struct{}

// suspendedAfter is how long a daemon may be suspended before it counts as silent. It cannot prove
// anything meanwhile, but whoever has suspended it may be about to continue it.
const suspendedAfter = time.Second

// dial opens a connection and makes the other end prove that it knows the token. Nothing
// else is sent before that (COM-18). The daemon's socket is preferred to its address (COM-91).
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	at, _ := ctx.Value(endpointKey{}).(Endpoint)
	if at.Unix != "" {
		conn, err := c.open(ctx, "unix", at.Unix)
		if err == nil || address == noAddress || errors.Is(err, errSilence) { // who is silent there would be here
			return conn, err
		}
	}
	return c.open(ctx, network, address)
}

// noAddress is the address of a daemon that listens only at a socket.
const noAddress = "shelly:80"

func (c *Client) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	token, _ := ctx.Value(tokenKey{}).(string)
	if err := c.prove(ctx, conn, token); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// prove asks for the proof. A connection that breaks before the answer proves nothing either
// way; a listener that is silent, or answers anything else, is a stranger.
func (c *Client) prove(ctx context.Context, conn net.Conn, token string) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	if err := conn.SetDeadline(time.Now().Add(c.o.ProofMax)); err != nil {
		return err
	}
	var once sync.Once
	daemon, _ := ctx.Value(endpointKey{}).(Endpoint)
	suspended := time.AfterFunc(suspendedAfter, func() {
		if process.Suspended(daemon.PID, daemon.Start) {
			once.Do(func() { _ = conn.SetDeadline(time.Now()) }) // an error is that it is closed
		}
	})
	defer suspended.Stop()
	at, challenge := conn.RemoteAddr().String(), comm.NewChallenge()
	proof, err := askProof(conn, at, challenge)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("%w: %w", errStranger, errSilence)
	case err != nil:
		return err
	case !comm.IsProof(proof, token, at, challenge):
		return errStranger
	}
	if !stop() {
		return ctx.Err()
	}
	once.Do(func() {}) // so that it is not late
	return conn.SetDeadline(time.Time{})
}

// askProof sends the challenge. Its error is the connection's; if the answer is not a proof,
// proof is empty.
func askProof(conn net.Conn, at, challenge string) (proof string, err error) {
	host := at
	if conn.RemoteAddr().Network() == "unix" {
		host = noAddress
	}
	request, err := http.NewRequest(http.MethodGet, "http://"+host+comm.ProofRoute+"?challenge="+challenge, nil)
	if err != nil {
		return "", err
	}
	if err := request.Write(conn); err != nil {
		return "", err
	}
	limited := &io.LimitedReader{R: conn, N: proofBytesMax}
	in := bufio.NewReader(limited)
	response, err := http.ReadResponse(in, request)
	var text []byte
	if err == nil && response.StatusCode == http.StatusOK && response.ContentLength > 0 {
		text, err = io.ReadAll(response.Body)
	}
	if limited.N <= 0 {
		return "", nil
	}
	if err != nil {
		return "", broken(err)
	}
	var body comm.ProofBody
	if response.Close || in.Buffered() > 0 || json.Unmarshal(text, &body) != nil {
		return "", nil
	}
	return body.Proof, nil
}

// broken returns an error of the connection, or nil if the answer was not HTTP.
func broken(err error) error {
	if network := net.Error(nil); errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return nil
}
