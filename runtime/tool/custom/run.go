package custom

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/program"
)

// runner runs one program.
type runner struct {
	options Options
	tool    Program
}

// KeyVariable is the environment variable that identifies a call to a program: a call that is
// started again has the same value, and so has its probe (TOL-8).
const KeyVariable = "SHELLY_CALL"

// tryAgain is the exit code of a temporary failure: EX_TEMPFAIL of sysexits.h.
const tryAgain = 75

// complaintBytes is the most bytes of a program's standard error that are shown.
const complaintBytes = 2 << 10

// run runs a call (TOL-81).
func (r runner) run(ctx context.Context, command []string, key string, a tool.Arguments) tool.Result {
	room := tool.Room(r.options.ResultBytesMax)
	out, errs := head{most: room}, head{most: min(complaintBytes, room/2)}
	to, silence := tool.Followed(ctx, &out, &errs) // TOL-50
	defer silence()
	end, err := r.start(ctx, sandbox.Spec{
		Args: command, Env: r.environment(key), Out: to[0], Errs: to[1], Timeout: r.tool.Timeout, Network: r.tool.Network,
	}, a)
	if err != nil {
		return tool.Nothing("%s was not started: %v", r.tool.Name, err)
	}
	said := ""
	if text := strings.TrimSpace(errs.text()); text != "" {
		said = "\n" + text
	}
	left := tool.Remains(end)
	room -= len(left)
	if !end.Exited || end.Code != 0 {
		room -= len(said)
	}
	shown := out.within(room)
	result := tool.Result{}
	switch {
	case end.Exited && end.Code == 0:
		result.Text = shown
		if strings.TrimSpace(result.Text) == "" {
			result.Text = "(no output)"
		}
	case end.Exited:
		result = tool.Failed("%s failed with exit code %d%s\n%s", r.tool.Name, end.Code, said, shown)
		result.Invalid = end.Code != tryAgain // the program has answered; it would answer the same
	case end.TimedOut:
		result = tool.Failed("%s was ended after %v (tools.custom.%s.timeout); output until then:%s\n%s", r.tool.Name, r.tool.Timeout, r.tool.Name, said, shown)
	case ctx.Err() != nil:
		result = tool.Failed("stopped: the call was given up and %s ended; output until then:%s\n%s", r.tool.Name, said, shown)
	case end.DiskFull:
		result = tool.Failed("%s was ended because the disk had filled by more than is allowed (tools.exec.disk), whoever has written there%s\n%s", r.tool.Name, said, shown)
	case end.Lost:
		result = tool.Failed("%s was ended together with its supervisor; output until then:%s\n%s", r.tool.Name, said, shown)
	default:
		result = tool.Failed("%s was ended by signal %s%s\n%s", r.tool.Name, end.Signal, said, shown)
	}
	result.Text = strings.TrimRight(result.Text, "\n") + left
	result.Contained = string(r.options.Sandbox.Rung())
	return result
}

// start runs a command with arguments on its standard input.
func (r runner) start(ctx context.Context, s sandbox.Spec, a tool.Arguments) (sandbox.End, error) {
	input, err := json.Marshal(map[string]any(a))
	if err != nil {
		return sandbox.End{}, err
	}
	in, write, err := os.Pipe()
	if err != nil {
		return sandbox.End{}, err
	}
	s.In = in
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = write.Write(append(input, '\n')) // a program need not read it
		_ = write.Close()
	}()
	end, err := r.options.Sandbox.Run(ctx, s)
	_ = in.Close() // this ends a write that still waits
	<-written
	return end, err
}

func (r runner) environment(key string) []string {
	return slices.Concat(program.Env(r.options.Workspace), []string{KeyVariable + "=" + key}, r.tool.Env)
}

// head keeps the beginning of an output of any length.
type head struct {
	most int
	kept strings.Builder
	lost int64
}

// Write takes all of p.
func (h *head) Write(p []byte) (int, error) {
	n := len(p)
	room := min(max(h.most-h.kept.Len(), 0), n)
	h.kept.Write(p[:room])
	h.lost += int64(n - room)
	return n, nil
}

// text is the kept output, with a mark where something was cut.
func (h *head) text() string { return h.within(h.most) }

// within is the kept output as it is shown, cut to a length, with a mark where something was cut.
func (h *head) within(most int) string {
	shown, n := tool.Beginning([]byte(h.kept.String()), most)
	lost := h.lost + int64(h.kept.Len()-n)
	if lost == 0 {
		return shown
	}
	return shown + "\n[" + wording.Counted(int(lost), "more byte is cut", "more bytes are cut") + "]"
}
