package comm

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"shelly/runtime/access"
)

// TokensBody is the answer to GET /v1/tokens, in the order of the clients' names.
type TokensBody struct {
	Tokens []access.Client `json:"tokens"`
}

// NewToken is a new client. Its token is shown only here.
type NewToken struct {
	Name  string        `json:"name"`
	Can   access.Rights `json:"can"`
	Token string        `json:"token"`
}

// getTokens lists who has a token (COM-88).
func (h *HTTP) getTokens(w http.ResponseWriter, r *http.Request) error {
	return JSON(w, http.StatusOK, TokensBody{h.o.Clients.List()})
}

// postToken makes a client (COM-88).
func (h *HTTP) postToken(w http.ResponseWriter, r *http.Request) error {
	var name string
	var words []string
	err := h.read(w, r, text("name", &name), list("can", len(access.Given), func(d *json.Decoder, field string) error {
		words = append(words, "")
		return text(field, &words[len(words)-1]).read(d, field)
	}))
	if err != nil {
		return err
	}
	can, err := access.ParseRights(words)
	if err = cmp.Or(access.CheckName(name), err); err != nil {
		return badRequest(err.Error(), `send {"name": "ci", "can": ["ask"]}`)
	}
	token, err := h.o.Clients.Add(name, can)
	switch {
	case errors.Is(err, access.ErrTaken):
		return &Problem{CodeConflict, err.Error(), "revoke its token first, or use another name"}
	case errors.Is(err, access.ErrMany):
		return &Problem{CodeConflict, err.Error(), "revoke those that are not used: shelly token list"}
	case err != nil:
		h.o.Log.Error("could not make a client's token", "error", err)
		return Unsaved(err, "nothing has happened")
	}
	h.o.Log.Info("token created", "client", name, "can", can.String(), "by", CallerOf(r.Context()).Name)
	return JSON(w, http.StatusOK, NewToken{name, can, token})
}

// postTokenRevoke revokes a client's token (COM-88).
func (h *HTTP) postTokenRevoke(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	taken, err := h.o.Clients.Revoke(name)
	if err != nil {
		h.o.Log.Error("could not revoke a client's token", "error", err)
		return Unsaved(err, "the token is still good")
	}
	if taken {
		h.o.Log.Info("token revoked", "client", name, "by", CallerOf(r.Context()).Name)
	}
	return JSON(w, http.StatusOK, Taken{taken})
}
