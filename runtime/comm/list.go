package comm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"shelly/fsm/engine"
)

// RequestsBody is the answer to GET /v1/requests, the latest first.
type RequestsBody struct {
	Requests []Record `json:"requests"`
	// Next is the Before of the next page; 0: there are no more.
	Next uint64 `json:"next,omitempty"`
}

// Wanted selects requests.
type Wanted struct {
	Before uint64 // the index of the record that accepted them is below
	After  uint64 // and above this one; older ones are not looked at
	Limit  int    // at most this many, and engine.ReadMax
	State  string // one of States; "": any
	ID     string // "": any
	Prefix string // the id begins with it
	// Session is the one that the request belongs to; "": any.
	Session string
	Client  string // whose it is; "": any client's
	// Forgotten has those of forgotten sessions listed, too, of which nothing but their names is left (SES-25).
	Forgotten bool
}

// chooses reports whether a request is wanted.
func (w Wanted) chooses(r Record) bool {
	return (w.State == "" || r.Stands() == w.State) && (w.ID == "" || r.ID == w.ID) &&
		strings.HasPrefix(r.ID, w.Prefix) && (w.Session == "" || r.InSession == w.Session) &&
		(w.Client == "" || cmp.Or(r.Client, Principal) == w.Client)
}

// Bounds of one answer.
const (
	looksMax     = 16 * engine.ReadMax // requests that are looked at
	listBytesMax = 4 << 20             // as JSON; the first of an answer may be longer
	readAtOnce   = 16                  // requests that are in memory in addition
)

// List returns the wanted requests of a journal, each with its handle's standing. It looks at
// no more than looksMax requests and returns no more than listBytesMax; Next says where to
// continue (COM-15).
func List(j engine.Reader, standings []Standing, w Wanted) (RequestsBody, error) {
	body := RequestsBody{Requests: []Record{}}
	limit, size := min(max(w.Limit, 0), engine.ReadMax), sized(0)
	for looked := 0; len(body.Requests) < limit && looked < looksMax; {
		page, err := j.Requests(w.Before, readAtOnce)
		if err != nil {
			return RequestsBody{}, err
		}
		if len(page) == 0 {
			return body, nil
		}
		for _, known := range page {
			if known.Index <= w.After {
				return body, nil
			}
			r := newRecord(known)
			if r.stand(standings); (w.Forgotten || !known.Forgotten) && w.chooses(r) {
				if fits, err := size.take(r); err != nil {
					return RequestsBody{}, err
				} else if !fits {
					body.Next = w.Before
					return body, nil
				}
				body.Requests = append(body.Requests, r)
			}
			looked++
			w.Before = known.Index
			if len(body.Requests) == limit {
				break
			}
		}
	}
	body.Next = w.Before
	return body, nil
}

// sized is the number of bytes in an answer so far.
type sized int

// take adds the size of v, and reports whether the answer may still hold it.
func (s *sized) take(v any) (fits bool, err error) {
	text, err := json.Marshal(v)
	first := *s == 0
	*s += sized(len(text))
	return first || *s <= listBytesMax, err
}

// fitting returns the longest beginning of a list that fits into an answer.
func fitting[T any](list []T) ([]T, error) {
	size := sized(0)
	for i, v := range list {
		if fits, err := size.take(v); err != nil || !fits {
			return list[:i], err
		}
	}
	return append([]T{}, list...), nil
}

// getRequests answers with the requests whose record is before an index, and the standings of
// those that are unfinished (COM-15).
func (h *HTTP) getRequests(w http.ResponseWriter, r *http.Request) error {
	wanted, err := wantedOf(r.URL.Query())
	if err != nil {
		return err
	}
	caller := CallerOf(r.Context())
	if wanted.Session = caller.session(wanted.Session); !caller.Everything() {
		wanted.Client = caller.Name
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
	for i, one := range body.Requests {
		body.Requests[i] = caller.shows(one)
	}
	return h.answer(w, "list the requests", body, err)
}

// wantedOf reads which requests are wanted.
func wantedOf(q url.Values) (Wanted, error) {
	w := Wanted{State: q.Get("state"), ID: q.Get("id"), Prefix: q.Get("prefix"), Session: q.Get("session"), Client: q.Get("client")}
	before, err := Number(q.Get("before"), "before", math.MaxUint64)
	limit, wrong := Limit(q, "limit", readDefault, engine.ReadMax)
	after, unread := Number(q.Get("after"), "after", 0)
	forgotten, neither := flag(q, "forgotten")
	w.Before, w.After, w.Limit, w.Forgotten = before, after, limit, forgotten
	if err = cmp.Or(err, unread, wrong, neither, checkName("id", w.ID, 0, IDBytesMax), checkName("prefix", w.Prefix, 0, IDBytesMax),
		checkName("session", w.Session, 0, KeptSessionBytesMax), checkName("client", w.Client, 0, ChannelBytesMax)); err != nil {
		return Wanted{}, err
	}
	if w.State != "" && !slices.Contains(States, w.State) {
		return Wanted{}, badRequest(fmt.Sprintf("query parameter state is %q", w.State), "the states are "+strings.Join(States, ", "))
	}
	return w, nil
}
