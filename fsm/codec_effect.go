package fsm

import (
	"encoding/json"
	"fmt"
)

// UnmarshalEffect reads the wire form of an effect. An unknown kind is an error.
func UnmarshalEffect(data []byte) (Effect, error) {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode effect: %w", err)
	}
	switch head.Kind {
	case "ask_brain":
		return decodeEffect[AskBrain](data)
	case "run_tool":
		return decodeEffect[RunTool](data)
	case "abort_call":
		return decodeEffect[AbortCall](data)
	case "recall":
		return decodeEffect[Recall](data)
	case "embed":
		return decodeEffect[Embed](data)
	case "store":
		return decodeEffect[Store](data)
	case "load_session":
		return decodeEffect[LoadSession](data)
	case "save_session":
		return decodeEffect[SaveSession](data)
	case "load_skill":
		return decodeEffect[LoadSkill](data)
	case "send_message":
		return decodeEffect[SendMessage](data)
	case "arm_schedule":
		return decodeEffect[ArmSchedule](data)
	case "disarm_schedule":
		return decodeEffect[DisarmSchedule](data)
	case "ask_person":
		return decodeEffect[AskPerson](data)
	case "audit":
		return decodeEffect[Audit](data)
	case "set_timer":
		return decodeEffect[SetTimer](data)
	case "clear_timer":
		return decodeEffect[ClearTimer](data)
	case "reply":
		return decodeEffect[Reply](data)
	case "notify":
		return decodeEffect[Notify](data)
	case "report":
		return decodeEffect[Report](data)
	case "exit":
		return decodeEffect[Exit](data)
	default:
		return nil, fmt.Errorf("decode effect: unknown kind %q", head.Kind)
	}
}

func decodeEffect[T Effect](data []byte) (Effect, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("decode effect: %w", err)
	}
	return v, nil
}
