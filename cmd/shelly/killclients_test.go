//go:build failpoint

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/acp"
	"shelly/runtime/front/mcpserver"
	"shelly/runtime/front/ollama"
	"shelly/runtime/front/openai"
)

// killAsk is one request and what its sender has seen of it.
type killAsk struct {
	id, session, text string
	udp               bool
	as                killAs

	acknowledged bool
	reply        string
	stood        string    // on the terminal, if it is one
	next         int64     // above the number of the last event of a response's stream
	wrong        []string  // what was heard and should not have been
	ears         killEars  // of who comes back with a position
	desk         *killDesk // that gets the answer; nil: the sender does
}

func (a *killAsk) channel() string {
	switch {
	case a.udp:
		return comm.ChannelUDP
	case a.as == asOllama:
		return ollama.Channel
	case a.as == asEditor:
		return acp.Channel
	case a.as == asTask, a.as == asOldTask:
		return mcpserver.Channel
	case a.as == asResponse, a.as == asChat:
		return openai.Channel
	}
	return comm.ChannelHTTP
}

func (a *killAsk) key() fsm.RequestKey {
	if a.as == asHook {
		return a.hookKey()
	}
	return fsm.RequestKey{Principal: comm.Principal, Channel: a.channel(), ID: a.id}
}

// killConversations are two sessions, one over HTTP and one over UDP, whose requests come
// one after the other.
func killConversations() [][]*killAsk {
	return [][]*killAsk{
		{
			{id: "h1", session: "first", text: "run h1"},
			{id: "h2", session: "first", text: "tell h2"},
			{id: "h3", session: "first", text: "run h3"},
		}, {
			{id: "u1", session: "second", text: "tell u1", udp: true},
			{id: "u2", session: "second", text: "run u2", udp: true},
			{id: "u3", session: "second", text: "tell u3", udp: true},
		},
	}
}

// converse sends the requests of a conversation until each is answered, as a client
// does that survives the daemon: the same id again and again.
func (k *killed) converse(ctx context.Context, requests []*killAsk) error {
	for _, a := range requests {
		if err := k.ask(ctx, a); err != nil {
			return fmt.Errorf("request %s: %w", a.id, err)
		}
	}
	return nil
}

// ask asks each process that comes to serve until one has answered. What was
// acknowledged is there before it is sent again.
func (k *killed) ask(ctx context.Context, a *killAsk) error {
	for last := 0; ; {
		l, err := k.await(ctx, last)
		if err != nil {
			return err
		}
		last = l.number
		if a.acknowledged && a.as != asHook { // of which nothing is asked at the end but the store
			_, err := client.New(k.data, client.Options{}).Get(ctx, a.id, a.channel())
			if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == comm.CodeNotFound {
				return fmt.Errorf("process %d does not know it, and it was acknowledged", l.number)
			}
		}
		if k.askOf(ctx, l, a) == nil {
			return nil
		}
	}
}

// askOf asks one process.
func (k *killed) askOf(ctx context.Context, l life, a *killAsk) error {
	switch {
	case a.udp:
		return a.overUDP(ctx, l)
	case a.as == asHook:
		return a.overHook(ctx, k.data, l)
	case a.as == asShelly:
		return a.overHTTP(ctx, k.data)
	case a.as == asEditor:
		return a.overEditor(ctx, k)
	case a.as == asTerminal, a.as == asPipe:
		return a.overAsk(ctx, k)
	case a.channel() == comm.ChannelHTTP, a.channel() == mcpserver.Channel:
		return a.overWays(ctx, k.data, l)
	}
	return a.overOthers(ctx, k.data, l)
}

// errKilled ends an attempt where the daemon is gone: the next process is asked.
var errKilled = errors.New("the daemon has gone")

func (a *killAsk) overHTTP(ctx context.Context, data string) error {
	once := client.Options{Pause: func(context.Context, time.Duration) error { return errKilled }}
	request := client.AskRequest{ID: a.id, Session: a.session, Text: a.text}
	reply, err := client.New(data, once).Ask(ctx, request, func(e comm.Event) {
		a.acknowledged = a.acknowledged || e.Type == comm.EventAccepted
	})
	if err == nil {
		a.reply = reply.Text
	}
	return err
}

// resendAfter is how long a sender of datagrams waits for an answer.
const resendAfter = 100 * time.Millisecond

func (a *killAsk) overUDP(ctx context.Context, l life) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", l.udp)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	letter, err := json.Marshal(map[string]string{"id": a.id, "text": a.text, "session": a.session, "token": l.token})
	if err != nil {
		return err
	}
	buffer := make([]byte, comm.DatagramBytesMax)
	for {
		if _, err := conn.Write(letter); err != nil {
			return err
		}
		for {
			_ = conn.SetReadDeadline(time.Now().Add(resendAfter))
			n, err := conn.Read(buffer)
			if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
				break // perhaps it was lost: once more
			}
			if err != nil {
				return err
			}
			var d comm.Datagram
			if err := json.Unmarshal(buffer[:n], &d); err != nil {
				return err
			}
			if d.ID != a.id { // a late answer to who had this port before
				continue
			}
			switch d.Type {
			case comm.DatagramAccepted:
				a.acknowledged = true
			case comm.DatagramReply:
				a.acknowledged, a.reply = true, d.Content
				return nil
			}
		}
	}
}
