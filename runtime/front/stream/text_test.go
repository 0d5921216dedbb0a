package stream_test

import (
	"reflect"
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/front/stream"
)

func chunk(call, from int, text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Call: fsm.CallID(call), From: from, Text: text}
}

func whole(call int, text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Call: fsm.CallID(call), Text: text, Whole: true}
}

var tool = comm.Event{Type: comm.EventTool, Tool: "look"}

func reply(text string) comm.Event { return comm.Event{Type: comm.EventReply, Text: text} }

func ended(o fsm.Outcome, text string) comm.Event {
	return comm.Event{Type: comm.EventReply, Text: text, Outcome: o}
}

func TestFRT5WhatWasToldIsNotToldTwice(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []comm.Event
		want   []stream.Piece
	}{
		{"an answer in pieces", []comm.Event{chunk(7, 0, "It "), chunk(7, 3, "is."), reply("It is.")}, []stream.Piece{
			{Call: 7, Text: "It ", Begins: true}, {Call: 7, From: 3, Text: "is."}, {Call: 7, From: 6, Ends: true, Said: "It is."},
		}},
		{"nothing was streamed", []comm.Event{reply("It is.")}, []stream.Piece{
			{Call: stream.ReplyCall, Text: "It is.", Begins: true, Ends: true, Said: "It is."},
		}},
		{"a text beside calls", []comm.Event{chunk(7, 0, "Wait."), tool, chunk(9, 0, "Now."), reply("Now.")}, []stream.Piece{
			{Call: 7, Text: "Wait.", Begins: true}, {Call: 7, From: 5, Ends: true, Said: "Wait."},
			{Call: 9, Text: "Now.", Begins: true}, {Call: 9, From: 4, Ends: true, Said: "Now."},
		}},
		{"asked again", []comm.Event{chunk(7, 0, "It w"), chunk(8, 0, "Yes."), reply("Yes.")}, []stream.Piece{
			{Call: 7, Text: "It w", Begins: true}, {Call: 7, From: 4, Ends: true, Lost: true, Said: "It w"},
			{Call: 8, Text: "Yes.", Begins: true}, {Call: 8, From: 4, Ends: true, Said: "Yes."},
		}},
		{"the beginning comes later", []comm.Event{whole(7, "It is"), chunk(7, 5, "."), whole(7, "It is."), reply("It is.")}, []stream.Piece{
			{Call: 7, Text: "It is", Begins: true}, {Call: 7, From: 5, Text: "."}, {Call: 7, From: 6, Ends: true, Said: "It is."},
		}},
		{"the same call says something else", []comm.Event{chunk(7, 0, "It w"), whole(7, "Yes")}, []stream.Piece{
			{Call: 7, Text: "It w", Begins: true}, {Call: 7, From: 4, Ends: true, Lost: true, Said: "It w"}, {Call: 7, Text: "Yes", Begins: true},
		}},
		{"a piece is missing", []comm.Event{chunk(7, 0, "It "), chunk(7, 6, "so"), chunk(7, 8, "."), reply("It is so.")}, []stream.Piece{
			{Call: 7, Text: "It ", Begins: true}, {Call: 7, From: 3, Text: "is so.", Ends: true, Said: "It is so."},
		}},
		{"a piece that was told", []comm.Event{whole(7, "It is"), chunk(7, 3, "is"), chunk(7, 5, ".")}, []stream.Piece{
			{Call: 7, Text: "It is", Begins: true}, {Call: 7, From: 5, Text: "."},
		}},
		{"a reply without the line's end", []comm.Event{chunk(7, 0, "It is.\n"), reply("It is.")}, []stream.Piece{
			{Call: 7, Text: "It is.\n", Begins: true}, {Call: 7, From: 7, Ends: true, Said: "It is.\n"},
		}},
		{"another reply", []comm.Event{chunk(7, 0, "It w"), reply("No.")}, []stream.Piece{
			{Call: 7, Text: "It w", Begins: true}, {Call: 7, From: 4, Ends: true, Lost: true, Said: "It w"},
			{Call: stream.ReplyCall, Text: "No.", Begins: true, Ends: true, Said: "No."},
		}},
		{"a cut answer after a text beside calls", []comm.Event{chunk(7, 0, "Wait."), tool, chunk(9, 0, "It is"), ended(fsm.OutcomeCut, "Wait.\nIt is\n\n[cut]")}, []stream.Piece{
			{Call: 7, Text: "Wait.", Begins: true}, {Call: 7, From: 5, Ends: true, Said: "Wait."},
			{Call: 9, Text: "It is", Begins: true}, {Call: 9, From: 5, Text: "\n\n[cut]", Ends: true, Said: "It is\n\n[cut]"},
		}},
		{"a limit after texts beside calls", []comm.Event{chunk(7, 0, "Wait. "), tool, chunk(9, 0, "Now."), tool, ended(fsm.OutcomeExhausted, "Wait.\nNow.\n\n[stopped]")}, []stream.Piece{
			{Call: 7, Text: "Wait. ", Begins: true}, {Call: 7, From: 6, Ends: true, Said: "Wait. "},
			{Call: 9, Text: "Now.", Begins: true}, {Call: 9, From: 4, Ends: true, Said: "Now."},
			{Call: stream.ReplyCall, Text: "[stopped]", Begins: true, Ends: true, Said: "[stopped]"},
		}},
		{"a limit, but a text was missed", []comm.Event{chunk(9, 0, "Now."), tool, ended(fsm.OutcomeExhausted, "Wait.\nNow.\n\n[stopped]")}, []stream.Piece{
			{Call: 9, Text: "Now.", Begins: true}, {Call: 9, From: 4, Ends: true, Said: "Now."},
			{Call: stream.ReplyCall, Text: "Wait.\nNow.\n\n[stopped]", Begins: true, Ends: true, Said: "Wait.\nNow.\n\n[stopped]"},
		}},
		{"an answer that begins like the text beside calls", []comm.Event{chunk(7, 0, "Wait."), tool, ended(fsm.OutcomeAnswered, "Wait. It is.")}, []stream.Piece{
			{Call: 7, Text: "Wait.", Begins: true}, {Call: 7, From: 5, Ends: true, Said: "Wait."},
			{Call: stream.ReplyCall, Text: "Wait. It is.", Begins: true, Ends: true, Said: "Wait. It is."},
		}},
		{"nothing but calls", []comm.Event{chunk(7, 0, ""), tool, reply("Yes.")}, []stream.Piece{
			{Call: stream.ReplyCall, Text: "Yes.", Begins: true, Ends: true, Said: "Yes."},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var text stream.Text
			var got []stream.Piece
			for _, e := range tt.events {
				got = append(got, text.Heard(e)...)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}
