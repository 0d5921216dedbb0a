package openai

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"shelly/runtime/comm"
	"shelly/runtime/front/wire"
)

// Error is an error in OpenAI's shape (FRT-4).
type Error struct {
	Status  int // 0: 400
	Message string
	Param   string
	Code    string
	Final   bool // asking again does not help; a header tells the SDKs so
}

func (e *Error) Error() string { return e.Message }

// errorBody is an error as it is written.
type errorBody struct {
	Error errorObject `json:"error"`
}

type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (e *Error) body() errorBody {
	return errorBody{errorObject{e.Message, typeOf(e.status()), orNull(e.Param), orNull(e.Code)}}
}

func (e *Error) status() int { return cmp.Or(e.Status, http.StatusBadRequest) }

func (e *Error) write(w http.ResponseWriter) {
	if e.Final {
		w.Header().Set("X-Should-Retry", "false")
	}
	_ = answer(w, e.status(), e.body())
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// typeOf returns OpenAI's name for errors with a status.
func typeOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status < http.StatusInternalServerError:
		return "invalid_request_error"
	default:
		return "server_error"
	}
}

// faulty is the error for an invalid message.
func faulty(e *wire.Error) *Error {
	code := "invalid_value"
	if e.Unknown {
		code = "unknown_parameter"
	}
	return &Error{Message: e.Message, Param: e.Param, Code: code}
}

func tooLong(bytesMax int) *Error {
	return &Error{
		Status: http.StatusRequestEntityTooLarge, Code: "request_too_large",
		Message: "the body is longer than " + strconv.Itoa(bytesMax) + " bytes; send less, or raise request_bytes_max in shelly's configuration",
	}
}

func notFound(id string) *Error {
	return &Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is no response with id " + strconv.Quote(id)}
}

// Dialect returns how the listener's problems are written for this front's paths.
func Dialect() comm.Dialect { return comm.Dialect{Front: Channel, Word: words} }

func words(path string) (word func(p *comm.Problem, status int) any, ours bool) {
	for _, prefix := range append([]string{"/v1/chat/", "/v1/responses", "/v1/models"}, absent...) {
		if strings.HasPrefix(path, prefix) {
			return worded, true
		}
	}
	return nil, false
}

func worded(p *comm.Problem, status int) any {
	e := &Error{Status: status, Message: p.Sentence(), Code: string(p.Code)}
	if status == http.StatusUnauthorized {
		e.Code = "invalid_api_key"
	}
	return e.body()
}
