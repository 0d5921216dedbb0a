package fsm

// Boot begins an epoch: a process has started. It carries the whole effective
// configuration.
type Boot struct {
	Config Config  `json:"config"`
	Doubts []Doubt `json:"doubts,omitempty"`
}

// Doubt names a handle whose journal replays differently with today's code, so that
// it does not go on before a person has looked at it (JRN-6).
type Doubt struct {
	Handle HandleID `json:"handle"`
	Text   string   `json:"text"` // the record, the hash expected, the hash got
}

// Configured replaces the configuration of the running epoch. Running work continues under
// the new one; the profile's switches apply from the next decision on.
type Configured struct {
	Config Config `json:"config"`
}

// Signalled is SIGTERM or SIGINT.
type Signalled struct {
	Name string `json:"name"`
}

// EventRaised is a system event.
type EventRaised struct {
	Source  string `json:"source"`            // who saw it: "disk", "http", …
	Subject string `json:"subject,omitempty"` // what it is about: "/var", a unit's name, …
	Event   string `json:"event"`             // what happened: "full", "failed", …
	Detail  string `json:"detail,omitempty"`
	Do      string `json:"do,omitempty"` // what the operator wants done about it
	To      Origin `json:"to,omitzero"`  // the chat that the answer goes to, if any (HND-63)
}

// Topic is what distinguishes a signal from others.
func (s Signalled) Topic() string { return s.Name }

// Topic is what distinguishes an event from others: who saw it, what happened, and to what.
func (e EventRaised) Topic() string {
	topic := e.Event
	if e.Source != "" {
		topic = e.Source + "." + topic
	}
	if e.Subject != "" {
		topic += " " + e.Subject
	}
	return topic
}

// Event returns an event in words (HND-17), with what the operator wants done about it and
// where the answer goes (HND-63).
func (w Words) Event(in EventRaised) string {
	text := w.Happened(in)
	if in.Do != "" {
		text = w.Text(WordEventDo, "event", text, "do", in.Do)
	}
	if in.To.Channel != "" {
		text = w.Text(WordEventTo, "event", text, "nothing", NothingMarker)
	}
	return text
}

// Happened returns the part of [Words.Event] that says what has happened.
func (w Words) Happened(in EventRaised) string {
	var subject, detail string
	if in.Subject != "" {
		subject = w.Text(WordEventSubject, "subject", in.Subject)
	}
	if in.Detail != "" {
		detail = w.Text(WordEventDetail, "detail", in.Detail)
	}
	return w.Text(WordEvent, "source", in.Source, "event", in.Event, "subject", subject, "detail", detail)
}

// Report tells the operator of something that no client waits for.
type Report struct {
	Handle HandleID `json:"handle"`
	Kind   Kind     `json:"of"`
	Text   string   `json:"text"`
}

func (e Report) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Str(string(e.Kind))
	x.Str(e.Text)
}

// Exit tells the driver that the machine has stopped.
type Exit struct {
	Code ExitCode `json:"code"`
}

func (e Exit) hash(x *Hasher) { x.Str(string(e.Code)) }

// ExitCode is how the process should end.
type ExitCode string

// The epoch ended with its farewell, or was cut short by a second signal or by
// the farewell's time-out.
const (
	ExitClean   ExitCode = "clean"
	ExitTimeout ExitCode = "timeout"
	ExitForced  ExitCode = "forced"
)
