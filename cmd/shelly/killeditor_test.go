//go:build failpoint

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// asEditor is the Agent Client Protocol, whose process outlives the daemon.
const asEditor killAs = "editor"

// killEditors are conversations of two editors.
func killEditors() [][]*killAsk {
	return [][]*killAsk{
		{
			{id: "e1", session: "acp-first", text: "run e1", as: asEditor},
			{id: "e2", session: "acp-first", text: "tell e2", as: asEditor},
			{id: "e3", session: "acp-first", text: "run e3", as: asEditor},
		},
		{{id: "f1", session: "acp-second", text: "run f1", as: asEditor}},
	}
}

// The daemon is killed with SIGKILL at each named point that editors come to, at its first
// hit, while their `shelly acp` is attached. Each prompt has one end, its answer is told once,
// and no tool has run twice (FRT-49, FRT-50, FRT-51, FRT-52).
func TestKilledAtANamedPointEditorsGetOneAnswer(t *testing.T) {
	c := campaign{t: t, world: ofTalks(killEditors)}
	c.at(firstHits(c.world(t).hits(), 0))
}

// The same holds where it is killed up to three times at random moments.
func TestKilledAtRandomEditorsGetOneAnswer(t *testing.T) {
	c := campaign{t: t, world: ofTalks(killEditors)}
	c.atRandom(*killsAtRandom / 5)
}

// overEditor starts `shelly acp`, loads the session and sends the prompt. The process looks
// for the next daemon itself; what it answers with an error is asked for again.
func (a *killAsk) overEditor(ctx context.Context, k *killed) error {
	cmd := exec.CommandContext(ctx, k.bin, "acp", "--data", k.data)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	e := editing{ask: a, in: in, out: bufio.NewReader(out), calls: map[string]bool{}}
	err = e.prompt(k.dir)
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	if ended := cmd.Wait(); ended != nil && ctx.Err() == nil {
		a.wrong = append(a.wrong, fmt.Sprint("shelly acp: ", ended))
	}
	return err
}

// editing is an editor's end of a connection.
type editing struct {
	ask   *killAsk
	in    io.Writer
	out   *bufio.Reader
	heard bool // the prompt was sent: updates are about it
	ids   []string
	texts []string // the messages, each whole
	calls map[string]bool
}

// edited is what an editor looks at of a line.
type edited struct {
	ID     int
	Result struct{ StopReason string }
	Error  *struct{ Message string }
	Params struct {
		Update struct {
			SessionUpdate, MessageID, ToolCallID string
			Content                              json.RawMessage
		}
	}
}

func (e *editing) prompt(workspace string) error {
	if _, err := e.request(1, "initialize", map[string]any{"protocolVersion": 1}); err != nil {
		return err
	}
	place := map[string]any{"sessionId": e.ask.session, "cwd": workspace, "mcpServers": []any{}}
	if _, err := e.request(2, "session/resume", place); err != nil {
		return err
	}
	e.heard = true
	end, err := e.request(3, "session/prompt", map[string]any{
		"sessionId": e.ask.session, "prompt": []any{map[string]string{"type": "text", "text": e.ask.text}}, "_meta": map[string]string{"shelly/request": e.ask.id},
	})
	if err != nil {
		return err
	}
	e.ask.acknowledged = true
	if end.Result.StopReason != "end_turn" || len(e.texts) == 0 {
		return fmt.Errorf("the turn has ended with %q after %q", end.Result.StopReason, e.texts)
	}
	last := len(e.texts) - 1
	e.ask.reply = strings.TrimPrefix(e.texts[last], "\n\n")
	for _, text := range e.texts[:last] {
		if strings.HasPrefix(e.ask.reply, strings.TrimPrefix(text, "\n\n")) {
			e.ask.wrong = append(e.ask.wrong, fmt.Sprintf("%q was told, and then %q", text, e.ask.reply))
		}
	}
	return nil
}

// request sends a request and takes what comes up to its answer.
func (e *editing) request(id int, method string, params any) (edited, error) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return edited{}, err
	}
	if _, err := e.in.Write(append(line, '\n')); err != nil {
		return edited{}, errKilled
	}
	for {
		line, err := e.out.ReadBytes('\n')
		if err != nil {
			return edited{}, errKilled
		}
		var m edited
		if err := json.Unmarshal(line, &m); err != nil {
			e.ask.wrong = append(e.ask.wrong, fmt.Sprintf("%q is no message", line))
			return m, err
		}
		switch {
		case m.ID == id && m.Error != nil:
			return m, errKilled
		case m.ID == id:
			return m, nil
		case e.heard:
			e.take(m)
		}
	}
}

// take takes an update.
func (e *editing) take(m edited) {
	switch u := m.Params.Update; u.SessionUpdate {
	case "agent_message_chunk":
		var block struct{ Text string }
		_ = json.Unmarshal(u.Content, &block) // an empty text is told apart
		if n := len(e.ids); n == 0 || e.ids[n-1] != u.MessageID {
			e.ids, e.texts = append(e.ids, u.MessageID), append(e.texts, "")
		}
		e.texts[len(e.texts)-1] += block.Text
	case "tool_call":
		if e.calls[u.ToolCallID] {
			e.ask.wrong = append(e.ask.wrong, "the call "+u.ToolCallID+" begins twice")
		}
		e.calls[u.ToolCallID] = true
	case "tool_call_update":
		if !e.calls[u.ToolCallID] {
			e.ask.wrong = append(e.ask.wrong, "the call "+u.ToolCallID+" never began")
		}
	}
}
