package comm

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
)

// Bounds of the names in a message, in bytes.
const (
	IDBytesMax      = 128
	SessionBytesMax = 128
	ChannelBytesMax = 32
	SourceBytesMax  = 64
	EventBytesMax   = 128
	SubjectBytesMax = 1024
	ChatBytesMax    = 128
	ByBytesMax      = fsm.ByBytesMax
	KeyBytesMax     = 256
)

// KeptSessionBytesMax bounds the name of a session that there may be: a chat's is longer than one that a sender may
// choose, since it has the name of its channel before it.
const KeptSessionBytesMax = ChannelBytesMax + len(":") + ChatBytesMax

// ReasonBytesMax is the most bytes of the reason of a refusal (APR-23).
const ReasonBytesMax = fsm.ReasonBytesMax

// Bounds of what a request may contain, besides its length in bytes.
const (
	ImagesMax  = 16
	ContextMax = 1000 // messages
)

// Check returns a bad_request that names the field at fault, or nil, for fronts in other
// packages.
func (r Request) Check() error { return checkRequest(r) }

// checkRequest returns a bad_request that names the field at fault, or nil.
func checkRequest(r Request) error {
	if err := cmp.Or(checkName("id", r.Key.ID, 1, IDBytesMax), checkChannel(r.Key.Channel), checkPlace(r.Session, r.Origin)); err != nil {
		return err
	}
	if strings.TrimSpace(r.Text) == "" {
		return badRequest(`field "text" is missing or empty`, "say what shelly should do")
	}
	return nil
}

// checkPlace checks the session and the chat that a request names.
func checkPlace(session string, from fsm.Origin) error {
	err := cmp.Or(checkName("session", session, 0, SessionBytesMax), checkName("chat", from.Chat, 0, ChatBytesMax))
	if from.Channel != "" {
		err = cmp.Or(err, checkChannel(from.Channel))
	}
	return err
}

// CheckImage returns an error that says what the file seems to be if it is not a PNG, JPEG or WebP,
// which are what Ollama reads. A model would take anything for a picture.
func CheckImage(file []byte) error {
	switch looks := http.DetectContentType(file); looks {
	case "image/png", "image/jpeg", "image/webp":
		return nil
	default:
		return fmt.Errorf("is not a PNG, JPEG or WebP image (it looks like %s)", looks)
	}
}

// CanBeID reports whether a request can have an id (COM-5).
func CanBeID(id string) bool { return checkName("id", id, 1, IDBytesMax) == nil }

// checkName accepts any text as a name (COM-5) except one that could forge a log line or
// control a terminal, or be read from two names: U+FFFD stands for what is not a character, such as
// JSON's "\ud800".
func checkName(field, s string, bytesMin, bytesMax int) error {
	switch {
	case len(s) < bytesMin:
		return badRequest(fmt.Sprintf("field %q is missing or empty", field), "give it a value")
	case len(s) > bytesMax:
		return badRequest(fmt.Sprintf("field %q is longer than %d bytes", field, bytesMax), "shorten it")
	case !utf8.ValidString(s):
		return badRequest(fmt.Sprintf("field %q is not valid UTF-8", field), "send UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return badRequest(fmt.Sprintf("field %q holds a control character", field), "leave it out")
	case strings.ContainsRune(s, utf8.RuneError):
		return badRequest(fmt.Sprintf("field %q holds U+FFFD, or what is read as that because it is no character, such as \\ud800 alone", field), "leave it out")
	}
	return nil
}

// CheckID accepts the id of a request.
func CheckID(id string) error { return checkName("id", id, 1, IDBytesMax) }

// CheckSession accepts the name of a session that a sender gives in a field, of at most bytesMax bytes.
func CheckSession(field, name string, bytesMax int) error { return checkName(field, name, 0, bytesMax) }

// CheckKey accepts the key of a question to a person.
func CheckKey(key string) error { return checkName("key", key, 1, KeyBytesMax) }

// checkChannel accepts the short words that name a channel.
func checkChannel(s string) error {
	word := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' }
	if s == "" || len(s) > ChannelBytesMax || strings.ContainsFunc(s, func(r rune) bool { return !word(r) }) {
		return badRequest(fmt.Sprintf("channel %q is not a name", s),
			fmt.Sprintf("use up to %d of a-z, 0-9, - and _, or leave it out", ChannelBytesMax))
	}
	return nil
}
