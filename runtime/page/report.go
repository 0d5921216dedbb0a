package page

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"
)

// Bounds of the reports that wait to be shown. If there is one too many, the oldest is dropped.
const (
	ReportLife = time.Minute
	ReportsMax = 4
)

// reports is documents that were made for the page, each to be shown once (COM-77). A frame
// cannot send a token, so the path of each report is a secret.
type reports struct {
	now func() time.Time

	mu   sync.Mutex
	list []report
}

type report struct {
	path string
	data []byte
	ends time.Time
}

func (r *reports) keep(data []byte) (path string) {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	path = Path + "report-" + hex.EncodeToString(b[:])
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop()
	if len(r.list) >= ReportsMax {
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, report{path, data, r.now().Add(ReportLife)})
	return path
}

// find returns a report, and removes it if it is taken.
func (r *reports) find(path string, take bool) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop()
	i := slices.IndexFunc(r.list, func(one report) bool { return one.path == path })
	if i < 0 {
		return nil, false
	}
	data := r.list[i].data
	if take {
		r.list = slices.Delete(r.list, i, i+1)
	}
	return data, true
}

// drop removes expired reports. The caller holds mu.
func (r *reports) drop() {
	now := r.now()
	r.list = slices.DeleteFunc(r.list, func(one report) bool { return !now.Before(one.ends) })
}
