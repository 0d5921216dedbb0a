package lockstep

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/sim/disk"
)

// haste is how long a client waits for an answer that never comes.
const haste = 20 * time.Millisecond

// serve starts the mock server and its clients.
func (l *live) serve(noVectors bool) error {
	options := mock.Options{Brain: l, EmbedModel: disk.EmbeddingModel}
	options.Models = []mock.Model{{Name: mock.DefaultModel, Window: callWindow}}
	if !noVectors {
		options.EmbedDims = len(disk.Vector("")) / 4
		options.Embed = floats
	}
	server := mock.New(options)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	l.server = &http.Server{Handler: server, ReadHeaderTimeout: callTimeout}
	go func() { _ = l.server.Serve(listener) }()
	embed := disk.EmbeddingModel
	if noVectors {
		embed = ""
	}
	l.asking = ollama.Options{
		BaseURL: "http://" + listener.Addr().String(), Model: mock.DefaultModel, EmbedModel: embed, NumCtx: callWindow,
		Tools: ollama.ToolsNative, // a scripted no_tools is an answer of such a server
	}
	asking := l.asking
	if l.client, err = ollama.New(asking); err != nil {
		return err
	}
	asking.Timeouts.FirstToken = haste
	if l.hasty, err = ollama.New(asking); err != nil {
		return err
	}
	asking.Timeouts = ollama.Timeouts{Total: haste} // a silent model would be waited for while its server is alive (BRN-43)
	if l.restless, err = ollama.New(asking); err != nil {
		return err
	}
	if asking.BaseURL, err = nobody(); err != nil {
		return err
	}
	l.absent, err = ollama.New(asking)
	return err
}

// nobody returns an address at which nothing listens: it was free a moment ago.
func nobody() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return "http://" + listener.Addr().String(), listener.Close()
}

// prepare tells the server which question to expect and what to answer.
func (l *live) prepare(ask fsm.AskBrain, answer mock.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked, l.answer, l.unlike, l.heard = ask, answer, "", make(chan struct{})
}

// alike returns an error if the server did not get what the machine asked.
func (l *live) alike() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unlike != "" {
		return fmt.Errorf("the server did not get what the machine asked: %s", l.unlike)
	}
	return nil
}

// Answer implements [mock.Brain]: the server gives the answer that the simulator has decided on,
// and notes how the question differs from the machine's.
func (l *live) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unlike = unlike(l.asked, l.offered(l.asked), q)
	close(l.heard)
	l.heard = make(chan struct{}) // the client asks once; a second question would be another one
	return l.answer, nil
}
