package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/fsm"
	"shelly/runtime/ollama"
)

// modelCmd is what is done with the models of the Ollama server (CLI-19).
type modelCmd struct {
	List modelListCmd `cmd:"" help:"List the installed models: what they are, what they can do, which shelly uses."`
	Pull modelPullCmd `cmd:"" help:"Have the Ollama server download a model."`
}

type modelListCmd struct {
	place
	JSON bool `name:"json" help:"Print as JSON."`
}

// modelRow is one installed model.
type modelRow struct {
	Name         string       `json:"name"`
	Bytes        int64        `json:"bytes"` // on disk
	Family       string       `json:"family,omitempty"`
	Parameters   string       `json:"parameters,omitempty"`
	Quantization string       `json:"quantization,omitempty"`
	Window       int          `json:"window,omitempty"` // the most that it can be given, in tokens
	Can          []string     `json:"can"`
	Uses         []string     `json:"uses"`              // what shelly uses it for: chat, embedding
	Remote       string       `json:"remote,omitempty"`  // the host that runs it, if it is another
	Loaded       *modelLoaded `json:"loaded,omitempty"`  // nil: it is not in memory
	Problem      string       `json:"problem,omitempty"` // why the server cannot describe it
}

// modelLoaded is how a model is in memory.
type modelLoaded struct {
	Bytes  int64     `json:"bytes"`
	GPU    int64     `json:"gpu_bytes"`
	NumCtx int       `json:"num_ctx,omitempty"`
	Until  time.Time `json:"until"`
}

// modelTimeout bounds the listing.
const modelTimeout = 30 * time.Second

// Run implements the subcommand (CLI-19).
func (c *modelListCmd) Run(t *terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	client, err := ollama.New(askingOptions(cfg.Brain))
	if err != nil {
		return exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), modelTimeout)
	defer cancel()
	rows, err := modelRows(ctx, client)
	if err != nil {
		return exit.With(exit.Unreachable, err)
	}
	chat, embed, chosen := client.Choose(ctx)
	for i := range rows {
		for _, used := range []struct{ name, use string }{{chat, "chat"}, {embed, "embedding"}} {
			if used.name != "" && ollama.SameModel(rows[i].Name, used.name) {
				rows[i].Uses = append(rows[i].Uses, used.use)
			}
		}
	}
	if c.JSON {
		enc := json.NewEncoder(t.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(rows)
	} else {
		err = printModels(t.out, rows, time.Now())
	}
	if chosen != nil {
		fmt.Fprintln(t.err, "shelly:", chosen)
	}
	return err
}

// modelRows is what is installed, in the server's order.
func modelRows(ctx context.Context, client *ollama.Client) ([]modelRow, error) {
	models, err := client.Models(ctx)
	if err != nil {
		return nil, err
	}
	loaded, err := client.Loaded(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]modelRow, len(models))
	for i, m := range models {
		rows[i] = modelRow{
			Name: m.Name, Bytes: m.Size, Family: m.Family, Parameters: m.Parameters, Quantization: m.Quantization,
			Can: []string{}, Uses: []string{}, Remote: m.Remote,
		}
		if can, err := client.Show(ctx, m.Name); err != nil {
			rows[i].Problem = err.Error()
		} else {
			rows[i].Window, rows[i].Can = can.ContextLength, can.Words()
		}
		for _, l := range loaded {
			if ollama.SameModel(l.Name, m.Name) {
				rows[i].Loaded = &modelLoaded{Bytes: l.Bytes, GPU: l.GPU, NumCtx: l.NumCtx, Until: l.Until}
			}
		}
	}
	return rows, nil
}

func printModels(w io.Writer, rows []modelRow, now time.Time) error {
	if len(rows) == 0 {
		return nil // the error that there is none to use says what to pull
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSIZE\tFAMILY\tPARAMETERS\tQUANTIZATION\tWINDOW\tCAN\tLOADED\tUSED FOR")
	for _, r := range rows {
		can, window := strings.Join(r.Can, ","), fmt.Sprint(r.Window)
		if r.Window == 0 {
			window = ""
		}
		if r.Problem != "" {
			can = "? " + r.Problem
		}
		if r.Remote != "" {
			can += " on " + r.Remote
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, quantity.Bytes(r.Bytes), dash(r.Family), dash(r.Parameters),
			dash(r.Quantization), dash(window), dash(can), loadedWords(r.Loaded, now), dash(strings.Join(r.Uses, ",")))
	}
	return table.Flush()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// keptForGood is how far off the end of a model must be that was asked to stay.
const keptForGood = 365 * 24 * time.Hour

// loadedWords says how a model is in memory, and for how long.
func loadedWords(l *modelLoaded, now time.Time) string {
	if l == nil {
		return "-"
	}
	words := quantity.Bytes(l.Bytes)
	if on := (ollama.Loaded{Bytes: l.Bytes, GPU: l.GPU}).OnGPU(); on > 0 {
		words += fmt.Sprintf(" (%d %% GPU)", on)
	}
	if l.NumCtx > 0 {
		words += fmt.Sprintf(", window %d", l.NumCtx)
	}
	if left := l.Until.Sub(now); left < keptForGood {
		return words + ", for " + quantity.Time(left)
	}
	return words + ", for good"
}

// modelFailed gives an error of a pull its exit code, and says what else can be done.
func modelFailed(name string, err error) error {
	failed := (*ollama.Error)(nil)
	switch {
	case errors.Is(err, ollama.ErrNoSuchModel):
		return exit.Errorf(exit.NoMatch, "%w: https://ollama.com/library lists those there are", err)
	case errors.Is(err, ollama.ErrDiskFull):
		return exit.Errorf(exit.Disk, "%w: remove models with \"ollama rm NAME\", or set OLLAMA_MODELS there to a folder on a larger disk", err)
	case errors.Is(err, ollama.ErrOffline):
		return exit.Errorf(exit.Unreachable, "%w: pull %s on a machine that reaches it and copy its folder of models (~/.ollama/models, or OLLAMA_MODELS) into the server's; "+
			"or bring a GGUF file and make the model of it: \"ollama create %s -f Modelfile\", where the file says FROM ./FILE.gguf", err, name, name)
	case errors.As(err, &failed) && failed.Class == fsm.BrainUnreachable:
		return exit.With(exit.Unreachable, err)
	default:
		return exit.With(exit.Failed, err)
	}
}
