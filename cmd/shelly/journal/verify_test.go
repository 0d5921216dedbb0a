package journal

import (
	"bytes"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/backup"
)

// idleWorld performs nothing.
type idleWorld struct{}

func (idleWorld) Perform(fsm.Effect) error { return nil }

// What a start would hold for a person is listed with the record that it began with.
func TestJRN26WhatAStartWouldHoldIsReported(t *testing.T) {
	j := engine.NewMemoryJournal()
	e, err := engine.Open(j, idleWorld{})
	if err != nil {
		t.Fatal(err)
	}
	config := profile.Shelly()
	config.Init = fsm.InitOff
	if err := e.Turn(fsm.Input{At: 1, Fact: fsm.Boot{Config: config}}); err != nil {
		t.Fatal(err)
	}
	key := fsm.RequestKey{Principal: "local", Channel: "http", ID: "m1"}
	if _, err := e.Accept(2, fsm.Requested{Request: key, Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	j.Records()[1].Effects++
	v, err := verify(j, &progress{})
	if err != nil || v.Wrong == nil || v.Unfinished != 1 || len(v.Held) != 1 || v.Held[0].Record != 2 {
		t.Fatalf("got %+v, %v; want some Wrong, Unfinished 1, 1 Held, Held[0].Record 2", v, err)
	}
	var out bytes.Buffer
	v.Journal = "J"
	v.print(&out)
	for _, want := range []string{
		"J: record 2 (requested), handle 1, request \"m1\" of channel http\n",
		"\n  it told   ",
		"\n  and today asks the model",
		"\nas the tables say before it: 1 record; different effects with the current code: 1 of 2 records\n",
		"\na start would hold for a person: handle 1 (record 2)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, &out)
		}
	}
}

func TestCLI14ABackupWithoutRecordsIsSaidToHaveNone(t *testing.T) {
	for want, m := range map[string]backup.Manifest{ // order-free: each is alone
		"no records, 0 requests (0 unfinished), 2 files, 7 bytes":     {First: 1, Bytes: 7, Files: make([]backup.File, 2)},
		"records 1 to 1, 0 requests (0 unfinished), 0 files, 0 bytes": {First: 1, Last: 1},
	} {
		if got := contents(m); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}
