package format

// Moment is one entry of the timeline (SCN-6). Exactly one thing happens at it.
type Moment struct {
	At        Duration       `key:"at"`             // when, after the first start; at once unless given
	User      *string        `key:"user"`           // a request with this text
	Session   string         `key:"session"`        // (user) the request's session
	Channel   string         `key:"channel"`        // (user) the channel it comes through
	Chat      string         `key:"chat"`           // (user) the chat in that channel
	ID        string         `key:"id"`             // (user) the sender's id of it
	Images    []string       `key:"images"`         // (user) pictures, each a text that stands for its bytes
	Context   []Said         `key:"context"`        // (user) the caller's own history, in place of the session's
	Command   string         `key:"command"`        // a request with a command as its text, such as /new
	Event     *Event         `key:"event"`          // a system event
	Again     bool           `key:"duplicate_last"` // the last request is sent again, to the letter
	Cancel    *Pick          `key:"cancel"`         // a request to end a request: true for the last one, or an id; or of other work, such as h2
	Approve   *Pick          `key:"approve"`        // a person allows a tool call: true for the last question open, a number for the n-th, or {nth, tool, by, grant}
	Deny      *Pick          `key:"deny"`           // a person refuses it, likewise, or {nth, tool, by, reason}
	Revoke    *Pick          `key:"revoke"`         // a person takes a grant back: true for the last of those that stand, or a number for the n-th
	Schedule  *Scheduling    `key:"schedule"`       // a person's word on a schedule: {add: what to do, cron | every | at}, or {remove | pause | resume | run: its id}
	Typing    *string        `key:"typing"`         // a person begins to write in this session, or if it is empty in that of a request that names none
	Grants    *[]Grant       `key:"edit_grants"`    // a person writes the file of grants, which the next start or configure reads
	Resolve   *Word          `key:"resolve"`        // a person's word on a handle that is held: a text, or {text, nth}
	Configure *Config        `key:"configure"`      // the configuration changes: settings as in config, over those that hold
	EditFile  *string        `key:"edit_memory"`    // a person writes MEMORY.md
	EditSaved *Editing       `key:"edit_session"`   // somebody else saves a session
	Shutdown  Signal         `key:"shutdown"`       // a signal: TERM, which true stands for, or INT; or {signal: …}
	Start     bool           `key:"start"`          // the process starts again after it has stopped
	Optional  bool           `key:"optional"`       // (start, cancel, approve, deny, resolve, revoke, schedule) it is no failure if the process runs, there is nothing to cancel, nobody asks, or the change is refused
	Full      Duration       `key:"no_space"`       // for so long the disk of the journal is below the reserve (JRN-14)
	Jump      Leap           `key:"clock_jump"`     // the wall clock goes forward (1h) or back (-30m); timers and the times of the timeline do not (SCN-25)
	Store     *Outage        `key:"store"`          // how storing memory goes from now on
	Recall    *Outage        `key:"recall"`         // how recalling memory goes from now on
	Embedding *Outage        `key:"embedding"`      // how embedding goes from now on
	Sessions  *SessionOutage `key:"sessions"`       // how loading and saving sessions goes from now on
	Skills    *Outage        `key:"skills"`         // how loading skills goes from now on
	Speeds    *Speeds        `key:"server"`         // how fast the file's server reads and writes from now on
}

// Pick chooses a request or a question.
type Pick struct {
	Last bool
	ID   string // of a request
	Nth  *Count `key:"nth"`  // of the questions that are open, from 1
	Tool string `key:"tool"` // only questions about this tool
	By   string `key:"by"`   // who decides; at most 128 bytes

	Grant  string `key:"grant" enum:"once,session,always"` // (approve) for which later calls, too: none, those like it in this session, or in every session (APR-12)
	Reason string `key:"reason"`                           // (deny) for the model; at most 2,000 bytes (APR-23)
}

// Scheduling is a person's word on a schedule (HND-62). Exactly one of add, remove, pause,
// resume and run is given; with add, one of every, cron and at.
type Scheduling struct {
	Add     string   `key:"add"`            // what to do
	Every   Duration `key:"every" min:"1s"` // (add) again and again after this time
	Cron    string   `key:"cron"`           // (add) times as in crontab
	Once    string   `key:"at"`             // (add) once, such as 2026-01-31T09:00
	Zone    string   `key:"zone"`           // (add) of the times
	Session string   `key:"session"`        // (add) that it belongs to
	Channel string   `key:"channel"`        // (add) that its answers go to
	Chat    string   `key:"chat"`           // (add) the chat in that channel
	Remove  string   `key:"remove"`         // the id of the schedule, such as s1
	Pause   string   `key:"pause"`          // the same; it is not armed until it is resumed
	Resume  string   `key:"resume"`         // the same
	Run     string   `key:"run"`            // the same; it runs now, beside its slots
}

// Word is a person's word on a handle that is held.
type Word struct {
	Text string `key:"text"` // the description that the model reads
	Nth  *Count `key:"nth"`  // of the questions that are open, from 1; the last unless given
}

// Editing is a save of a session by somebody else. What is left out stays.
type Editing struct {
	Name    string   `key:"session,required"` // which
	History []Said   `key:"history"`          // what the next conversation begins with, oldest first
	Pending []Said   `key:"pending"`          // messages that wait to be consolidated
	Skills  []Loaded `key:"skills"`           // the loaded skills, in the order of their loading
}

// SessionOutage says how loading or saving sessions goes, or both.
type SessionOutage struct {
	Only  string    `key:"only" enum:"load,save"` // both unless given
	Fails string    `key:"fails"`                 // it fails so; nothing is saved
	Hangs bool      `key:"hangs"`                 // no answer comes; nothing is saved
	Works bool      `key:"works"`                 // it works again
	Takes *Duration `key:"takes"`                 // how long it takes
}

// Event is a system event.
type Event struct {
	Source  string `key:"source"`        // who saw it: disk, http, …; unless given, what stands before the dot of kind
	Kind    string `key:"kind,required"` // what happened: full, failed, …; or both, as disk.full
	Subject string `key:"subject"`       // what it is about: /var, a unit's name, …
	Detail  string `key:"detail"`        // more words on it
	Do      string `key:"do"`            // what the operator wants done about it
	Channel string `key:"channel"`       // the channel that the answer goes to; to none unless given
	Chat    string `key:"chat"`          // the chat in it
}

// Outage says how a part of the world behaves. Exactly one of fails, hangs and
// works is given, or takes alone.
type Outage struct {
	Fails string    `key:"fails"` // it fails so
	Hangs bool      `key:"hangs"` // no answer comes
	Works bool      `key:"works"` // it works again
	Takes *Duration `key:"takes"` // how long it takes
}

// Asks reports whether the moment is a request.
func (m *Moment) Asks() bool { return m.User != nil || m.Command != "" }

func (o *SessionOutage) Outage() *Outage { return &Outage{o.Fails, o.Hangs, o.Works, o.Takes} }

// Happens are the things that may happen at a moment, in the order of the format.
func (m *Moment) Happens() []Choice {
	return []Choice{
		{"user", m.User != nil}, {"command", m.Command != ""}, {"event", m.Event != nil}, {"duplicate_last", m.Again},
		{"cancel", m.Cancel != nil}, {"approve", m.Approve != nil}, {"deny", m.Deny != nil}, {"resolve", m.Resolve != nil},
		{"revoke", m.Revoke != nil}, {"schedule", m.Schedule != nil}, {"typing", m.Typing != nil}, {"edit_grants", m.Grants != nil},
		{"configure", m.Configure != nil}, {"edit_memory", m.EditFile != nil}, {"edit_session", m.EditSaved != nil},
		{"shutdown", m.Shutdown != ""}, {"start", m.Start}, {"no_space", m.Full != 0}, {"clock_jump", m.Jump != 0},
		{"store", m.Store != nil}, {"recall", m.Recall != nil}, {"embedding", m.Embedding != nil},
		{"sessions", m.Sessions != nil}, {"skills", m.Skills != nil}, {"server", m.Speeds != nil},
	}
}

type Choice struct {
	Key   string
	Given bool
}
