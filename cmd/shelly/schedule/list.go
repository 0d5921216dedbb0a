package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
)

type listCmd struct {
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/schedules."`
	flags.Place
}

// Help is the text after the usage.
func (listCmd) Help() string {
	return "TO is the chat that the answers go to. Reads from the running daemon, or from the data folder. The runs are in shelly request list --all."
}

// Run implements the subcommand (CLI-142).
func (c *listCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	list, err := schedules(context.Background(), cfg.Data)
	if err != nil {
		return err
	}
	return listing.Print(t, c.JSON, comm.SchedulesBody{Schedules: list}, list, printList, "there are no schedules; add one with shelly schedule add, or ask shelly for one")
}

// schedules returns those of a data folder's daemon, or of its journal if no daemon runs.
func schedules(ctx context.Context, data string) ([]comm.Schedule, error) {
	list, err := client.New(data, client.Options{}).Schedules(ctx)
	if !errors.Is(err, client.ErrNotRunning) {
		return list, exit.Daemon(err)
	}
	s, err := folder.ReadStore(data)
	if err != nil {
		return nil, err
	}
	kept, err := s.Kept()
	if err == nil {
		state, failed := engine.StateAt(s, kept.Last)
		list, err = comm.Schedules(&state, moment.Now()), failed
	}
	return list, exit.With(exit.Data, errors.Join(err, s.Close()))
}

func printList(out io.Writer, list []comm.Schedule) error {
	return listing.Table(out, "ID\tWHEN\tNEXT\tSTATE\tTO\tTEXT", list, func(s comm.Schedule) []string {
		return []string{s.ID, When(s), moment.Zoned(s.Next, "-"), standing(s), to(s), terminal.Head(s.Text)}
	})
}

// When describes when a schedule runs.
func When(s comm.Schedule) string {
	switch {
	case s.EverySeconds > 0:
		return "every " + wording.Short((time.Duration(s.EverySeconds) * time.Second).String())
	case s.Once != 0:
		return "once"
	case s.Zone != "":
		return s.Cron + " (" + s.Zone + ")"
	default:
		return s.Cron + " (UTC)"
	}
}

// standing describes the state of a schedule.
func standing(s comm.Schedule) string {
	state := "armed"
	if s.Paused {
		state = "paused"
	}
	if s.Running != 0 {
		state += fmt.Sprintf(", %s %s", s.Running.Entry(), s.State)
	}
	return state
}

// to returns the chat that the answers go to.
func to(s comm.Schedule) string {
	if s.Chat == "" {
		return cmp.Or(s.Channel, "-")
	}
	return s.Channel + ":" + s.Chat
}

// flagOf replaces the machine's field names by those of the flags.
var flagOf = strings.NewReplacer("every_seconds", "--every", "cron_expr", "--cron", "message", "the text", "at is", "--at is")

// worded returns a refusal in the words of the command line.
func worded(in fsm.ScheduleChanged, err error) error {
	coded := exit.Daemon(err)
	refused := (*client.Error)(nil)
	if !errors.As(err, &refused) || refused.Code != comm.CodeBadRequest && refused.Code != comm.CodeNotFound {
		return coded
	}
	switch {
	case in.Change == fsm.ScheduleAdd:
		quoted := strings.IndexByte(refused.Message+`"`, '"') // from there on it may be what the person wrote
		return exit.Errorf(exit.Usage, "%s", flagOf.Replace(refused.Message[:quoted])+refused.Message[quoted:])
	case strings.HasPrefix(refused.Message, "field "):
		return coded
	case refused.Code == comm.CodeNotFound, strings.HasPrefix(refused.Message, "there is no"): // as an older daemon says it
		return exit.Errorf(exit.NoMatch, "%s; see shelly schedule list", refused.Message)
	default:
		return exit.Errorf(exit.Failed, "%s; see shelly schedule list", refused.Message)
	}
}
