package acp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/acp"
	"shelly/runtime/front/rpc"
	"shelly/runtime/front/wire"
	"shelly/runtime/session"
	"shelly/runtime/tool/file/change"
)

// sessionsMax is how many sessions an editor may have open over one connection.
const sessionsMax = 1000

// daemon is the part of the client of the running shelly that is used here.
type daemon interface {
	Status(ctx context.Context) (comm.Status, error)
	Ask(ctx context.Context, r client.AskRequest, each func(comm.Event)) (client.Reply, error)
	Typing(ctx context.Context, r client.AskRequest) (reads bool, err error)
	Attach(ctx context.Context, id, channel string, each func(comm.Event)) (client.Reply, error)
	Cancel(ctx context.Context, id, channel string) (taken bool, err error)
	Decide(ctx context.Context, about client.About, d client.Decision) (taken bool, err error)
	Requests(ctx context.Context, w comm.Wanted) (comm.RequestsBody, error)
	Sessions(ctx context.Context) ([]session.Listed, error)
	ForgetSession(ctx context.Context, id string) (int, error)
	Archive(ctx context.Context, id string, after uint64, limit int) ([]session.Archived, error)
	Images(ctx context.Context, r comm.Record) ([][]byte, error)
}

// agent is the agent's end of a connection with an editor. All that it knows comes from the
// editor or the daemon, so nothing is lost when it ends.
type agent struct {
	daemon  daemon
	conn    *rpc.Conn
	log     *slog.Logger
	version string
	changes *change.Log // what files held before; nil: unknown
	pause   func(ctx context.Context) error
	newID   func() string

	mu       sync.Mutex
	greeted  bool
	sessions map[string]*talk
}

// talk is a session that is open in the editor.
type talk struct {
	id    string
	place acp.Place
	turns map[string]*turn // the unfinished ones, by request
	last  <-chan struct{}  // closed once the daemon has the latest of them; nil: there was none
}

func newAgent(d daemon, log *slog.Logger) *agent {
	return &agent{daemon: d, log: log, pause: pause, newID: client.NewID, sessions: map[string]*talk{}}
}

// Request implements [rpc.Handler].
func (a *agent) Request(id, method string, params wire.Value) (rpc.Work, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if method == "initialize" {
		return a.initialize(params)
	}
	if !a.greeted {
		return nil, rpc.Errorf(rpc.CodeInvalid, "send initialize first")
	}
	switch method {
	case "session/new":
		return a.create(params), nil
	case "session/load":
		return a.load(params, true)
	case "session/resume":
		return a.load(params, false)
	case "session/list":
		return a.list(params), nil
	case "session/close":
		return a.close(params)
	case "session/delete":
		return a.remove(params)
	case "session/prompt":
		return a.prompt(id, params)
	}
	return nil, rpc.Errorf(rpc.CodeMethod, "there is no method %q", method)
}

// Notified implements [rpc.Handler]. Unknown notifications are ignored, as the protocol
// requires.
func (a *agent) Notified(method string, params wire.Value) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch method {
	case "session/cancel":
		if s := a.sessions[params.Member("sessionId").Text]; s != nil {
			s.cancel()
		}
	case "$/cancel_request":
		a.withdraw(string(rpc.ID(params.Member("requestId"))))
	}
}

// withdraw cancels the prompt that a message with an id has sent (FRT-55). All other messages are
// answered soon. The caller holds the lock.
func (a *agent) withdraw(id string) {
	for _, s := range a.sessions { // order-free: at most one has it
		for _, t := range s.turns {
			if id != "" && t.message == id {
				t.cancel()
			}
		}
	}
}

// initialize agrees on the protocol (FRT-46).
func (a *agent) initialize(params wire.Value) (rpc.Work, error) {
	if v := params.Member("protocolVersion"); v.Kind != wire.Number {
		return nil, rpc.Errorf(rpc.CodeParams, "protocolVersion is %s; send a number", v.Kind)
	}
	a.greeted = true
	info := params.Member("clientInfo")
	a.log.Info("an editor has begun", "name", info.Member("name").Text, "version", info.Member("version").Text)
	return done(greeting{
		Version: acp.Version,
		Capabilities: capabilities{
			Load: true, Prompt: promptCapabilities{Image: true, Embedded: true},
			Session: map[string]struct{}{"list": {}, "resume": {}, "close": {}, "delete": {}},
		},
		Info: implementation{"shelly", "shelly", a.version}, Auth: []struct{}{},
	}), nil
}

// done returns the work of a request that can be answered at once.
func done(result any) rpc.Work {
	return func(context.Context) (rpc.Answer, error) { return rpc.Answer{Result: result}, nil }
}

// update tells the editor something about a session.
func (a *agent) update(session string, updates ...acp.Update) {
	for _, u := range updates {
		a.conn.Notify("session/update", notice{session, u})
	}
}

// open returns the session with an id, and makes it known if it is new. The caller holds the
// lock.
func (a *agent) open(id string, place acp.Place) (*talk, error) {
	s := a.sessions[id]
	if s == nil && len(a.sessions) >= sessionsMax {
		return nil, rpc.Errorf(rpc.CodeInternal, "%d sessions are open; close one", sessionsMax)
	}
	if s == nil {
		s = &talk{id: id, turns: map[string]*turn{}}
		a.sessions[id] = s
	}
	place.Held, place.Before = held, a.changed(id).before
	s.place = place
	return s, nil
}

// place finds the editor's folder within the workspace (FRT-47).
func (a *agent) place(ctx context.Context, params wire.Value) (acp.Place, error) {
	cwd := params.Member("cwd")
	if cwd.Kind != wire.String || !filepath.IsAbs(cwd.Text) {
		return acp.Place{}, rpc.Errorf(rpc.CodeParams, "cwd is missing, or is not an absolute path")
	}
	status, err := a.daemon.Status(ctx)
	if err != nil {
		return acp.Place{}, worded(err)
	}
	if n := len(params.Member("mcpServers").Items); n > 0 {
		a.log.Info("the editor's MCP servers are not used; name them in tools.mcp of shelly's configuration", "servers", n)
	}
	p := acp.Place{Workspace: cmp.Or(status.Workspace, cwd.Text)} // which a daemon may not report
	var inside bool
	if p.Folder, inside = within(p.Workspace, cwd.Text); !inside {
		return acp.Place{}, rpc.Errorf(rpc.CodeParams, "shelly works in %s, and %s is not in it; start shelly with --workspace %s, or open a folder in that workspace",
			p.Workspace, cwd.Text, wording.ShellWord(cwd.Text))
	}
	return p, nil
}

// within returns a folder's path in the workspace, if it is that or inside it.
func within(workspace, folder string) (path string, inside bool) {
	path, err := filepath.Rel(real(workspace), real(folder))
	return path, err == nil && filepath.IsLocal(path)
}

// real returns a path without symbolic links, as far as it exists.
func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return filepath.Clean(path)
}

// worded returns an error of the daemon in words for an editor.
func worded(err error) error {
	own := (*rpc.Error)(nil)
	if errors.As(err, &own) {
		return err
	}
	text := err.Error()
	if errors.Is(err, client.ErrTooLarge) {
		text += "; the limit is request_bytes_max"
	}
	return rpc.Errorf(rpc.CodeInternal, "%s", strings.TrimSpace(text))
}
