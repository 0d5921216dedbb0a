package openapi

import (
	"strings"

	"shelly/runtime/comm"
)

// operation is what a route takes and returns.
type operation struct {
	summary string
	query   []field
	header  []field // besides those that every route has
	body    []field // of a JSON object; nil: no body, or one described elsewhere
	answers []answer
	foreign string // the document that describes it
}

// field is a parameter, or a member of a body. A field whose name ends with ! is required.
type field struct{ name, kind, says string }

// members are the fields of the objects in a list.
var members = map[string][]field{
	messages: {{"role!", textKind, "system, user or assistant."}, {"content!", textKind, "What was said."}},
	marks:    {{"channel", textKind, "The chat's channel."}, {"chat", textKind, "The chat."}, {"position!", numberKind, "Of the last message that was read."}},
}

// answer is an answer that is not a problem.
type answer struct {
	status int
	media  string // empty: JSON
	of     any    // a value of the type that is encoded; nil: described elsewhere
	says   string
}

const (
	textKind    = "string"
	numberKind  = "integer"
	countKind   = "count" // a number that is at least 1
	textsKind   = "strings"
	mapKind     = "map"      // texts by name
	messages    = "messages" // of a conversation
	marks       = "marks"    // how far chats are read
	entriesKind = "entries"  // of the memory
	boolKind    = "boolean"
)

const (
	eventStream = "text/event-stream"
	lines       = "application/x-ndjson"
	tarMedia    = "application/x-tar"
)

func ok(of any) []answer { return []answer{{200, "", of, "The answer."}} }

func as(media, says string) []answer { return []answer{{200, media, nil, says}} }

// Parameters that several routes have.
var (
	channelOf = field{"channel", textKind, "Channel of the request; default http."}
	clientOf  = field{"client", textKind, "Client whose request it is; needs the right all."}
	by        = field{"by", textKind, "Who decides; recorded in the journal."}
	limit     = field{"limit", countKind, "Maximum number to return."}
	channel0  = field{"channel", textKind, "Of this channel."}
	chat      = field{"chat", textKind, "Of this chat of it."}
	filter    = []field{{"session", textKind, "Of this session."}, {"kind", textKind, "Of this kind."}, {"since", numberKind, "From this time on, in milliseconds since 1970."}, {"before", numberKind, "Before this time, in milliseconds since 1970."}}
	request   = []field{channelOf, clientOf}
	inState   = field{"state", textKind, "In this state: " + strings.Join(comm.States, ", ") + "."}
	lastEvent = field{"Last-Event-ID", textKind, "The id of the last event received; it is preferred to after."}
)
