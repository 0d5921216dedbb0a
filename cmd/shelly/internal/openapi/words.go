package openapi

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/fsm"
	"shelly/runtime/comm"
)

// worded returns the schema of a text that is one of some words. They are described and not an
// enum: a client that was generated from the document must not fail at a later shelly's word.
func worded[T ~string](says string, words ...T) *jsonschema.Schema {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return &jsonschema.Schema{Type: "string", Description: says + ": " + strings.Join(all, ", ") + ". A later shelly may have others."}
}

// words are the schemas of the types whose values are words that a client branches on.
var words = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[comm.EventType](): worded("What has happened",
		comm.EventAccepted, comm.EventState, comm.EventQueued, comm.EventWaiting, comm.EventChunk, comm.EventTool, comm.EventOutput,
		comm.EventToolResult, comm.EventQuestion, comm.EventHeld, comm.EventSubagent, comm.EventDeferred, comm.EventReply),
	reflect.TypeFor[comm.Code](): worded("What kind of error it is",
		comm.CodeBadRequest, comm.CodeUnauthorized, comm.CodeForbidden, comm.CodeNotFound, comm.CodeMethodNotAllowed, comm.CodeConflict, comm.CodeIncomplete,
		comm.CodeTooLarge, comm.CodeMediaType, comm.CodeBusy, comm.CodeTooManyTries, comm.CodeInternal, comm.CodeStopping, comm.CodeNoSpace,
		comm.CodeUnknownOutcome, comm.CodeTrimmed, comm.CodeDamaged),
	reflect.TypeFor[fsm.Outcome](): worded("How it has ended",
		fsm.OutcomeAnswered, fsm.OutcomeExhausted, fsm.OutcomeCut, fsm.OutcomeFailed, fsm.OutcomeTimeout, fsm.OutcomeCancelled, fsm.OutcomeRefused),
	reflect.TypeFor[comm.Verdict](): worded("How the question has ended", comm.Approved, comm.Refused, comm.TimedOut, comm.Resolved, comm.Unresolved),
	reflect.TypeFor[fsm.Question](): worded("What a person is asked", fsm.QuestionApprove, fsm.QuestionUnknown, fsm.QuestionCrashes, fsm.QuestionDoubt),
}
