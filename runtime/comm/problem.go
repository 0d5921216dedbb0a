package comm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"shelly/fsm/engine"
)

// Code names a kind of error on the wire.
type Code string

// The codes; doc.go lists them with their HTTP status.
const (
	CodeBadRequest       Code = "bad_request"
	CodeUnauthorized     Code = "unauthorized"
	CodeForbidden        Code = "forbidden"
	CodeNotFound         Code = "not_found"
	CodeMethodNotAllowed Code = "method_not_allowed"
	CodeConflict         Code = "conflict"
	CodeIncomplete       Code = "incomplete"
	CodeTooLarge         Code = "too_large"
	CodeMediaType        Code = "unsupported_media_type"
	CodeBusy             Code = "busy"
	CodeTooManyTries     Code = "too_many_tries"
	CodeInternal         Code = "internal"
	CodeStopping         Code = "stopping"
	CodeNoSpace          Code = "no_space"
	CodeUnknownOutcome   Code = "unknown_outcome"
	CodeTrimmed          Code = "trimmed"
	CodeDamaged          Code = "damaged"
)

// Problem is an error as a client sees it.
type Problem struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`        // what is wrong, and where
	Hint    string `json:"hint,omitempty"` // what to do about it
}

// ProblemBody is the body of every HTTP answer that is an error.
type ProblemBody struct {
	Error Problem `json:"error"`
}

func (p *Problem) Error() string { return p.Message }

// Sentence is what is wrong and what to do about it, for protocols that have one text for both.
func (p *Problem) Sentence() string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + "; " + p.Hint
}

// Status is the HTTP status of a code.
func (c Code) Status() int {
	switch c {
	case CodeBadRequest:
		return http.StatusBadRequest
	case CodeUnauthorized:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case CodeConflict:
		return http.StatusConflict
	case CodeIncomplete:
		return http.StatusRequestTimeout
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeMediaType:
		return http.StatusUnsupportedMediaType
	case CodeBusy, CodeTooManyTries:
		return http.StatusTooManyRequests
	case CodeStopping, CodeUnknownOutcome:
		return http.StatusServiceUnavailable
	case CodeTrimmed:
		return http.StatusGone
	case CodeNoSpace:
		return http.StatusInsufficientStorage
	default:
		return http.StatusInternalServerError
	}
}

func badRequest(message, hint string) *Problem {
	return &Problem{Code: CodeBadRequest, Message: message, Hint: hint}
}

func tooLarge(what string, bytesMax int) *Problem {
	return &Problem{
		Code:    CodeTooLarge,
		Message: what + " is longer than " + strconv.Itoa(bytesMax) + " bytes",
		Hint:    "send less, or name a file in the workspace that holds it",
	}
}

func busyListening(what string) *Problem {
	return &Problem{
		Code:    CodeBusy,
		Message: "too many " + what + " are open already",
		Hint:    "nothing has happened; try again when others have ended",
	}
}

// full reports whether an error is that of a disk, or of a user's share of one, that is full.
func full(err error) bool {
	return errors.Is(err, engine.ErrNoSpace) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Unsaved words an error of a file in the data folder, for a client that may see all of that: its
// user can mend it. Instead says what has happened.
func Unsaved(err error, instead string) *Problem {
	if full(err) {
		return &Problem{CodeNoSpace, err.Error(), instead + "; make room on the data folder's disk and try again"}
	}
	return &Problem{CodeDamaged, err.Error(), instead + "; mend that and try again"}
}

// ProblemOf is what is sent to a client for an error of a [Front] (COM-7). What a client cannot
// know or fix is only logged.
func ProblemOf(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if unfit, ok := errors.AsType[*engine.UnfitError](err); ok {
		return badRequest(unfit.Why, "GET /v1/schedules names those that there are")
	}
	switch {
	case errors.Is(err, engine.ErrBusy):
		return &Problem{CodeBusy, engine.ErrBusy.Error(), "nothing has happened; try again in a moment"}
	case errors.Is(err, engine.ErrForgotten):
		return &Problem{CodeConflict, "the request with this id is done, and was forgotten with its session", "only another request may be sent with a new id, since that is done"}
	case errors.Is(err, engine.ErrConflict):
		return &Problem{CodeConflict, engine.ErrConflict.Error() + " and another text, session or chat", "send it with a new id"}
	case errors.Is(err, engine.ErrDead), errors.Is(err, context.Canceled):
		return &Problem{CodeUnknownOutcome, "shelly has stopped before it could answer", "start it again with: shelly run; then send the same id again, which is never done twice"}
	case errors.Is(err, engine.ErrStopping):
		return &Problem{CodeStopping, engine.ErrStopping.Error(), "nothing has happened; start it again with: shelly run"}
	case errors.Is(err, engine.ErrTrimmed):
		return &Problem{CodeTrimmed, err.Error(), "what is old is dropped as retention says; ask for what is kept"}
	case errors.Is(err, engine.ErrDamaged):
		return &Problem{CodeDamaged, err.Error(), "shelly journal verify names all that is damaged, and shelly journal repair recovers the rest once shelly has stopped"}
	case full(err):
		return &Problem{CodeNoSpace, engine.ErrNoSpace.Error(), "nothing has happened; make room on the disk of shelly's data folder (shelly status says how much), or lower the setting reserve"}
	default:
		return &Problem{CodeInternal, "shelly could not do this", "its log says why"}
	}
}

// Dialect is how a front that speaks another protocol words problems and marks requests.
type Dialect struct {
	Front string // its name in [Connected]
	// Word returns how problems are written for a path of the front's; the status stays the
	// same. Ours is false for other paths.
	Word func(path string) (word func(p *Problem, status int) any, ours bool)
	// Enter rewrites a request, for example to take its token from its path; nil: requests
	// stay as they are.
	Enter func(*http.Request) *http.Request
}

// spoken is an answer whose problems are written in a dialect (FRT-4).
type spoken struct {
	http.ResponseWriter
	word func(p *Problem, status int) any
}

// Unwrap lets [http.ResponseController] reach the writer.
func (s *spoken) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// write answers with the problem.
func (p *Problem) write(w http.ResponseWriter) {
	if s, ok := w.(*spoken); ok {
		_ = JSON(s.ResponseWriter, p.Code.Status(), s.word(p, p.Code.Status()))
		return
	}
	_ = JSON(w, p.Code.Status(), ProblemBody{Error: *p})
}

// writeTimeout is how long an answer may take to be written.
const writeTimeout = 10 * time.Second

// JSON answers with v, which may have taken as long as it needed: the time to write it begins now (COM-109).
// Its error means that v cannot be encoded; nothing is written then.
func JSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // a writer without deadlines just has none
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // an error means that the client has gone
	return nil
}
