package mcpserver

import (
	"encoding/json"
	"errors"

	"shelly/fsm"
	"shelly/runtime/front/wire"
)

// said reads a client's answer to the question about a call (FRT-35). One that dismisses the question
// decides nothing. What cannot be read is an error: a misspelt field must not approve a call.
func said(call string, answer json.RawMessage) (d fsm.Decided, decides bool, err error) {
	v, err := wire.Parse(answer)
	if err == nil {
		err = v.Is(wire.Object)
	}
	if err != nil {
		return d, false, err
	}
	d = fsm.Decided{Key: call, Approve: true}
	switch action := v.Member("action"); action.Text {
	case "accept":
	case "decline":
		d.Approve = false
	case "cancel":
		return d, false, nil
	default:
		return d, false, errors.New("its action is none that is known; send accept, decline or cancel")
	}
	approve := d.Approve
	if content := v.Member("content"); content.Kind != wire.Null {
		err = content.Object(wire.Flag("approve", &approve), wire.Text("reason", &d.Reason))
	}
	d.Approve = d.Approve && approve
	return d, true, err
}
