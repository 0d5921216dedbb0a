package offer

import (
	"testing"

	"shelly/fsm"
)

func twoTools() []fsm.ToolDecl {
	return []fsm.ToolDecl{
		{Name: "look", Description: "Look around.", Parameters: `{"type":"object"}`},
		{Name: "note", Description: "Note something down.", Parameters: `{"type":"object"}`},
	}
}

// A tool that takes exactly the room that is left is shown whole.
func TestTOL61WhatJustFitsIsWhole(t *testing.T) {
	all := twoTools()
	both := cost(&all[0]) + cost(&all[1])
	for room, want := range map[int]int{both: 2, both - 1: 1, cost(&all[0]): 1, 0: 0} {
		if whole, rest := split(&fsm.Config{}, all, nil, room); len(whole) != want || len(whole)+len(rest) != len(all) {
			t.Errorf("with room for %d: %d whole, %d named; want %d whole", room, len(whole), len(rest), want)
		}
	}
}

// An offer is made again after any change of shelly's own tools that a model would see.
func TestTOL60AnOfferIsOfItsTools(t *testing.T) {
	c := &fsm.Config{Limits: fsm.Limits{OfferTokens: 100}}
	before := own(c, twoTools())
	for name, change := range map[string]func(d *fsm.ToolDecl){
		"name":        func(d *fsm.ToolDecl) { d.Name = "see" },
		"description": func(d *fsm.ToolDecl) { d.Description = "Look." },
		"parameters":  func(d *fsm.ToolDecl) { d.Parameters = `{"type":"object","properties":{}}` },
	} {
		all := twoTools()
		change(&all[0])
		if own(c, all) == before {
			t.Errorf("with another %s the offer is the same", name)
		}
	}
}
