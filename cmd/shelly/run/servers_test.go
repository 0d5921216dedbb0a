package run

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/mcp"
	"shelly/runtime/tool"
	"shelly/sim/strict"
)

// A running program keeps the sandbox in which it was started, so a reload that changes that must restart it.
func TestTOL90AProgramIsAnotherInAnotherSandbox(t *testing.T) {
	cfg := config.Config{Workspace: t.TempDir(), Data: t.TempDir()}
	cfg.Tools.MCP = []strict.Named[config.Server]{
		{Name: "program", Value: config.Server{Command: []string{"sh"}}}, {Name: "address", Value: config.Server{URL: "http://127.0.0.1:1"}},
	}
	before, err := serversOf(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*config.Config)
		other  bool
	}{
		{"a folder to read", func(c *config.Config) { c.Tools.Exec.Reads = []string{"/opt"} }, true},
		{"a folder with programs", func(c *config.Config) { c.Tools.Exec.Path = []string{"/opt/bin"} }, true},
		{"a limit", func(c *config.Config) { c.Tools.Exec.Memory = 1 << 20 }, true},
		{"no sandbox", func(c *config.Config) { c.Tools.Exec.Allow = config.Unsandboxed }, true},
		{"exec offered to the model", func(c *config.Config) { c.Tools.Exec.Allow = "true" }, false},
		{"the time of a command", func(c *config.Config) { c.Tools.Exec.Timeout = 1 }, false},
	} {
		next := cfg
		c.change(&next)
		after, err := serversOf(next)
		if err != nil {
			t.Fatal(err)
		}
		if other := !reflect.DeepEqual(before[0], after[0]); other != c.other {
			t.Errorf("%s: the program is another: %v", c.name, other)
		}
		if !reflect.DeepEqual(before[1], after[1]) {
			t.Errorf("%s: the server at an address is another", c.name)
		}
	}
}

// A secret of a file often ends in a line end.
func TestTOL90AHeaderThatCannotBeSentIsNamed(t *testing.T) {
	for value, want := range map[string]string{"Bearer a\tb é": "", "Bearer a\n": "tools.mcp.far.headers: the value of Authorization has a line end", "a\x00b": "tools.mcp.far.headers: the value of Authorization "} { // order-free: each is alone
		_, err := serverOf(strict.Named[config.Server]{Name: "far", Value: config.Server{URL: "http://127.0.0.1:1", Headers: []strict.Named[string]{{Name: "Authorization", Value: value}}}})
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v; want %q", value, err, want)
		}
	}
}

// A typing error must not mean that nobody is asked, also about the tools of a server.
func TestCFG13AnApprovalThatFitsNoToolOfAServerIsNamed(t *testing.T) {
	cfg := config.Config{}
	cfg.Tools.MCP = []strict.Named[config.Server]{{Name: "home"}, {Name: "home_two"}, {Name: "far"}}
	for _, name := range []string{"home_heat", "home_heet", "home_two_heat", "far_x", "home_*", "exec"} {
		cfg.Tools.Approve = append(cfg.Tools.Approve, config.Approval{Tool: name})
	}
	cfg.Tools.Approve = append(cfg.Tools.Approve, config.Approval{Tool: "home_heat", Match: []strict.Named[string]{{Name: "roomm", Value: "*"}}})
	tools, err := tool.New(tool.Options{Workspace: t.TempDir(), ResultBytesMax: 1 << 10, Added: []tool.Added{
		{Decl: fsm.ToolDecl{Name: "home_heat", Parameters: `{"type":"object","properties":{"room":{"type":"string"}}}`}, Run: func(context.Context, fsm.RunTool) tool.Result { return tool.Result{} }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := offered(cfg, tools); err != nil {
		t.Errorf("got %v; want no error: the tools may come later", err)
	}
	const heet = `tools.approve: its MCP server has no tool "home_heet", so nobody is asked; shelly tool list --servers shows which it has`
	const room = `tools.approve: home_heat has no argument "roomm"; it has: room`
	two := strings.Replace(heet, "home_heet", "home_two_heat", 1)
	var log bytes.Buffer
	s := &starting{log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, c := range []struct {
		up   []mcp.State
		want []string
		said int // lines of the log
	}{
		{[]mcp.State{{Name: "home"}, {Name: "home_two"}, {Name: "far"}}, nil, 0},
		{[]mcp.State{{Name: "home", Up: true}, {Name: "home_two"}, {Name: "far"}}, []string{heet, room}, 2},
		{[]mcp.State{{Name: "home", Up: true}, {Name: "home_two", Up: true}, {Name: "far"}}, []string{heet, two, room}, 3},
	} {
		if got := unasked(cfg, tools, c.up); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %q; want %q", c.up, got, c.want)
		}
		s.tellUnasked(cfg, &bench{tools: tools}, c.up)
		if n := strings.Count(log.String(), "\n"); n != c.said {
			t.Errorf("%+v: the log has %d lines; want %d: %s", c.up, n, c.said, log.String())
		}
	}
}

func TestTOL95TheStatusSaysWhichServersAreNotUp(t *testing.T) {
	long := strings.Repeat("x", 300)
	got := borrowed([]mcp.State{
		{Name: "files", Up: true, Tools: 4}, {Name: "notes", Tools: 2, Err: errors.New("it has ended")}, {Name: "slow"}, {Name: "long", Err: errors.New(long)},
	})
	want := &comm.Borrowed{Servers: 4, Up: 1, Tools: 6, Trouble: []string{"notes: it has ended", "long: " + wording.Clip(long, 200)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v; want %+v", got, want)
	}
	if got.Words() != "4 servers, 1 up, 6 tools" {
		t.Errorf("got %q", got.Words())
	}
	if none := borrowed(nil); none != nil {
		t.Errorf("without servers it is %+v", none)
	}
}

// CFG-10: a question that a server asks is to be open for as long as the machine waits for a person.
func TestCFG10AReloadChangesHowLongACallOfAServerWaitsForAPerson(t *testing.T) {
	s := &starting{log: slog.New(slog.DiscardHandler), cfg: config.Config{Workspace: t.TempDir(), Data: t.TempDir()}}
	s.cfg.Limits.ApprovalTimeout = fsm.Millis(time.Hour.Milliseconds())
	if err := s.openServers(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.servers.Close()
	next := s.cfg
	next.Limits.ApprovalTimeout = fsm.Millis((8 * time.Hour).Milliseconds())
	if err := s.useServers(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if got, want := time.Duration(s.patience.Load()), 8*time.Hour+time.Minute; got != want {
		t.Errorf("a call waits for %s; want %s", got, want)
	}
}

// Tools that come while the disk is too full for a record are offered once it is not.
func TestTOL95ToolsThatCannotBeOfferedAreOfferedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		s := &starting{log: slog.New(slog.NewTextHandler(&said, nil)), changed: make(chan struct{}, 1)}
		ctx, stop := context.WithCancel(t.Context())
		ended, refreshed := make(chan error, 1), 0
		go func() {
			ended <- s.heed(ctx, nil, nil, func(context.Context) error {
				if refreshed++; refreshed%3 != 0 {
					return engine.ErrNoSpace
				}
				return nil
			})
		}()
		for range 2 {
			s.changed <- struct{}{}
			time.Sleep(time.Hour) // virtual time
		}
		stop()
		if err := <-ended; err != nil || refreshed != 6 || strings.Count(said.String(), "cannot be offered") != 2 {
			t.Errorf("%v: refreshed %d times, and said:\n%s", err, refreshed, said.String())
		}
	})
}
