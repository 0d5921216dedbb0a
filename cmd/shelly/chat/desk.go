package chat

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"shelly/cmd/shelly/chat/talk"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/mail"
	"shelly/cmd/shelly/internal/picture"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/session"
)

const (
	pastShown   = 20 // messages of the session shown at the start
	unreadShown = 20 // unread messages shown at the start
	goingShown  = 20 // requests of the session among which the unfinished ones are looked for
	namesShown  = 100
	answerWait  = 30 * time.Second
	lookEvery   = 3 * time.Second // for what is asked elsewhere; the daemon has no stream of a session's requests
)

// desk performs the effects of the conversation and reports to it what happens. Effects run
// concurrently; their results are sent to msgs.
type desk struct {
	cfg    config.Config
	c      *Command
	chat   fsm.Origin
	shell  terminal.Shell
	daemon *client.Client

	ctx   context.Context
	end   context.CancelFunc
	msgs  chan talk.Msg
	fatal chan error
	file  sync.Mutex // of what was asked before

	news     news
	looking  sync.Mutex
	lookedAt context.CancelFunc // ends the look at the session that was shown before; nil: there was none

	cancels sync.WaitGroup // those that the daemon does not have yet
}

func newDesk(cfg config.Config, c *Command, chat fsm.Origin, shell terminal.Shell) *desk {
	d := &desk{cfg: cfg, c: c, chat: chat, shell: shell, daemon: client.New(cfg.Data, client.Options{}), msgs: make(chan talk.Msg), fatal: make(chan error, 1)}
	d.ctx, d.end = context.WithCancel(context.Background())
	return d
}

// tell reports to the conversation what has happened.
func (d *desk) tell(msg talk.Msg) {
	select {
	case d.msgs <- msg:
	case <-d.ctx.Done():
	}
}

// greet finds the daemon, shows what was said before, and then the messages as they come.
// Without a daemon the chat ends.
func (d *desk) greet(session string) {
	status, err := d.daemon.Status(d.ctx)
	if err != nil {
		d.fatal <- exit.Daemon(err)
		return
	}
	d.tell(talk.Greeted{Brain: status.Brain})
	d.load(session)
	d.hear()
}

// start performs an effect beside the conversation.
func (d *desk) start(e talk.Effect) {
	if _, cancels := e.(talk.Cancel); cancels {
		d.cancels.Add(1)
	}
	go d.perform(e)
}

// leave ends what the desk does, but not before the daemon has the cancels (CLI-212).
func (d *desk) leave() {
	delivered := make(chan struct{})
	go func() {
		d.cancels.Wait()
		close(delivered)
	}()
	exit.Delivered(delivered)
	d.end()
}

func (d *desk) perform(e talk.Effect) {
	switch e := e.(type) {
	case talk.Ask:
		d.ask(e)
	case talk.Typing:
		_, _ = d.daemon.Typing(d.ctx, client.AskRequest{Session: e.Session, Channel: d.c.Channel, Chat: d.c.Chat}) // the question comes anyway
	case talk.Cancel:
		taken, err := d.daemon.CancelOf(d.ctx, d.news.about(e.ID, d.c.Channel))
		d.cancels.Done()
		d.tell(talk.Cancelled{ID: e.ID, Taken: taken, Err: err})
	case talk.Decide:
		taken, err := d.daemon.Decide(d.ctx, client.About{Handle: e.Handle}, e.Decision)
		d.tell(talk.Decided{ID: e.ID, Key: e.Decision.Key, Reason: e.Decision.Reason, Taken: taken, Err: err})
	case talk.Read:
		_, _ = d.daemon.Read(d.ctx, mail.Marks(e.Messages)...) // if this fails, they are shown again
	case talk.Run:
		d.run(e.Args, e.Columns)
	case talk.Load:
		d.load(e.Session)
	case talk.Elsewhere:
		d.elsewhere(e.Session)
	case talk.ReadImage:
		data, err := picture.Read(d.path(e.Path), int64(d.cfg.RequestBytesMax))
		d.tell(talk.Image{Path: filepath.Base(e.Path), Typed: e.Typed, Data: data, Err: err})
	case talk.Name:
		d.tell(talk.Named{For: e.Prefix, Files: d.names(e.Prefix)})
	case talk.Remember:
		d.file.Lock()
		defer d.file.Unlock()
		_ = keepPast(d.cfg.Data, e.Line)
	}
}

// ask sends a request and follows it to its reply.
func (d *desk) ask(e talk.Ask) {
	d.follow(e.ID, func(daemon *client.Client, show func(comm.Event)) (client.Reply, error) {
		return daemon.Ask(d.ctx, client.AskRequest{
			ID: e.ID, Session: e.Session, Text: e.Text, Channel: d.c.Channel, Chat: d.c.Chat, Images: e.Images,
		}, show)
	})
}

// follow follows a request to its reply, over restarts of the daemon too, however long a
// restart takes (CLI-154): the same id is never executed twice.
func (d *desk) follow(id string, ask func(*client.Client, func(comm.Event)) (client.Reply, error)) {
	d.news.follows(id)
	at, broken := d.process(), false
	daemon := client.New(d.cfg.Data, client.Options{Beginning: true, Tries: math.MaxInt, Again: func() {
		broken = true
		d.tell(talk.Broke{ID: id})
	}})
	reply, err := ask(daemon, func(event comm.Event) {
		if broken {
			now := d.process()
			d.tell(talk.Attached{ID: id, Restarted: now != at})
			at, broken = now, false
		}
		d.tell(talk.Happened{ID: id, Event: event})
	})
	d.news.ended(id)
	d.tell(talk.Ended{ID: id, Reply: reply, Err: err})
}

// resume follows the unanswered requests of a session that came over the chat's channel, so
// that a chat that was left shows them when it is opened again, and then what is asked there
// elsewhere (CLI-216), until another session is shown.
func (d *desk) resume(in string) {
	ctx, cancel := context.WithCancel(d.ctx)
	d.looking.Lock()
	if d.lookedAt != nil {
		d.lookedAt()
	}
	d.lookedAt = cancel
	d.looking.Unlock()
	go d.look(ctx, in)
}

// look follows the requests of a session that the chat has not asked.
func (d *desk) look(ctx context.Context, in string) {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for before := (seen{}); ; {
		d.meet(ctx, in, &before)
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// meet looks once. If the daemon does not answer there is nothing to show: the next request reports
// the error. What the last look has seen is not asked for again, because the daemon reads the list from
// the disk; without a new record there is no new request.
func (d *desk) meet(ctx context.Context, in string, before *seen) {
	status, err := d.daemon.Status(ctx)
	if err != nil || before.looked && status.Journal.Last == before.record {
		return
	}
	after := before.upTo(status.Journal.Last)
	list, err := d.daemon.Requests(ctx, comm.Wanted{Session: in, Before: math.MaxUint64, After: after, Limit: goingShown})
	if err != nil || ctx.Err() != nil {
		return
	}
	before.record = status.Journal.Last
	channel := cmp.Or(d.c.Channel, comm.ChannelHTTP)
	for _, r := range d.news.fresh(before, list.Requests, channel) {
		d.tell(talk.Going{ID: r.ID, Text: r.Text, Since: time.UnixMilli(int64(since(r, list.Requests)))})
		go d.follow(r.ID, func(daemon *client.Client, show func(comm.Event)) (client.Reply, error) {
			return daemon.AttachTo(d.ctx, d.news.about(r.ID, channel), show)
		})
	}
}

// process identifies the process of the daemon.
func (d *desk) process() string {
	at, err := client.ReadEndpoint(d.cfg.Data)
	if err != nil {
		return ""
	}
	return fmt.Sprint(at.PID, " ", at.Start)
}

// load shows what was said in a session.
func (d *desk) load(id string) {
	ctx, cancel := context.WithTimeout(d.ctx, answerWait)
	defer cancel()
	past, history := talk.Past{Session: id, New: true}, 0
	all, err := d.daemon.Sessions(ctx)
	for _, s := range all {
		if s.ID != id {
			continue
		}
		if past.New, history = false, s.Messages; s.Last == 0 {
			continue
		}
		if s.Last > pastShown {
			past.Earlier = s.Last - pastShown
		}
		past.Messages, err = archived(past.Earlier, s.Last, func(after uint64, most int) ([]session.Archived, error) {
			return d.daemon.Archive(ctx, id, after, most)
		})
		first := slices.IndexFunc(past.Messages, func(m session.Archived) bool { return m.Message.Role == fsm.RoleUser })
		if past.Earlier > 0 && first > 0 { // begin with a whole turn
			past.Earlier, past.Messages = past.Earlier+uint64(first), past.Messages[first:]
		}
	}
	if len(past.Messages) > history { // else the conversation has all of them
		body, _ := d.daemon.Requests(ctx, comm.Wanted{Session: id, Before: math.MaxUint64, Limit: newRequests}) // without it nothing is marked
		past.Anew = anew(body.Requests, past.Messages)
	}
	if err != nil {
		past.New = false
	}
	if err != nil && d.ctx.Err() == nil {
		d.tell(talk.Said{Text: "what was said before cannot be read: " + err.Error(), Failed: true})
	}
	d.tell(past)
	d.resume(id)
}

// archived reads the messages after one number and up to another, of which a page may hold fewer than
// asked for: long ones must not hide those that were said after them (COM-54).
func archived(after, last uint64, page func(after uint64, most int) ([]session.Archived, error)) (all []session.Archived, err error) {
	for after < last {
		list, err := page(after, int(last-after))
		if err != nil || len(list) == 0 { // none: these were dropped meanwhile
			return all, err
		}
		all, after = append(all, list...), list[len(list)-1].Number
	}
	return all, nil
}

// hear shows the unread messages to the chat, and then each new one as it comes.
func (d *desk) hear() {
	after, err := d.daemon.LastPosition(d.ctx)
	if err != nil {
		return // the next request reports the error
	}
	waiting, err := d.daemon.Messages(d.ctx, d.chat, 0, unreadShown+1, true)
	if err == nil && len(waiting) > 0 {
		m := talk.Mail{Messages: waiting}
		if len(waiting) > unreadShown {
			unread, _ := d.daemon.Status(d.ctx)
			m.Messages, m.More = waiting[:unreadShown], 1
			if unread.Unread != nil {
				m.More = max(unread.Unread.Messages-unreadShown, 1)
			}
		}
		d.tell(m)
	}
	_ = d.daemon.Follow(d.ctx, d.chat, after, func(m comm.Message) error {
		if !slices.ContainsFunc(waiting, func(w comm.Message) bool { return w.Position == m.Position }) {
			d.tell(talk.Mail{Messages: []comm.Message{m}})
		}
		return nil
	})
}

// run runs a command line of shelly against this daemon.
func (d *desk) run(args []string, columns int) {
	if d.c.ConfigFile != "" {
		args = append(args, "--config", d.c.ConfigFile)
	}
	if d.c.Data != "" {
		args = append(args, "--data", d.c.Data)
	}
	for _, set := range d.c.Set {
		args = append(args, "--set", set)
	}
	out := terminal.Sheet{Columns: columns}
	code := d.shell(args, &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: &out})
	d.tell(talk.Said{Text: out.String(), Failed: code != exit.OK})
}

// elsewhere lists what runs or waits outside a session, which /stop leaves alone.
func (d *desk) elsewhere(session string) {
	status, err := d.daemon.Status(d.ctx)
	if err != nil {
		return
	}
	if lines := elsewhere(&status, session); len(lines) > 0 {
		d.tell(talk.Said{Text: "not stopped, in other sessions:\n" + strings.Join(lines, "\n")})
	}
}

// elsewhere lists what a status says runs or waits outside a session.
func elsewhere(status *comm.Status, session string) (lines []string) {
	add := func(id fsm.HandleID, request string, kind fsm.Kind, in, what string) {
		if in != session && kind != fsm.KindMemory {
			name := cmp.Or(request, id.Entry())
			lines = append(lines, fmt.Sprintf("  %s in %s, %s: /request cancel %s", kind, wording.Word(in), what, name))
		}
	}
	for _, a := range status.Active {
		what := "runs"
		if a.Asks != nil {
			what = "asks a person"
		}
		add(a.Handle, a.Request, a.Kind, a.Session, what)
	}
	for _, q := range status.Queue {
		add(q.Handle, q.Request, q.Kind, q.Session, "waits")
	}
	return lines
}

// path returns a path that a person has typed, with ~ replaced by the home folder.
func (d *desk) path(text string) string {
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return text
}

// names returns the folders and pictures whose paths begin with prefix, folders with a slash.
func (d *desk) names(prefix string) []string {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(d.path(cmp.Or(dir, ".")))
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		switch {
		case !strings.HasPrefix(e.Name(), base) || strings.HasPrefix(e.Name(), ".") && base == "":
		case e.IsDir():
			list = append(list, dir+e.Name()+"/")
		case ext == ".png" || ext == ".jpg" || ext == ".jpeg" || ext == ".webp":
			list = append(list, dir+e.Name())
		}
		if len(list) == namesShown {
			break
		}
	}
	return list
}
