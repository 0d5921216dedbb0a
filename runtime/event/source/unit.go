package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"shelly/fsm/wording"
	"shelly/runtime/event"
)

// The interval between two readings of units, and the time-out of one.
const (
	unitEvery = 10 * time.Second
	unitTime  = 10 * time.Second
)

// Units watches units of systemd (EVT-12). It asks systemctl, which is there wherever systemd is,
// and which, unlike D-Bus, needs no connection that must survive restarts of systemd.
type Units struct {
	Names []string
	User  bool                                                                 // units of the user's own systemd
	Show  func(ctx context.Context, user bool, names []string) (string, error) // systemctl show; nil: the system's
}

// Watch implements [event.Source].
func (u Units) Watch(ctx context.Context, to event.Sink) error {
	return poll(ctx, unitEvery, to, func(to event.Sink) error { return u.look(ctx, to) })
}

func (u Units) look(ctx context.Context, to event.Sink) error {
	show := u.Show
	if show == nil {
		show = systemctl
	}
	ctx, cancel := context.WithTimeout(ctx, unitTime)
	defer cancel()
	text, err := show(ctx, u.User, u.Names)
	if err != nil {
		return err
	}
	states := map[string]int{}
	var order []string
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i >= len(u.Names) {
			break
		}
		state, said := unitState(u.Names[i], block)
		to.State(u.Names[i], state, said)
		if states[state]++; states[state] == 1 {
			order = append(order, state)
		}
	}
	var parts []string
	for _, state := range order {
		parts = append(parts, fmt.Sprintf("%d %s", states[state], state))
	}
	to.Seen(strings.Join(parts, ", "))
	return nil
}

// Example implements [event.Exemplar]: of one unit, which fails.
func (u Units) Example(_ int64, to event.Sink) error {
	to.State(u.Names[0], "failed", say(wordUnitFailed, "unit", u.Names[0], "result", "exit-code"))
	return nil
}

// unitState returns the state of a unit, and what it means, from a block of systemctl show.
func unitState(name, block string) (state, said string) {
	is := map[string]string{}
	for line := range strings.Lines(block) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			is[key] = value
		}
	}
	state = is["ActiveState"]
	switch {
	case is["LoadState"] == "not-found":
		return "not-found", say(wordUnitUnknown, "unit", name)
	case state == "failed":
		return state, say(wordUnitFailed, "unit", name, "result", is["Result"])
	default:
		return state, say(wordUnit, "unit", name, "state", state, "sub", is["SubState"])
	}
}

// systemctl asks systemd.
func systemctl(ctx context.Context, user bool, names []string) (string, error) {
	args := []string{"show", "--property=LoadState,ActiveState,SubState,Result", "--no-pager"}
	if user {
		args = append(args, "--user")
	}
	cmd := exec.CommandContext(ctx, "systemctl", append(append(args, "--"), names...)...)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	text, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no systemd: %w", event.ErrNotHere)
	case err != nil && strings.Contains(failed.String(), "not been booted with systemd"):
		return "", fmt.Errorf("systemd does not run this machine: %w", event.ErrNotHere)
	case err != nil:
		return "", fmt.Errorf("systemctl show: %w: %s", err, wording.OneLine(wording.Clip(failed.String(), 200)))
	}
	return string(text), nil
}
