package fsm

// Reword gives a word another text in the builds to come, and returns what undoes it.
func Reword(w Word, text string) (undo func()) {
	was := dictionary[w].now
	dictionary[w].now = text
	return func() { dictionary[w].now = was }
}

// Gains names the arguments that a word has got since its first edition.
func Gains(w Word) string { return dictionary[w].gains }
