package store

import "shelly/fsm"

func awake(canary string) bool { return fsm.Awake(canary) }
