package wording

// Subject returns what a handle is about, for people: what it came with. A compression has come with
// nothing but the placeholder of its session's next question (CLI-211).
func Subject(input string, compacts bool) string {
	if compacts {
		return "compress the conversation"
	}
	return input
}
