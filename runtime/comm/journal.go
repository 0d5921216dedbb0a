package comm

import (
	"bufio"
	"cmp"
	"errors"
	"math"
	"net/http"
	"syscall"
	"time"

	"shelly/fsm/engine"
)

// The media types of a journal file and of a backup.
const (
	journalStream = "application/x-ndjson"
	backupStream  = "application/x-tar"
)

// pieceBytes is how much of a long answer is sent at once.
const pieceBytes = 64 << 10

// getJournal sends records as a journal file (COM-16).
func (h *HTTP) getJournal(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	from, err := Number(q.Get("from"), "from", 0)
	to, wrong := Number(q.Get("to"), "to", math.MaxUint64)
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	release, err := h.stream(r.Context())
	if err != nil {
		return err
	}
	defer release()
	recorded, err := h.front.Recorded(r.Context())
	if err != nil {
		return err
	}
	return h.send(w, r, journalStream, func(out *bufio.Writer) error {
		return engine.WriteJournal(out, recorded, from, to)
	})
}

// getKept answers with which records and snapshots there are (COM-16).
func (h *HTTP) getKept(w http.ResponseWriter, r *http.Request) error {
	recorded, err := h.front.Recorded(r.Context())
	if err != nil {
		return err
	}
	kept, err := recorded.Kept()
	if kept.Snapshots == nil {
		kept.Snapshots = []uint64{} // an empty list, not null
	}
	return h.answer(w, "read the journal", kept, err)
}

// getBackup sends a backup (COM-16). A backup that was cut off lacks the checksums at its end.
func (h *HTTP) getBackup(w http.ResponseWriter, r *http.Request) error {
	select {
	case h.backup <- struct{}{}:
		defer func() { <-h.backup }()
	default:
		h.o.Counters.refused.Add(1)
		return &Problem{CodeBusy, "a backup is being sent already", "try again when it has ended"}
	}
	return h.send(w, r, backupStream, func(out *bufio.Writer) error {
		err := h.front.Backup(r.Context(), out)
		if errors.As(err, new(syscall.Errno)) { // the folder is full, or closed to the daemon
			return Unsaved(err, "nothing was written")
		}
		return err
	})
}

// send sends a long answer piece by piece. Each piece has its own deadline, so that a
// client that does not read is dropped. An error before the first piece is the answer;
// after it the connection is broken off, so that nobody takes a part for the whole.
func (h *HTTP) send(w http.ResponseWriter, r *http.Request, media string, write func(*bufio.Writer) error) error {
	p := &pieces{w: w, r: r, rc: http.NewResponseController(w), timeout: h.o.WriteTimeout, media: media}
	out := bufio.NewWriterSize(p, pieceBytes)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	switch {
	case err == nil, p.begun && r.Method == http.MethodHead:
		p.begin() // there may have been nothing to send
		return nil
	case r.Context().Err() == nil && !p.broken:
		h.note("send "+r.URL.Path, err)
	}
	if p.begun {
		panic(http.ErrAbortHandler)
	}
	return err
}

// pieces writes a long answer.
type pieces struct {
	w       http.ResponseWriter
	r       *http.Request
	rc      *http.ResponseController
	timeout time.Duration
	media   string
	begun   bool // the first piece has been sent
	broken  bool // the client no longer reads
}

// begin says before the first piece what comes.
func (p *pieces) begin() {
	if !p.begun {
		p.begun = true
		p.w.Header().Set("Content-Type", p.media)
	}
}

// Write implements [io.Writer].
func (p *pieces) Write(data []byte) (int, error) {
	if err := p.r.Context().Err(); err != nil {
		return 0, err
	}
	p.begin()
	err := p.rc.SetWriteDeadline(time.Now().Add(p.timeout))
	n := 0
	if err == nil {
		n, err = p.w.Write(data)
	}
	p.broken = err != nil
	return n, err
}
