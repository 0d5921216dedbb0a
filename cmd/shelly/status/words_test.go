package status

import (
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/moment"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/memory"
	"shelly/runtime/ollama"
)

func TestCLI144AStatusSaysWhatIsGoingOnAndWhy(t *testing.T) {
	const now = 1_000_000
	st := comm.Status{
		Version: "v1", Lifecycle: state.Serving, Epoch: 2, Brain: "ollama op at http://there", Model: "op", Server: "http://there", UptimeMS: 7_260_000, Waiting: 2,
		Active: []comm.Active{
			{Handle: 3, Kind: fsm.KindUser, Request: "ABCDEFGHIJKLMNOP", Session: "cli:direct", State: state.Cognition, Inference: state.Thinking,
				Waits: "reading 792 tokens, about 31 s", Since: now - 12_000, Text: "how is\nthe house?"},
			{Handle: 4, Kind: fsm.KindSchedule, Session: "schedule:s1", State: state.Approving,
				Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: 4, Key: "k", Tool: "exec", Args: `{"command":"make"}`}},
		},
		Queue:     []comm.Queued{{Handle: 5, Kind: fsm.KindSubagent, Session: "subagent:h5", Why: "1 other before it", Text: "search"}},
		Schedules: []comm.Schedule{{ID: "s1", EverySeconds: 1800, Next: now + 60_000, Text: "water"}, {ID: "s2", Cron: "@daily", Paused: true}},
		Clients:   []comm.Connected{{Front: "http", Client: "local", Open: 2}, {Front: "websocket", Client: "ci", Open: 1}},
		Unread:    &comm.Unread{Messages: 3, Since: now}, Pace: &fsm.Pace{Reads: 25}, Spent: &fsm.Spent{Calls: 2, Tokens: fsm.Tokens{Prompt: 300, Answer: 20}}, Memory: &memory.Counts{Entries: 2, Pending: 1},
		Disk: &comm.Disk{Store: 5_200_000, Free: new(uint64(7_000_000_000)), Reserve: 64 << 20}, Texts: &comm.Texts{Count: 1, Bytes: 40_000},
		Process: &comm.Process{PID: 7, Resident: 34_000_000}, Errors: []comm.Logged{{At: now, Level: "WARN", Text: "the model is asked again", Times: 3}},
		NoSpace:   "too little free disk space",
		Heartbeat: &comm.Heartbeat{EveryMS: 1_800_000, Next: now, Quiet: "22:00-08:00", Zone: "Europe/Berlin", Silent: true},
		MCP:       &comm.Borrowed{Servers: 3, Up: 1, Tools: 31, Trouble: []string{"dead: it has ended with exit code 3"}},
		Events:    &comm.Watching{Sources: 2, Raised: 5, Trouble: []string{"inbox: there is no folder /in"}},
	}
	zone := moment.Local(now).Format(" MST") // CLI-215
	got := Words(st, []ollama.Loaded{{Name: "op", Bytes: 2_500_000_000}}, now)
	for _, want := range []string{
		"events     2 sources, 5 raised since the start: see shelly event list\n           sees nothing: inbox: there is no folder /in\n",
		"mcp        3 servers, 1 up, 31 tools\n           is not up: dead: it has ended with exit code 3\n",
		"shelly     serving, up 2 h 1 min, v1 (2 starts)\n",
		"model      ollama op at http://there\n           reads about 25 tokens a second\n           since the start 2 model calls: 300 prompt and 20 answer tokens\n           op is loaded and takes 2.5 GB\n",
		"runs       ABCDEFGHIJK… in cli:direct  cognition, thinking: reading 792 tokens, about 31 s, for 12.0 s  \"how is the house?\"\n",
		"asks you   schedule h4 in schedule:s1  may exec {\"command\":\"make\"} run?\n               answer with: shelly request approve --handle 4\n",
		"waits      subagent h5 in subagent:h5  1 other before it  \"search\"\n", "held       too little free disk space\n",
		"schedules  s1  every 30m  next ", "           s2  @daily (UTC)  paused  \"\"\n", "messages   3 unread messages since ",
		"heartbeat  every 30 min  next ", zone + ", which does nothing in the quiet hours, 22:00-08:00 (Europe/Berlin)\n",
		"clients    2 http local, 1 websocket ci\n", "memory     2 entries, 1 to be embedded\n", "disk       the store takes 5.2 MB, 1 kept result in it 40 kB; 7.0 GB are free, 64MiB of them in reserve\n",
		"process    7, 34 MB of memory\n", " warn the model is asked again (3 times)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for free, want := range map[*uint64]string{ // order-free: each by itself
		new(uint64(52_000_000)): "disk       the store takes 12 kB; 52 MB are free, less than the reserve of 64MiB\n",
		new(uint64(0)):          "disk       the store takes 12 kB; 0 B are free, less than the reserve of 64MiB\n",
		nil:                     "disk       the store takes 12 kB\n", // the file system cannot tell
	} {
		if got := Words(comm.Status{Disk: &comm.Disk{Store: 12_000, Free: free, Reserve: 64 << 20}}, nil, now); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
	many := comm.Status{Lifecycle: state.Serving, Waiting: 6, Queue: []comm.Queued{{Handle: 9, Kind: fsm.KindMemory, Session: "s9"}, {Handle: 10, Kind: fsm.KindMemory, Session: "s10"},
		{Handle: 11, Kind: fsm.KindMemory, Session: "s11"}, {Handle: 12, Kind: fsm.KindMemory, Session: "s12"}, {Handle: 13, Kind: fsm.KindEvent, Session: "event:disk"}, {Handle: 14, Kind: fsm.KindMemory, Session: "s14"}}}
	if got := Words(many, nil, now); !strings.Contains(got, "memory h11") || strings.Contains(got, "h12") || strings.Contains(got, "h14") || !strings.Contains(got, "event h13") || !strings.Contains(got, "and 2 more for the memory\n") {
		t.Errorf("many summaries are listed as\n%s", got)
	}
	for model, want := range map[string]bool{"op": false, "other": true, "": false} { // order-free: each by itself
		const unnamed = "other is not loaded, or goes by the name of a model with the same weights\n"
		if got := Words(comm.Status{Model: model}, []ollama.Loaded{{Name: "op:latest"}}, now); strings.Contains(got, unnamed) != want || strings.Contains(got, "not loaded") != want {
			t.Errorf("%q: %s", model, got)
		}
	}
	if held := Words(comm.Status{Lifecycle: state.Down}, nil, now); !strings.HasPrefix(held, "shelly     not started yet, up ") {
		t.Errorf("before the boot: got %s; want %q", held, "not started yet")
	}
	if idle := Words(comm.Status{Lifecycle: state.Serving}, nil, now); !strings.Contains(idle, "work       none\n") {
		t.Errorf("got %s; want one with %q", idle, "work       none\n")
	}
}

// When drawn over an earlier screen, a shorter line leaves nothing of the longer one, and none
// is wrapped.
func TestCLI144AWatchedStatusIsWrittenOverTheOneBefore(t *testing.T) {
	var b strings.Builder
	text := "äbcdefgh\nshort\nrest"
	if n, err := (clearing{&b, 6}).Write([]byte(text)); n != len(text) || err != nil {
		t.Errorf("got %d, %v; want %d", n, err, len(text))
	}
	if want := "äbcde…" + right + "\nshort" + right + "\nrest"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestCLI144OneFailedAttemptIsNotCounted(t *testing.T) {
	for failed, want := range map[int]string{1: "the last attempt at ", 3: "the last 3 attempts at "} {
		if got := upkeep(failed); !strings.HasPrefix(got, want) {
			t.Errorf("after %d: %q", failed, got)
		}
	}
}
