package custom

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"shelly/fsm"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
)

// Bounds of a probe: its time, and the bytes of its answer, which may hold a result that is longer
// than what will be shown of it.
const (
	probeMax  = 30 * time.Second
	answerMax = 1 << 20
)

// probe asks a program what came of a call whose outcome is unknown (TOL-82). The answer is
// {"answer": "done", "result": "…"}, {"answer": "never", "final": true} or
// {"answer": "unsure"}; any other answer counts as unsure.
func (r runner) probe(ctx context.Context, command []string, key string, a tool.Arguments) tool.Found {
	unsure := func(why string) tool.Found { return tool.Found{Answer: fsm.ProbeUnsure, Text: "the probe " + why} }
	out, within := head{most: answerMax}, min(r.tool.Timeout, probeMax)
	end, err := r.start(ctx, sandbox.Spec{
		Args: command, Env: r.environment(key), Out: &out, Errs: &head{}, Timeout: within,
		Network: r.tool.Network, ReadOnly: true,
	}, a)
	switch {
	case err != nil:
		return unsure("was not started: " + err.Error())
	case end.TimedOut:
		return unsure(fmt.Sprintf("gave no answer within %v", within))
	case !end.Exited:
		return unsure("was ended")
	case end.Code != 0:
		return unsure("failed with exit code " + strconv.Itoa(end.Code))
	}
	var says struct {
		Answer string
		Result string
		Failed bool
		Final  bool
	}
	if json.Unmarshal([]byte(out.kept.String()), &says) != nil {
		return unsure("did not answer with a JSON object")
	}
	switch says.Answer {
	case "done":
		return tool.Found{Answer: fsm.ProbeDone, Text: says.Result, Failed: says.Failed}
	case "never":
		return tool.Found{Answer: fsm.ProbeNever, Final: says.Final}
	}
	return unsure("does not know")
}
