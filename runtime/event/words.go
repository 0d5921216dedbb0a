package event

import "shelly/fsm"

// word names a text of an event, which a model and a person read.
type word int

const (
	wordCreated word = iota
	wordWritten
	wordRemoved
	wordWent
	wordMany
	wordNamed
	wordAmong
	wordFurther
	wordLost
	wordUnsaid
	wordsEnd // the number of words
)

// words are the texts of events (EVT-6).
var words = [wordsEnd]string{
	wordCreated: "The file {path} was created.",
	wordWritten: "The file {path} was written.",
	wordRemoved: "The file {path} was removed.",
	wordWent:    "The folder {path} was removed, with all in it.",
	wordMany:    "{files} changed below {folder}: {counts}.",
	wordNamed:   " They are: {names}.",
	wordAmong:   " Among them: {names}.",
	wordFurther: " There were {n} further changes, of other files: {counts}.",
	wordLost:    " More has changed below {folder} than could be followed, so look at the folder itself.",
	wordUnsaid:  " Since the last event it has changed {n} more times, which no event has reported.",
}

// say returns a text with its arguments filled in: pairs of a name and the text for {name}.
func say(w word, args ...string) string { return fsm.FillIn(words[w], args...) }
