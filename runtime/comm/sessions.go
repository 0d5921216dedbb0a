package comm

import (
	"cmp"
	"net/http"
	"slices"

	"shelly/fsm/wording"
	"shelly/runtime/session"
)

// SessionsBody is the answer to GET /v1/sessions, in the order of ids.
type SessionsBody struct {
	Sessions []session.Listed `json:"sessions"`
	Next     string           `json:"next,omitempty"` // the after of the next page; empty: there are no more
}

// ArchiveBody is the answer to a question for what was said in a session, in order. An empty
// answer means the end.
type ArchiveBody struct {
	Messages []session.Archived `json:"messages"`
}

// getSessions lists the sessions after an id (COM-54).
func (h *HTTP) getSessions(w http.ResponseWriter, r *http.Request) error {
	all, err := h.o.Sessions.List()
	if err != nil {
		h.note("list the sessions", err)
		return err
	}
	caller := CallerOf(r.Context())
	after := caller.session(r.URL.Query().Get("after"))
	all = slices.DeleteFunc(all, func(l session.Listed) bool { return l.ID <= after || !caller.owns(l.ID) })
	for i := range all {
		all[i].ID = caller.Short(all[i].ID)
	}
	list, err := fitting(all)
	if err != nil {
		return err
	}
	body := SessionsBody{Sessions: list}
	if len(list) < len(all) {
		body.Next = list[len(list)-1].ID
	}
	return JSON(w, http.StatusOK, body)
}

// getSession returns what was said in a session after a message (COM-54).
func (h *HTTP) getSession(w http.ResponseWriter, r *http.Request) error {
	id := CallerOf(r.Context()).session(r.PathValue("id"))
	after, limit, err := page(r.URL.Query())
	if err := cmp.Or(err, checkName("session", id, 1, KeptSessionBytesMax)); err != nil {
		return err
	}
	list, err := h.o.Sessions.Archive(id, after, limit)
	if err == nil && len(list) == 0 {
		err = h.sessionKnown(id, r.PathValue("id"))
	}
	if err == nil {
		list, err = fitting(list)
	}
	return h.answer(w, "read a session", ArchiveBody{list}, err)
}

// ForgotBody is the answer to POST /v1/sessions/ID/forget.
type ForgotBody struct {
	Messages int `json:"messages"` // how many were kept of what was said in the session
}

// postForgetSession forgets what was said in a session (COM-114).
func (h *HTTP) postForgetSession(w http.ResponseWriter, r *http.Request) error {
	id := CallerOf(r.Context()).session(r.PathValue("id"))
	if err := checkName("session", id, 1, KeptSessionBytesMax); err != nil {
		return err
	}
	n, known, err := h.o.Sessions.ForgetAll(id)
	switch {
	case known:
		h.o.Log.Info("session forgotten", "session", id, "messages", n, "by", CallerOf(r.Context()).Name)
	case err == nil:
		err = noSession(r.PathValue("id"))
	}
	return h.answer(w, "forget a session", ForgotBody{n}, err)
}

// sessionKnown returns a problem if there is no such session.
func (h *HTTP) sessionKnown(id, said string) error {
	if known, err := h.o.Sessions.Known(id); known || err != nil {
		return err
	}
	return noSession(said)
}

func noSession(said string) error {
	return &Problem{CodeNotFound, "there is no session " + wording.Word(said), "see GET /v1/sessions"}
}
