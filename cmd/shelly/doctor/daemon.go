package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/descriptor"
	"shelly/runtime/store"
	"shelly/runtime/system"
)

// daemon returns the status of the daemon that serves from the data folder, or nil.
func (x *examination) daemon(ctx context.Context, cfg config.Config) *comm.Status {
	s, err := client.New(cfg.Data, client.Options{}).Status(ctx)
	if err != nil {
		x.warn("daemon", err.Error(), "")
		return nil
	}
	x.ok("daemon", fmt.Sprintf("%s, %d waiting, %s", s.Lifecycle, s.Waiting, s.Brain))
	if u := s.Upkeep; u != nil {
		x.warn("upkeep", fmt.Sprintf("%s about conversations failed in a row, the last one: %s", wording.Count(u.Failed, "call"), u.Last), mendUpkeep)
	}
	if s.Texts != nil {
		x.texts(*s.Texts)
	}
	x.connected(s)
	return &s
}

// connected reports who is connected, what the daemon's MCP servers offer, and over which channels people
// talk to the daemon (COM-99).
func (x *examination) connected(s comm.Status) {
	words := "nobody is connected"
	if len(s.Clients) > 0 {
		words = "connected: " + comm.ClientWords(s.Clients)
	}
	x.ok("clients", words)
	switch b := s.MCP; {
	case b == nil:
	case len(b.Trouble) > 0:
		x.warn("mcp", b.Words()+": "+strings.Join(b.Trouble, "; "), "each is started again, after at most 5 minutes; shelly tool list --servers starts those that are configured here and says what is wrong")
	default:
		x.ok("mcp", b.Words())
	}
	switch c := s.Channels; {
	case c == nil:
	case len(c.Trouble) > 0:
		x.warn("channels", fmt.Sprintf("%s, some of which do not work: %s", wording.Count(c.Channels, "channel"), strings.Join(c.Trouble, "; ")), "see shelly channel list")
	default:
		x.ok("channels", fmt.Sprintf("%s, %d in and %d out since the start, %s not delivered", wording.Count(c.Channels, "channel"), c.Received, c.Sent, wording.Count(c.Open, "answer")))
	}
}

// texts reports how much is kept of the long results of tools (TXT-2).
func (x *examination) texts(t comm.Texts) {
	x.ok("texts", fmt.Sprintf("%s kept for read_more, %s", wording.Count(t.Count, "result"), quantity.Bytes(t.Bytes)))
}

const mendUpkeep = "nothing is lost: see the log; if the server failed, the next turn tries again; if the model did, one that follows instructions better, or a larger window (brain.num_ctx), helps"

const mendSpace = "free some space, or lower reserve"

// examineTimeout bounds the reading of a store, so that time is left for the other checks.
const examineTimeout = 10 * time.Second

func (x *examination) data(ctx context.Context, cfg config.Config, running *comm.Status) {
	if err := datafolder.Own(cfg.Data); err != nil && running == nil { // a running daemon is of the right user
		x.fail("data folder", err.Error(), "")
		return
	}
	switch open, err := datafolder.Opened(cfg.Data); {
	case errors.Is(err, datafolder.ErrOpen):
		x.fail("data folder", err.Error(), "")
		return
	case open != "":
		mend := "the next start of shelly run fixes that"
		if _, err := os.Stat(filepath.Join(cfg.Data, client.TokenFile)); err == nil {
			mend += "; if they may have read the token, remove the file token first"
		}
		x.warn("data folder", "others may use "+open, mend)
	}
	x.files(cfg.Data)
	switch {
	case running == nil:
	case running.NoSpace != "":
		x.fail("data folder", running.NoSpace, mendSpace)
		return
	case len(running.Damage) > 0:
		x.fail("data folder", "damage was met since the start: "+strings.Join(running.Damage, "; "), "stop shelly, then "+store.Repair)
		return
	case x.closed(cfg.Data, "written"): // a daemon that has its files open goes on with them
		return
	default:
		x.ok("data folder", cfg.Data+" is the daemon's")
		return
	}
	x.unused(ctx, cfg)
}

// unused examines a data folder that no daemon is known to use.
func (x *examination) unused(ctx context.Context, cfg config.Config) {
	s, err := datafolder.OpenReadOnly(cfg.Data, store.Options{ReserveBytes: uint64(cfg.Reserve)})
	switch {
	case errors.Is(err, datafolder.ErrNone):
		if x.closed(cfg.Data, "created") {
			return
		}
		if _, err := os.Stat(cfg.Data); err == nil {
			x.ok("data folder", cfg.Data+" has no store yet; the first start creates it")
			return
		}
		x.ok("data folder", cfg.Data+" is created at the first start")
		return
	case errors.Is(err, store.ErrLocked):
		x.fail("data folder", err.Error(), "")
		return
	case errors.Is(err, store.ErrNewerFormat):
		x.newer(err)
		return
	case errors.Is(err, store.ErrOlderFormat):
		x.ok("data folder", err.Error())
		return
	case store.Advice(err) != "":
		x.fail("data folder", err.Error(), "")
		return
	case errors.Is(err, store.ErrCorrupt):
		found, mend := store.Damage(err)
		x.fail("data folder", found, cmp.Or(mend, store.Repair))
		return
	case err != nil:
		x.fail("data folder", err.Error(), "restore it from a backup, or name another folder with --data")
		return
	}
	defer s.Close()
	if err := engine.Known(s); errors.Is(err, engine.ErrNewer) { // what else is wrong is told below
		x.newer(err)
		return
	}
	x.contents(ctx, cfg, s)
}

// newer reports that newer code wrote a data folder.
func (x *examination) newer(err error) {
	x.fail("data folder", err.Error(), "use the shelly that wrote it, or name another folder with --data")
}

// closed reports that a data folder is closed to this user, if it is.
func (x *examination) closed(data, to string) bool {
	err := system.Writable(output.Nearest(data))
	if err != nil {
		x.fail("data folder", fmt.Sprintf("%s cannot be %s: %v", data, to, err), strings.TrimPrefix(store.Advice(err), ": "))
	}
	return err != nil
}

// contents examines a store that could be opened.
func (x *examination) contents(ctx context.Context, cfg config.Config, s *store.Store) {
	if err := s.Space(); !x.closed(cfg.Data, "written") && errors.Is(err, engine.ErrNoSpace) {
		x.fail("data folder", err.Error(), mendSpace)
		return
	}
	reading, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	found, err := s.Examine(reading)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		x.warn("data folder", cfg.Data+" opens, but is too large to read all of it in time", "run shelly journal verify to read all of it")
		return
	case err == nil:
		err = found.Err()
	}
	if err != nil {
		x.fail("data folder", err.Error(), store.Repair+"; shelly journal verify names all that is damaged")
		return
	}
	x.ok("data folder", fmt.Sprintf("%s opens, and all of it can be read", cfg.Data))
	if held, err := s.Texts(); err == nil && held.Texts > 0 { // an error was found above
		x.texts(comm.Texts{Count: held.Texts, Bytes: held.Bytes})
	}
}

// workspace reports whether there is one, and that a running daemon works in another: by default it is
// the folder in which a command is run.
func (x *examination) workspace(cfg config.Config, running *comm.Status) {
	if running != nil && running.Workspace != "" && !folder.Same(running.Workspace, cfg.Workspace) {
		x.warn("other workspace", fmt.Sprintf("the daemon works in %s; what follows is about %s", running.Workspace, cfg.Workspace),
			"to examine the daemon's, add --workspace "+wording.ShellWord(running.Workspace))
	}
	info, err := os.Stat(cfg.Workspace)
	switch {
	case err != nil:
		x.fail("workspace", err.Error(), "create the folder, or name another with --workspace")
	case !info.IsDir():
		x.fail("workspace", cfg.Workspace+" is not a folder", "name a folder with --workspace")
	default:
		x.ok("workspace", cfg.Workspace)
	}
}

// reserve reports how much disk space is free beyond the reserve.
func (x *examination) reserve(cfg config.Config) {
	dir := output.Nearest(cfg.Data)
	usage, err := vfs.Default.GetDiskUsage(dir)
	if err != nil {
		x.warn("disk", fmt.Sprintf("the free space of %s is unknown: %v", dir, err), "")
		return
	}
	free, reserve := int64(usage.AvailBytes), int64(cfg.Reserve)
	found := fmt.Sprintf("%s free where the data folder is, reserve %s", quantity.Bytes(free), cfg.Reserve)
	switch {
	case free < reserve:
		x.fail("disk", found, mendSpace)
	case free < 2*reserve+folder.BallastBytes:
		x.warn("disk", found, mendSpace+": soon nothing will be accepted")
	default:
		x.ok("disk", found)
	}
}

// descriptors reports whether a daemon that is started as doctor was may have too few files open (CFG-15).
func (x *examination) descriptors(running *comm.Status) {
	most := descriptor.Max()
	found := fmt.Sprintf("at most %d may be open at once", most)
	const mend = "raise the limit with ulimit -n before shelly is started"
	switch {
	case running != nil || most >= descriptor.Enough: // its own limit may be another
	case most < descriptor.Least:
		x.fail("open files", fmt.Sprintf("%s, and a start needs %d", found, descriptor.Least), mend)
	default:
		x.warn("open files", fmt.Sprintf("%s, so connections and tools would have to wait; %d are enough", found, descriptor.Enough), mend)
	}
}
