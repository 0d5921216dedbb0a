package schedule

import (
	"context"
	"fmt"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

type addCmd struct {
	Text    []string       `arg:"" help:"What to do, worded as a request."`
	Cron    string         `placeholder:"EXPR" help:"Times as in crontab, such as '0 9 * * mon-fri', or @daily."`
	Every   *time.Duration `placeholder:"TIME" help:"Interval, such as 30m."`
	At      string         `placeholder:"TIME" help:"Run once, at a time such as 17:30, tomorrow 9:00 or 2026-01-31T09:00."`
	In      *time.Duration `placeholder:"TIME" help:"Run once, after a time such as 20m."`
	Zone    string         `placeholder:"NAME" help:"Zone of the times: UTC, +02:00, or one of about.zones. Default: yours (about.zone)."`
	Channel string         `placeholder:"NAME" help:"Channel that the answers go to."`
	Chat    string         `placeholder:"NAME" help:"Chat in the channel. Default: the one of ask and chat."`
	By      string         `placeholder:"NAME" help:"Who adds it; recorded in the journal."`
	flags.Place
}

// Help is the text after the usage.
func (addCmd) Help() string {
	return "Give one of --cron, --every, --at and --in. The answers are messages: see shelly messages."
}

// Run implements the subcommand (CLI-142).
func (c *addCmd) Run(t *terminal.Terminal) error {
	given := 0
	for _, set := range []bool{c.Cron != "", c.Every != nil, c.At != "", c.In != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		return exit.Errorf(exit.Usage, "give exactly one of --cron, --every, --at and --in")
	}
	if strings.TrimSpace(strings.Join(c.Text, " ")) == "" {
		return exit.Errorf(exit.Usage, "the text is empty: say what shelly should do each time")
	}
	every, err := whole("--every", c.Every)
	if err != nil {
		return err
	}
	after, err := whole("--in", c.In)
	if err != nil {
		return err
	}
	once := c.At
	if after > 0 {
		once = moment.Local(moment.Now() + after + fsm.Second - 1).UTC().Format(time.RFC3339) // never too early
	}
	in := fsm.ScheduleChanged{
		Change: fsm.ScheduleAdd, Text: strings.Join(c.Text, " "), Cron: c.Cron, Every: every, Once: once, Zone: c.Zone,
		Origin: comm.ChatOf(c.Channel, c.Chat), By: c.By,
	}
	if c.Channel == "" && c.Chat == "" {
		in.Origin = fsm.Origin{} // the machine's default
	}
	daemon, id, _, err := tell(&c.Place, in)
	if err != nil {
		return err
	}
	all, err := daemon.Schedules(context.Background())
	if err != nil { // it is added all the same, and must not be added again
		fmt.Fprintln(t.Err, "· the daemon does not say when it runs next: see shelly schedule list")
	}
	for _, s := range all {
		if s.ID == id {
			fmt.Fprintf(t.Out, "schedule %s runs next at %s\n", id, moment.Zoned(s.Next, "-"))
			return nil
		}
	}
	fmt.Fprintf(t.Out, "schedule %s is added\n", id) // it has already run
	return nil
}

// whole returns the time that a flag gives in whole seconds; 0 if it is not given.
func whole(flag string, d *time.Duration) (fsm.Millis, error) {
	switch {
	case d == nil:
		return 0, nil
	case *d < time.Second, *d%time.Second != 0:
		return 0, exit.Errorf(exit.Usage, "%s: give whole seconds, such as 90s or 30m", flag)
	}
	return fsm.Millis(d.Milliseconds()), nil
}

// one has the flags that name a schedule.
type one struct {
	ID string `arg:"" help:"Schedule, such as s1."`
	By string `placeholder:"NAME" help:"Who does it; recorded in the journal."`
	flags.Place
}

func (c *one) tell(t *terminal.Terminal, change fsm.ScheduleChange, done, not string) error {
	_, _, taken, err := tell(&c.Place, fsm.ScheduleChanged{Change: change, Schedule: c.ID, By: c.By})
	switch {
	case err != nil:
		return err
	case !taken:
		return exit.Errorf(exit.Failed, "schedule %s %s", c.ID, not)
	}
	fmt.Fprintf(t.Out, "schedule %s %s\n", c.ID, done)
	return nil
}

type removeCmd struct{ one }

// Run implements the subcommand (CLI-142).
func (c *removeCmd) Run(t *terminal.Terminal) error {
	return c.tell(t, fsm.ScheduleRemove, "is removed", "is not removed")
}

type pauseCmd struct{ one }

// Run implements the subcommand (CLI-142).
func (c *pauseCmd) Run(t *terminal.Terminal) error {
	return c.tell(t, fsm.SchedulePause, "is paused", "is not paused")
}

type resumeCmd struct{ one }

// Run implements the subcommand (CLI-142).
func (c *resumeCmd) Run(t *terminal.Terminal) error {
	return c.tell(t, fsm.ScheduleResume, "is resumed", "is not resumed")
}

type runCmd struct{ one }

// Run implements the subcommand (CLI-142).
func (c *runCmd) Run(t *terminal.Terminal) error {
	return c.tell(t, fsm.ScheduleRun, "runs now; its answer is a message, see shelly messages --follow", "already has a run waiting")
}

// tell sends a change of a schedule to the daemon.
func tell(p *flags.Place, in fsm.ScheduleChanged) (*client.Client, string, bool, error) {
	cfg, err := p.Load()
	if err != nil {
		return nil, "", false, err
	}
	daemon := client.New(cfg.Data, client.Options{})
	id, taken, err := daemon.Schedule(context.Background(), in)
	if err != nil {
		return nil, "", false, worded(in, err)
	}
	return daemon, id, taken, nil
}
