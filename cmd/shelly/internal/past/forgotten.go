package past

import (
	"cmp"
	"math"
	"sort"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/history"
)

// forgotten knows which runs are of a part of a session that was forgotten (SES-25): those after whose
// session's last request before them is. The journal still has their words, but they are not listed.
// Requests are read, the latest first, as far back as that takes.
type forgotten struct {
	requests engine.Reader
	next     uint64               // only requests of earlier records are still to be read; 0: none is left
	of       map[string][]request // by session, the latest first
}

// request is what a request tells about the runs after it.
type request struct {
	index     uint64
	forgotten bool
}

// readAtOnce is how many requests are in memory with their texts.
const readAtOnce = 16

func newForgotten(requests engine.Reader) *forgotten {
	return &forgotten{requests: requests, next: math.MaxUint64, of: map[string][]request{}}
}

// recordsMax is how many records a request may be before a run that it caused: a turn, and what came between.
const recordsMax = 10_000

// has reports whether a run is of a forgotten part of its session, or of that which started it. Only such as have
// words of a request are looked at.
func (f *forgotten) has(r history.Run) (bool, error) {
	if r.Kind != fsm.KindMemory && r.Kind != fsm.KindSubagent && r.Kind != fsm.KindSystem {
		return false, nil
	}
	session := cmp.Or(r.Session, r.Home)
	for {
		asked := f.of[session]
		if i := sort.Search(len(asked), func(i int) bool { return asked[i].index < r.Index }); i < len(asked) {
			return asked[i].forgotten, nil
		}
		if f.next == 0 || f.next < r.Index && r.Index-f.next > recordsMax {
			return false, nil
		}
		if err := f.read(); err != nil {
			return false, err
		}
	}
}

func (f *forgotten) read() error {
	page, err := f.requests.Requests(f.next, readAtOnce)
	if f.next = 0; err != nil {
		return err
	}
	for _, r := range page {
		session, _ := fsm.Belongs(r.Session, r.Origin)
		f.of[session], f.next = append(f.of[session], request{r.Index, r.Forgotten}), r.Index
	}
	return nil
}
