package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/ollama"
)

type listCmd struct {
	flags.Place
	flags.AsJSON
}

// row is one installed model.
type row struct {
	Name         string         `json:"name"`
	Bytes        int64          `json:"bytes"` // on disk
	Family       string         `json:"family,omitempty"`
	Parameters   string         `json:"parameters,omitempty"`
	Quantization string         `json:"quantization,omitempty"`
	Window       int            `json:"window,omitempty"` // the model's largest context, in tokens
	Can          []string       `json:"can"`
	Uses         []string       `json:"uses"`              // what shelly uses it for: chat, embedding
	Remote       string         `json:"remote,omitempty"`  // the host that runs it, if not the server's
	Loaded       *ollama.Loaded `json:"loaded,omitempty"`  // nil: it is not in memory
	Problem      string         `json:"problem,omitempty"` // why the server cannot describe it
}

// Run implements the subcommand (CLI-19).
func (c *listCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	server, err := ollama.New(brain.Options(cfg.Brain))
	if err != nil {
		return exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
	defer cancel()
	asked := serving(ctx, cfg.Data)
	other := asked.Server != "" && asked.Server != server.BaseURL()
	if other {
		fmt.Fprintf(t.Err, "shelly: the running daemon asks the model %q of another server: --set brain.url=%s lists what is there\n", asked.Model, asked.Server)
	}
	rows, err := rows(ctx, server)
	if err != nil {
		return exit.With(exit.Unreachable, err)
	}
	chat, embed, chosen := server.Choose(ctx)
	if at := slices.IndexFunc(rows, func(r row) bool { return !other && ollama.SameModel(r.Name, asked.Model) }); at >= 0 {
		chat = rows[at].Name
	}
	for i := range rows {
		for _, used := range []struct{ name, use string }{{chat, "chat"}, {embed, "embedding"}} {
			if used.name != "" && ollama.SameModel(rows[i].Name, used.name) {
				rows[i].Uses = append(rows[i].Uses, used.use)
			}
		}
	}
	for _, r := range rows {
		if r.Problem != "" && !c.JSON {
			fmt.Fprintf(t.Err, "shelly: %s: %s\n", r.Name, r.Problem)
		}
	}
	if len(rows) > 0 && chosen != nil {
		fmt.Fprintln(t.Err, "shelly:", chosen)
	}
	return listing.Print(t, c.JSON, rows, rows, printModels, fmt.Sprint(chosen))
}

// daemonWait is how long a daemon may take to say which model it asks.
const daemonWait = time.Second

// serving returns which model of which server the running daemon asks, which may have been started
// with other settings; none if no daemon runs.
func serving(ctx context.Context, data string) comm.Status {
	ctx, cancel := context.WithTimeout(ctx, daemonWait)
	defer cancel()
	s, _ := client.New(data, client.Options{}).Status(ctx) // without a daemon what is configured is used
	return s
}

// rows returns the installed models, in the server's order.
func rows(ctx context.Context, client *ollama.Client) ([]row, error) {
	models, err := client.Models(ctx)
	if err != nil {
		return nil, err
	}
	loaded, err := client.Loaded(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(models))
	for i, m := range models {
		rows[i] = row{
			Name: m.Name, Bytes: m.Size, Family: m.Family, Parameters: m.Parameters, Quantization: m.Quantization,
			Can: []string{}, Uses: []string{}, Remote: m.Remote,
		}
		if can, err := client.Show(ctx, m.Name); err != nil {
			rows[i].Problem = undescribed(m.Name, err)
		} else {
			rows[i].Window, rows[i].Can = can.ContextLength, can.Words()
		}
		if at := slices.IndexFunc(loaded, func(l ollama.Loaded) bool { return ollama.SameModel(l.Name, m.Name) }); at >= 0 {
			rows[i].Loaded = &loaded[at]
		}
	}
	return rows, nil
}

// undescribed says why the server cannot describe a model that it lists.
func undescribed(name string, err error) string {
	if e, is := errors.AsType[*ollama.Error](err); is && e.Class == fsm.BrainMissingModel {
		return fmt.Sprintf("files of the model are missing on the server: run \"ollama pull %s\" there", name)
	}
	return err.Error()
}

func printModels(out io.Writer, rows []row) error {
	now := time.Now()
	return listing.Table(out, "NAME\tSIZE\tFAMILY\tPARAMETERS\tQUANTIZATION\tWINDOW\tCAN\tLOADED\tUSED FOR", rows, func(r row) []string {
		can, window := strings.Join(r.Can, ","), fmt.Sprint(r.Window)
		if r.Window == 0 {
			window = ""
		}
		if r.Problem != "" {
			can = "?"
		}
		if r.Remote != "" {
			can += " on " + r.Remote
		}
		return []string{
			r.Name, quantity.Bytes(r.Bytes), dash(r.Family), dash(r.Parameters), dash(r.Quantization), dash(window), dash(can), r.held(now),
			dash(strings.Join(r.Uses, ",")),
		}
	})
}

func dash(s string) string { return cmp.Or(s, "-") }

// held describes how the model is loaded.
func (r row) held(now time.Time) string {
	if r.Loaded == nil {
		return "-"
	}
	return brain.InMemory(*r.Loaded, now)
}
