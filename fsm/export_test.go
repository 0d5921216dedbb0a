package fsm

// Reword gives a word another text, as in a later build, and returns a function that undoes
// it.
func Reword(w Word, text string) (undo func()) {
	was := dictionary[w].now
	dictionary[w].now = text
	return func() { dictionary[w].now = was }
}

// Gains returns the arguments that a word has gained since its first edition.
func Gains(w Word) string { return dictionary[w].gains }
