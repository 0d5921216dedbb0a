package fsm

import "cmp"

// RequestKey identifies a request to its sender. Ids of two principals or two channels
// never collide.
type RequestKey struct {
	Principal string `json:"principal,omitempty"`
	Channel   string `json:"channel,omitempty"`
	ID        string `json:"id,omitempty"`
}

// Origin is where a conversation takes place: a channel, and a chat in it.
type Origin struct {
	Channel string `json:"channel,omitempty"`
	Chat    string `json:"chat,omitempty"`
}

// Key returns the session of an origin.
func (o Origin) Key() string { return o.Channel + ":" + o.Chat }

// Requested is a user's request that has been accepted. An empty Session means the
// origin's, channel:chat; without an origin it is cli:direct (SES-1).
type Requested struct {
	Request RequestKey `json:"request"`
	Session string     `json:"session,omitempty"`
	Origin  Origin     `json:"origin,omitzero"`
	Text    string     `json:"text"`
	Images  [][]byte   `json:"images,omitempty"`  // as the sender encoded them
	Context []Message  `json:"context,omitempty"` // the caller's own history, in place of the session's
}

// Belongs returns the session and the origin of a request, given what it names of them:
// without an origin it comes from cli:direct, without a session it has its origin's
// (SES-1).
func Belongs(session string, from Origin) (string, Origin) {
	if from == (Origin{}) {
		from = Origin{Channel: "cli", Chat: "direct"}
	}
	return cmp.Or(session, from.Key()), from
}

// CancelRequested asks to cancel an unfinished request, or other work by the number of its
// handle.
type CancelRequested struct {
	Request RequestKey `json:"request"`
	Handle  HandleID   `json:"handle,omitempty"` // 0: Request names it
}

// Typing says that a person has begun to write in a session (HND-72). Nothing depends on it: one
// that is lost costs time.
type Typing struct {
	Session  string `json:"session"`
	Unloaded bool   `json:"unloaded,omitempty"` // the model is not loaded, so its server holds no prompt
}

// Reply is the one terminal answer to a request.
type Reply struct {
	Handle  HandleID   `json:"handle"`
	Request RequestKey `json:"request"`
	Text    string     `json:"text"`
	IsError bool       `json:"is_error,omitempty"`
	Outcome Outcome    `json:"outcome"`
}

func (e Reply) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Request(e.Request)
	x.Str(e.Text)
	x.Bool(e.IsError)
	x.Str(string(e.Outcome))
}

// Outcome says in one word how a handle ended.
type Outcome string

// The outcomes. All but answered, exhausted and cut are errors; the last two have a text if
// the profile says so.
const (
	OutcomeAnswered  Outcome = "answered"
	OutcomeExhausted Outcome = "exhausted" // a cap on rounds, iterations, calls or repetition was reached
	OutcomeCut       Outcome = "cut"       // the answer was cut at its token limit
	OutcomeFailed    Outcome = "failed"
	OutcomeTimeout   Outcome = "timeout"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeRefused   Outcome = "refused" // it was never admitted
)

// Notify sends a client a notice.
type Notify struct {
	Handle  HandleID   `json:"handle"`
	Request RequestKey `json:"request"`
	Notice  Notice     `json:"notice"`
	Ahead   int        `json:"ahead,omitempty"` // queued: how many handles are ahead of it
}

func (e Notify) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Request(e.Request)
	x.Str(string(e.Notice))
	x.Int(e.Ahead)
}

// Notice is news for a client other than its reply.
type Notice string

// NoticeDeferred tells a client that shelly is going down and that its request
// is kept and will be answered after the next start.
const NoticeDeferred Notice = "deferred"

// NoticeQueued tells a client how many handles are ahead of its own.
const NoticeQueued Notice = "queued"

// NoticeHeld tells a client that its request waits for a person.
const NoticeHeld Notice = "held"

// SendMessage delivers a text to a chat outside any request. It is journaled with the step
// that emits it, so that a crash neither loses it nor sends it for a step that was lost.
type SendMessage struct {
	Handle   HandleID `json:"handle"`
	Key      string   `json:"key"` // names this message
	Session  string   `json:"session,omitempty"`
	Schedule string   `json:"schedule,omitempty"` // whose run it is from, if that is a turn of another session (HND-70)
	To       Origin   `json:"to"`
	Text     string   `json:"text"`
	IsError  bool     `json:"is_error,omitempty"`
}

func (e SendMessage) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Str(e.Key)
	x.Str(e.Session)
	x.Origin(e.To)
	x.Str(e.Text)
	x.Bool(e.IsError)
	if e.Schedule != "" { // which older builds do not write
		x.Str(e.Schedule)
	}
}

// Origin adds a chat.
func (x *Hasher) Origin(o Origin) {
	x.Str(o.Channel)
	x.Str(o.Chat)
}

// Request adds a request's key.
func (x *Hasher) Request(k RequestKey) {
	x.Str(k.Principal)
	x.Str(k.Channel)
	x.Str(k.ID)
}
