package comm

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
)

// Taken is the answer to a change that may have come too late or named the wrong thing.
type Taken struct {
	Taken bool `json:"taken"`
}

// postCancel asks to end a request (COM-12, HND-31).
func (h *HTTP) postCancel(w http.ResponseWriter, r *http.Request) error {
	known, err := h.find(r)
	if err != nil {
		return err
	}
	taken, err := h.front.Cancel(r.Context(), known.Key)
	return h.answer(w, "cancel a request", Taken{taken}, err)
}

// postCancelHandle asks to end a handle that is not a request (COM-12).
func (h *HTTP) postCancelHandle(w http.ResponseWriter, r *http.Request) error {
	id, err := h.handle(r)
	if err != nil {
		return err
	}
	taken, err := h.front.CancelHandle(r.Context(), id)
	return h.answer(w, "cancel a handle", Taken{taken}, err)
}

// postDecision takes a person's decision about a tool call (APR-2).
func (h *HTTP) postDecision(approve bool) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		d := fsm.Decided{Approve: approve}
		var err error
		if d.Handle, err = h.handle(r); err != nil {
			return err
		}
		word := ""
		if err := h.read(w, r, text("key", &d.Key), text("by", &d.By), text("grant", &word), text("reason", &d.Reason)); err != nil {
			return err
		}
		if d.Grant, err = Scope(word, approve); err != nil {
			return err
		}
		d, err = Reasoned(d)
		if err := cmp.Or(err, CheckKey(d.Key), checkName("by", d.By, 0, ByBytesMax)); err != nil {
			return err
		}
		taken, err := h.front.Decide(r.Context(), d)
		return h.answer(w, "pass on a decision", Taken{taken}, err)
	}
}

// getApprovals returns the grants (COM-40).
func (h *HTTP) getApprovals(w http.ResponseWriter, r *http.Request) error {
	list, err := h.front.Approvals(r.Context())
	return h.answer(w, "read the approvals", ApprovalsBody{list}, err)
}

// postRevoke revokes a grant (COM-40, APR-17).
func (h *HTTP) postRevoke(w http.ResponseWriter, r *http.Request) error {
	in := fsm.Revoked{Grant: r.PathValue("id")}
	if err := h.read(w, r, text("by", &in.By)); err != nil {
		return err
	}
	if err := cmp.Or(checkName("id", in.Grant, 1, KeyBytesMax), checkName("by", in.By, 0, ByBytesMax)); err != nil {
		return err
	}
	in.By = CallerOf(r.Context()).by(in.By)
	taken, err := h.front.Revoke(r.Context(), in)
	return h.answer(w, "revoke an approval", Taken{taken}, err)
}

// Scope parses which later calls an approval covers.
func Scope(word string, approve bool) (fsm.GrantScope, error) {
	switch scope := fsm.GrantScope(word); {
	case word == "" || word == "once":
		return fsm.GrantOnce, nil
	case !approve:
		return "", badRequest("a refusal is for the one call", "leave grant out")
	case scope == fsm.GrantSession || scope == fsm.GrantAlways:
		return scope, nil
	default:
		return "", badRequest("the grant is not one of once, session, always", "leave it out for the one call")
	}
}

// Reasoned returns a decision without the blanks around its reason, or a bad_request if it has one
// that it cannot have (APR-23).
func Reasoned(d fsm.Decided) (fsm.Decided, error) {
	d.Reason = strings.TrimSpace(d.Reason)
	switch {
	case d.Reason != "" && d.Approve:
		return d, badRequest("only a refusal has a reason", "leave reason out")
	case len(d.Reason) > ReasonBytesMax:
		return d, badRequest(fmt.Sprintf("field %q is longer than %d bytes", "reason", ReasonBytesMax), "shorten it")
	}
	return d, nil
}

// postResolution takes a person's decision about a held handle (APR-6).
func (h *HTTP) postResolution(w http.ResponseWriter, r *http.Request) error {
	var in fsm.Resolved
	var err error
	if in.Handle, err = h.handle(r); err != nil {
		return err
	}
	if err := h.read(w, r, text("text", &in.Text)); err != nil {
		return err
	}
	taken, err := h.front.Resolve(r.Context(), in)
	return h.answer(w, "pass on a person's word", Taken{taken}, err)
}

// handle returns the handle that a route names by its number or by its request.
func (h *HTTP) handle(r *http.Request) (fsm.HandleID, error) {
	number := r.PathValue("handle")
	if number == "" {
		known, err := h.find(r)
		return known.Handle, err
	}
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, badRequest("a handle is a whole number", "the status names the handles that ask something")
	}
	return fsm.HandleID(n), nil
}

// read reads a body of the given fields.
func (h *HTTP) read(w http.ResponseWriter, r *http.Request, fields ...field) error {
	return h.readOf(w, r, h.o.RequestBytesMax, fields...)
}

// readOf is read of a body of at most bytesMax.
func (h *HTTP) readOf(w http.ResponseWriter, r *http.Request, bytesMax int, fields ...field) error {
	body, err := Body(w, r, bytesMax)
	if err != nil {
		return err
	}
	return decodeObject(body, fields...)
}

// The most bytes of a schedule's text and of its other fields.
const (
	ScheduleTextMax  = 16 << 10
	scheduleFieldMax = 200
	everySecondsMax  = uint64(1 << 32)
)

// getSchedules returns the schedules (COM-52).
func (h *HTTP) getSchedules(w http.ResponseWriter, r *http.Request) error {
	list, err := h.front.Schedules(r.Context())
	return h.answer(w, "read the schedules", SchedulesBody{list}, err)
}

// postSchedule adds a schedule (COM-52, HND-62). The fields are named after the arguments of
// the tool cron, so that error messages fit both.
func (h *HTTP) postSchedule(w http.ResponseWriter, r *http.Request) error {
	in, every := fsm.ScheduleChanged{Change: fsm.ScheduleAdd}, uint64(0)
	err := h.read(w, r, text("message", &in.Text), whole("every_seconds", &every), text("cron_expr", &in.Cron), text("at", &in.Once),
		text("zone", &in.Zone), text("session", &in.Session), text("channel", &in.Origin.Channel), text("chat", &in.Origin.Chat), text("by", &in.By))
	if err != nil {
		return err
	}
	if every > everySecondsMax {
		return badRequest(fmt.Sprintf(`field "every_seconds" is more than %d`, everySecondsMax), "send fewer seconds")
	}
	in.Origin, in.Every = originAt(in.Origin, ChannelHTTP), fsm.Millis(every)*fsm.Second
	err = cmp.Or(checkName("session", in.Session, 0, SessionBytesMax), checkName("chat", in.Origin.Chat, 0, ChatBytesMax), checkName("by", in.By, 0, ByBytesMax),
		checkName("cron_expr", in.Cron, 0, scheduleFieldMax), checkName("at", in.Once, 0, scheduleFieldMax), checkName("zone", in.Zone, 0, scheduleFieldMax))
	if in.Origin.Channel != "" {
		err = cmp.Or(err, checkChannel(in.Origin.Channel))
	}
	if in.Text == "" {
		err = cmp.Or(err, error(badRequest(`field "message" is missing or empty`, "say what shelly should do each time")))
	}
	if len(in.Text) > ScheduleTextMax {
		err = cmp.Or(err, error(tooLarge("the message", ScheduleTextMax)))
	}
	if err != nil {
		return err
	}
	return h.scheduled(w, r, in)
}

// postScheduleChange makes any other change to a schedule.
func (h *HTTP) postScheduleChange(change fsm.ScheduleChange) handling {
	return func(w http.ResponseWriter, r *http.Request) error {
		in := fsm.ScheduleChanged{Change: change, Schedule: r.PathValue("id")}
		err := h.read(w, r, text("by", &in.By))
		if err = cmp.Or(err, checkName("by", in.By, 0, ByBytesMax)); err != nil {
			return err
		}
		if checkName("id", in.Schedule, 1, KeyBytesMax) != nil {
			return noSchedule(in.Schedule)
		}
		return h.scheduled(w, r, in)
	}
}

// scheduled passes a change of a schedule on to the daemon.
func (h *HTTP) scheduled(w http.ResponseWriter, r *http.Request, in fsm.ScheduleChanged) error {
	in.By = CallerOf(r.Context()).by(in.By)
	id, taken, err := h.front.Schedule(r.Context(), in)
	if unfit, ok := errors.AsType[*engine.UnfitError](err); ok {
		switch all, wrong := h.front.Schedules(r.Context()); {
		case in.Change == fsm.ScheduleAdd:
			err = badRequest(unfit.Why, "send a message, and exactly one of every_seconds, cron_expr and at")
		case wrong == nil && !slices.ContainsFunc(all, func(s Schedule) bool { return s.ID == in.Schedule }):
			err = noSchedule(in.Schedule)
		}
	}
	return h.answer(w, "change a schedule", Scheduled{id, taken}, err)
}

func noSchedule(id string) *Problem {
	return &Problem{CodeNotFound, "there is no schedule " + wording.Quote(id), "GET /v1/schedules names those that there are"}
}

// AuditBody is the answer to GET /v1/audit, oldest first.
type AuditBody struct {
	Audit []engine.Audit `json:"audit"`
}

// getAudit returns the records of tool calls that have ended (COM-14, TOL-9).
func (h *HTTP) getAudit(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	session := q.Get("session")
	after, limit, err := page(q)
	if err := cmp.Or(err, checkName("session", session, 0, KeptSessionBytesMax)); err != nil {
		return err
	}
	found, err := h.front.Audit(r.Context(), session, after, limit)
	if err == nil {
		found, err = fitting(found)
	}
	return h.answer(w, "read the audit", AuditBody{found}, err)
}

// readDefault is the number of items returned without ?limit=.
const readDefault = 100

// page reads ?after= and ?limit=.
func page(q url.Values) (after uint64, limit int, err error) {
	after, err = Number(q.Get("after"), "after", 0)
	if err != nil {
		return 0, 0, err
	}
	limit, err = Limit(q, "limit", readDefault, engine.ReadMax)
	return after, limit, err
}

// Limit reads how many a caller wants. None is refused: an empty answer means the end of a list.
func Limit(q url.Values, name string, otherwise, max uint64) (int, error) {
	limit, err := Number(q.Get(name), name, otherwise)
	if err == nil && limit == 0 {
		err = badRequest("query parameter "+name+" is 0", "ask for at least 1, or leave it out")
	}
	return int(min(limit, max)), err
}

// Number reads a query parameter that is a whole number.
func Number(s, name string, otherwise uint64) (uint64, error) {
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, badRequest("query parameter "+name+" is not a whole number", "leave it out or write one")
	}
	return n, nil
}
