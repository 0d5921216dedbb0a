package comm

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"shelly/fsm/engine"
)

// RequestsBody is the answer to a question for requests, the latest first.
type RequestsBody struct {
	Requests []Record `json:"requests"`
	// Next goes on from here, as Before of the next question; 0: that was all.
	Next uint64 `json:"next,omitempty"`
}

// Wanted chooses requests.
type Wanted struct {
	Before uint64 // the index of the record that accepted them is below
	Limit  int    // at most this many, and engine.ReadMax
	State  string // one of States; "": any
	ID     string // "": any
	Prefix string // the id begins with it
	// Session is that of the request; "": any.
	Session string
}

// chooses reports whether a request is among the wanted.
func (w Wanted) chooses(r Record) bool {
	return (w.State == "" || r.Stands() == w.State) && (w.ID == "" || r.ID == w.ID) &&
		strings.HasPrefix(r.ID, w.Prefix) && (w.Session == "" || r.Session == w.Session)
}

// looksMax is how many requests one answer looks at.
const looksMax = 16 * engine.ReadMax

// List returns wanted requests of a journal, each with where its handle stands. It
// looks at looksMax of them and says where to go on.
func List(j engine.Reader, standings []Standing, w Wanted) (RequestsBody, error) {
	body := RequestsBody{Requests: []Record{}}
	limit := min(max(w.Limit, 0), engine.ReadMax)
	for looked := 0; len(body.Requests) < limit; {
		page, err := j.Requests(w.Before, min(engine.ReadMax, looksMax-looked))
		if err != nil {
			return RequestsBody{}, err
		}
		if len(page) == 0 {
			return body, nil
		}
		for _, known := range page {
			looked++
			w.Before = known.Index
			r := newRecord(known)
			if r.stand(standings); w.chooses(r) {
				body.Requests = append(body.Requests, r)
			}
			if len(body.Requests) == limit {
				break
			}
		}
		if looked == looksMax {
			break
		}
	}
	body.Next = w.Before
	return body, nil
}

// getRequests returns the requests whose record stands before an index, and of the
// unfinished ones where they stand (COM-15).
func (h *HTTP) getRequests(w http.ResponseWriter, r *http.Request) error {
	if err := h.query(r, "before", "limit", "state", "id", "prefix", "session"); err != nil {
		return err
	}
	wanted, err := wantedOf(r.URL.Query())
	if err != nil {
		return err
	}
	standings, err := h.front.Standings(r.Context())
	if err != nil {
		return err
	}
	recorded, err := h.front.Recorded(r.Context())
	if err != nil {
		return err
	}
	body, err := List(recorded, standings, wanted)
	if err != nil {
		h.note("list the requests", err)
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// wantedOf reads which requests are wanted.
func wantedOf(q url.Values) (Wanted, error) {
	w := Wanted{State: q.Get("state"), ID: q.Get("id"), Prefix: q.Get("prefix"), Session: q.Get("session")}
	before, err := number(q.Get("before"), "before", math.MaxUint64)
	limit, wrong := number(q.Get("limit"), "limit", readDefault)
	w.Before, w.Limit = before, int(min(limit, engine.ReadMax))
	if err = cmp.Or(err, wrong, checkName("id", w.ID, 0, IDBytesMax), checkName("prefix", w.Prefix, 0, IDBytesMax),
		checkName("session", w.Session, 0, SessionBytesMax)); err != nil {
		return Wanted{}, err
	}
	if w.State != "" && !slices.Contains(States, w.State) {
		return Wanted{}, badRequest(fmt.Sprintf("query parameter state is %q", w.State), "the states are "+strings.Join(States, ", "))
	}
	return w, nil
}
