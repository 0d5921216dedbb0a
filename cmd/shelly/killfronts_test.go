//go:build failpoint

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"shelly/runtime/comm/client"
)

// killOthers are conversations of clients of other protocols: OpenAI's responses, whose
// conversation shelly keeps, and chats over OpenAI's and Ollama's API, which are their
// clients' own.
func killOthers() [][]*killAsk {
	return [][]*killAsk{
		{
			{id: "r1", session: "first", text: "run r1", as: asResponse},
			{id: "r2", session: "first", text: "tell r2", as: asResponse},
			{id: "r3", session: "first", text: "run r3", as: asResponse},
		},
		{{id: "c1", session: "second", text: "run c1", as: asChat}},
		{{id: "o1", session: "third", text: "run o1", as: asOllama}},
	}
}

// killAs is the protocol in which a request is sent.
type killAs string

const (
	asShelly   killAs = "" // its own, over HTTP or UDP
	asResponse killAs = "response"
	asChat     killAs = "chat"
	asOllama   killAs = "ollama"
)

// own reports whether the client keeps the conversation (FRT-8).
func (as killAs) own() bool { return as == asChat || as == asOllama }

// The daemon is killed with SIGKILL at each named point that these clients come to, at its
// first hit, while they are attached. Started again, each gets exactly one answer under the id
// that it has, a stream of responses goes on where it was, and no tool has run twice (FRT-1,
// FRT-7, FRT-13, FRT-16).
func TestKilledAtANamedPointClientsOfOthersGetOneAnswer(t *testing.T) {
	c := campaign{t: t, world: ofTalks(killOthers)}
	c.at(firstHits(c.world(t).hits(), 1))
}

// overOthers sends a request in another protocol, or attaches to it.
func (a *killAsk) overOthers(ctx context.Context, data string, l life) error {
	at, err := client.ReadEndpoint(data)
	if err != nil {
		return errKilled
	}
	method, path := http.MethodPost, "/v1/responses"
	question := []map[string]string{{"role": "user", "content": a.text}}
	body := map[string]any{"model": "shelly", "stream": true}
	switch a.as {
	case asResponse:
		body["input"], body["metadata"] = a.text, map[string]string{"session": a.session}
	case asChat:
		path, body["messages"] = "/v1/chat/completions", question
	case asOllama:
		path, body["messages"] = "/api/chat", question
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if a.as == asResponse && a.acknowledged {
		method, path, text = http.MethodGet, "/v1/responses/resp_"+a.id+"?stream=true", nil
		if a.next > 0 {
			path += fmt.Sprintf("&starting_after=%d", a.next-1)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+at.HTTP+path, strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	req.Header.Set("Idempotency-Key", a.id)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return errKilled
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return errKilled
	}
	return a.hear(resp.Body)
}

// hear reads an answer up to its end.
func (a *killAsk) hear(body io.Reader) error {
	said, items := "", map[string]string{}
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		line := strings.TrimPrefix(lines.Text(), "data: ")
		var e killHeard
		if line == "[DONE]" {
			e.Done = true
		} else if json.Unmarshal([]byte(line), &e) != nil {
			continue // the name of an event, a comment, or nothing
		}
		a.acknowledged = true
		switch {
		case a.as == asResponse:
			if e.Number < a.next {
				a.wrong = append(a.wrong, fmt.Sprintf("%s has number %d after %d", e.Type, e.Number, a.next-1))
			}
			a.next = e.Number + 1
			items[e.ItemID] += e.Delta
			if e.Type == "response.completed" {
				a.reply, a.next = e.Response.said(), 0 // who asks again wants all of it
				if told := items[e.ItemID]; told != "" && told != a.reply {
					a.wrong = append(a.wrong, fmt.Sprintf("%q was told of %q", told, a.reply))
				}
				return nil
			}
		case e.Done:
			paragraphs := strings.Split(said, "\n\n")
			a.reply = paragraphs[len(paragraphs)-1]
			return nil
		case a.as == asChat && len(e.Choices) > 0:
			said += e.Choices[0].Delta.Content
		case a.as == asOllama:
			said += e.Message.Content
		}
	}
	return errKilled
}

// killHeard is what the clients look at of a line, in any of the protocols.
type killHeard struct {
	Type     string
	Number   int64  `json:"sequence_number"`
	ItemID   string `json:"item_id"`
	Delta    string
	Response killResponse
	Choices  []struct{ Delta struct{ Content string } }
	Message  struct{ Content string }
	Done     bool
}

type killResponse struct {
	Output []struct{ Content []struct{ Text string } }
}

// said is the text of the last item, which is the reply.
func (r killResponse) said() string {
	if len(r.Output) == 0 {
		return ""
	}
	last := r.Output[len(r.Output)-1].Content
	if len(last) == 0 {
		return ""
	}
	return last[0].Text
}

// checkTold: what a client has heard on its way was right.
func (k *killed) checkTold(requests []*killAsk) {
	k.t.Helper()
	for _, a := range requests {
		if len(a.wrong) > 0 {
			k.t.Errorf("request %s: %v", a.id, slices.Compact(a.wrong))
		}
	}
}
