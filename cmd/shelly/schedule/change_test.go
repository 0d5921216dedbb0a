package schedule

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
)

// leaving is a daemon that takes a schedule and stops before it lists any.
type leaving struct{ *fronttest.Front }

func (leaving) Schedules(context.Context) ([]comm.Schedule, error) { return nil, engine.ErrStopping }

func TestCLI142AScheduleThatIsAddedIsNoFailure(t *testing.T) {
	data := t.TempDir()
	token, err := client.EnsureToken(data)
	if err != nil {
		t.Fatal(err)
	}
	l, err := listener.TCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h, err := comm.NewHTTP(leaving{fronttest.New()}, comm.HTTPOptions{Token: token, RequestBytesMax: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, l) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	if err := client.WriteEndpoint(data, client.Endpoint{HTTP: l.Addr().String()}); err != nil {
		t.Fatal(err)
	}
	every := time.Hour
	add := &addCmd{Text: []string{"water the plants"}, Every: &every}
	add.Data = data
	var out, said bytes.Buffer
	if err := add.Run(&terminal.Terminal{Out: &out, Err: &said}); err != nil {
		t.Errorf("it fails: %v", err)
	}
	if got, want := out.String(), "schedule s2 is added\n"; got != want || said.Len() == 0 {
		t.Errorf("got %q and %q, want %q and why no time is said", got, said.String(), want)
	}
}

// A refusal names the flags, and leaves what the person has written as it is.
func TestCLI142ARefusalQuotesWhatWasWritten(t *testing.T) {
	for said, want := range map[string]string{
		`the minute of cron_expr takes numbers, but not "message"`: `the minute of --cron takes numbers, but not "message"`,
		"every_seconds wants more":                                 "--every wants more",
		`at is not a time: "at is"`:                                `--at is not a time: "at is"`,
	} {
		refused := &client.Error{Problem: comm.Problem{Code: comm.CodeBadRequest, Message: said}}
		if got := worded(fsm.ScheduleChanged{Change: fsm.ScheduleAdd}, refused); got.Error() != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	every := time.Hour
	if err := (&addCmd{Text: []string{" ", ""}, Every: &every}).Run(&terminal.Terminal{}); err == nil || !strings.Contains(err.Error(), "the text is empty") {
		t.Errorf("without a text: %v", err)
	}
}
