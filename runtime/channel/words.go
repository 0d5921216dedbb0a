package channel

import "shelly/fsm"

// word names a text that a chat reads.
type word int

const (
	wordTooMany word = iota
	wordTooLong
	wordBusy
	wordConflict
	wordEmpty
	wordLost
	wordApprove
	wordReason
	wordHeld
	wordPreview
	wordDecide
	wordElsewhere
	wordApproved
	wordDenied
	wordCut
	wordEnded
	wordClosed
	wordWhich
	wordWaits
	wordTry
	wordsEnd // the number of words
)

// words are the texts of the channels themselves.
var words = [wordsEnd]string{
	wordTooMany:   "Too many messages: I accept {n} a minute, and have not accepted the last ones. Send them again later.",
	wordTooLong:   "This message is too long: I accept {n} bytes. I have not accepted it.",
	wordBusy:      "Too much is waiting already. I have not accepted this message; send it again later.",
	wordConflict:  "This message has the id of another one, so I have not accepted it. Send it again.",
	wordEmpty:     "(The answer is empty.)",
	wordLost:      "(There was an answer, but it is no longer kept.)",
	wordApprove:   "May I run {tool} {args}?",
	wordReason:    " ({why})",
	wordHeld:      "This waits for a person: {why}.",
	wordPreview:   "\n{preview}",
	wordDecide:    "\nAnswer: approve {code}, or: deny {code} (you may add why)",
	wordElsewhere: "\nAnswer it at the machine, with: shelly request {verb} {id}",
	wordApproved:  "It is approved.",
	wordDenied:    "It is denied.",
	wordCut:       " The reason is longer than {n} bytes; I have passed on its beginning.",
	wordEnded:     "The question about {tool} is closed: {how}",
	wordClosed:    "No question with that code is open here: it was answered or cancelled, or its time is over.",
	wordWhich:     "That does not say which question you mean.",
	wordWaits:     "I will answer this once the open question here is answered.",
	wordTry:       "This is a test of the channel.",
}

// say returns a text with its arguments filled in: pairs of a name and the text for {name}.
func say(w word, args ...string) string { return fsm.FillIn(words[w], args...) }
