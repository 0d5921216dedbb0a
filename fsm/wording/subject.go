package wording

// Subject returns what a handle is about, for people: what it came with. A compression, and what is
// read ahead, has come with nothing but the placeholder of its session's next question (CLI-211).
func Subject(input string, compacts, ahead bool) string {
	switch {
	case ahead:
		return "read the conversation ahead"
	case compacts:
		return "compress the conversation"
	}
	return input
}
