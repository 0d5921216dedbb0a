package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/newest"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/store"
	"shelly/sim/history"
)

type auditCmd struct {
	Session string `placeholder:"NAME" help:"Only calls of this session."`
	Tool    string `placeholder:"NAME" help:"Only calls of this tool."`
	Failed  bool   `help:"Only calls that failed or have an unknown outcome."`
	flags.Recent
	flags.List `set:"json=Print as JSON, with the records of GET /v1/audit."`
	flags.Place
}

// Help explains the words.
func (auditCmd) Help() string {
	return "WHO is the session. FROM is the origin of the work: how a request came in, or event, schedule, init, …, or subagent with the handle that started it. CONTAINED is what contained the call: namespaces, bwrap, landlock, none; - if it started no program, ? if it was cut off and nobody knows. " +
		"Calls are kept for retention.age. Reads from the running daemon, or from the data folder."
}

// Run implements the subcommand (CLI-101).
func (c *auditCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	since, err := c.From()
	if err != nil {
		return err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	src, err := c.source(ctx, cfg.Data)
	if err != nil {
		return err
	}
	found, err := c.newest(src, since)
	if err = errors.Join(err, src.Close()); err != nil {
		return err
	}
	return listing.Print(t, c.JSON, comm.AuditBody{Audit: found}, found, printAudit, "no tool call matches")
}

// readAudit reads the records of calls after a position, in order.
type readAudit func(after uint64) ([]engine.Audit, error)

// source opens the audit of a data folder.
func (c *auditCmd) source(ctx context.Context, data string) (*folder.Lists[readAudit], error) {
	asked := func(daemon *client.Client) readAudit {
		return func(after uint64) ([]engine.Audit, error) {
			found, err := daemon.Audit(ctx, c.Session, after, engine.ReadMax)
			return found, exit.Daemon(err)
		}
	}
	return folder.ListsOf(ctx, data, asked, func(s *store.Store) (readAudit, error) {
		return func(after uint64) ([]engine.Audit, error) {
			found, err := s.Audit(c.Session, after, engine.ReadMax)
			return found, exit.With(exit.Data, err)
		}, nil
	})
}

// newest returns the newest calls that match, the newest last.
func (c *auditCmd) newest(src *folder.Lists[readAudit], since fsm.Millis) ([]engine.Audit, error) {
	return newest.Search[engine.Audit]{
		Last: src.Last, Limit: c.Limit, Read: src.Read,
		Position: func(a engine.Audit) uint64 { return a.Position },
		Wanted: func(a engine.Audit) (wanted, old bool) {
			return a.At >= since && (c.Tool == "" || a.Tool == c.Tool) && (!c.Failed || a.Failed || a.Unknown), a.At < since
		},
	}.Find()
}

// printAudit prints a table, the newest call last.
func printAudit(out io.Writer, found []engine.Audit) error {
	return listing.Table(out, "ENDED\tWHO\tFROM\tTOOL\tTOOK\tSTARTS\tCONTAINED\tOUTCOME\tARGUMENTS\tRESULT", found, func(a engine.Audit) []string {
		return []string{
			moment.Local(a.At).Format(time.DateTime), a.Session, from(a.From), a.Tool, history.Span(a.Duration), fmt.Sprint(a.Attempts),
			contained(a), outcome(a), terminal.Head(a.Args), result(a),
		}
	})
}

// failureShown is how many characters of a failed call's result are shown: its end is often a
// command's output.
const failureShown = 200

// result returns a call's result on one line, with the reason why it did not run or has failed.
func result(a engine.Audit) string {
	switch {
	case !a.Ran(): // a sentence of shelly's, and what a person has said (APR-23)
		return terminal.Cut(a.Result, len(a.Result))
	case a.Failed:
		return terminal.Cut(a.Result, failureShown)
	default:
		return terminal.Head(a.Result)
	}
}

// from describes the origin of a call.
func from(c fsm.Caller) string {
	switch {
	case c.Kind == "": // recorded by an older build
		return "-"
	case c.Kind == fsm.KindUser:
		return c.Request.Channel
	case c.Kind == fsm.KindSubagent:
		return string(c.Kind) + " of " + c.Parent.Entry()
	default:
		return string(c.Kind)
	}
}

func outcome(a engine.Audit) string {
	switch {
	case a.Unknown:
		return "unknown"
	case !a.Ran():
		return "not run"
	case a.Failed:
		return "failed"
	default:
		return "done"
	}
}
