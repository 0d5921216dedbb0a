package channels

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"shelly/fsm/wording"
	"shelly/runtime/access"
	"shelly/runtime/channel"
	"shelly/runtime/channel/kept"
	"shelly/runtime/channel/webhook"
	"shelly/runtime/comm"
	"shelly/runtime/config"
)

// Talk runs the channels of a daemon.
type Talk struct {
	*channel.Bus
	log *slog.Logger
}

// New returns the channels of a configuration for a daemon (CHN-1). They start when it is run.
func New(cfg config.Config, front comm.Front, log *slog.Logger) *Talk {
	delivered, err := kept.Open(cfg.Data)
	if err != nil {
		log.Warn("the record of deliveries cannot be read; the channels deliver only new answers", "error", err)
	}
	t := &Talk{Bus: channel.New(channel.Options{Front: front, Kept: delivered, Log: log, Now: time.Now}), log: log}
	t.Use(Specs(cfg, log))
	return t
}

// Reload switches to the channels of a reloaded configuration.
func (t *Talk) Reload(cfg config.Config) { t.Use(Specs(cfg, t.log)) }

// Routes returns the routes that list and try the channels (CHN-11), and those of webhooks
// (CHN-20), where a signature replaces the token.
func (t *Talk) Routes() []comm.Route {
	return []comm.Route{
		{Method: http.MethodGet, Pattern: channel.ListRoute, Right: access.All, Page: true, Handle: comm.Taking(func(w http.ResponseWriter, _ *http.Request) error {
			return comm.JSON(w, http.StatusOK, channel.ListBody{Channels: t.States()})
		})},
		{Method: http.MethodPost, Pattern: channel.TryRoute, Right: access.All, Handle: comm.Taking(t.try)},
		{Method: http.MethodPost, Pattern: channel.HookRoute, Right: access.Anyone, Handle: t.take},
	}
}

// take accepts the message of a webhook. A sender with neither a valid signature nor a token
// does not learn which channels exist.
func (t *Talk) take(w http.ResponseWriter, r *http.Request) error {
	if hook, is := t.Channel(r.PathValue("name")).(*webhook.Webhook); is {
		return hook.Handle(w, r)
	}
	if comm.CallerOf(r.Context()).Name == "" {
		return &comm.Problem{Code: comm.CodeUnauthorized, Message: "a token is missing or wrong", Hint: "sign the message with the channel's key, or show a token"}
	}
	return &comm.Problem{Code: comm.CodeNotFound, Message: "there is no such webhook", Hint: "shelly channel list shows them"}
}

// Bounds of a try.
const (
	tryBytesMax = 64 << 10
	tryMax      = 10 * time.Second
)

// try sends a message to a chat once.
func (t *Talk) try(w http.ResponseWriter, r *http.Request) error {
	body, err := comm.Body(w, r, tryBytesMax)
	if err != nil {
		return err
	}
	var m channel.TryBody
	if err := comm.DecodeTexts(body, map[string]*string{"chat": &m.Chat, "text": &m.Text}); err != nil {
		return err
	}
	if m.Chat == "" {
		return &comm.Problem{Code: comm.CodeBadRequest, Message: "the body names no chat", Hint: `send {"chat": "…", "text": "…"}`}
	}
	name := r.PathValue("name")
	if t.Channel(name) == nil {
		return &comm.Problem{Code: comm.CodeNotFound, Message: "there is no such channel", Hint: "shelly channel list shows them"}
	}
	ctx, cancel := context.WithTimeout(r.Context(), tryMax)
	defer cancel()
	var tried channel.TriedBody
	if tried.ID, err = t.Try(ctx, name, m); err != nil {
		tried.Failed = err.Error()
	}
	return comm.JSON(w, http.StatusOK, tried)
}

// Status returns the channels as a status shows them; nil if there are none.
func (t *Talk) Status() *comm.Talking {
	all := t.States()
	if len(all) == 0 {
		return nil
	}
	sum := &comm.Talking{Channels: len(all)}
	for _, c := range all {
		sum.Received += c.Received
		sum.Sent += c.Sent
		sum.Open += c.Open
		if c.Trouble != "" {
			sum.Trouble = append(sum.Trouble, fmt.Sprintf("%s: %s", c.Name, wording.Clip(c.Trouble, 200)))
		}
	}
	return sum
}
