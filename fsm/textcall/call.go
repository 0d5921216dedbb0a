package textcall

// Call is a call that a text consists of or contains.
type Call struct {
	Name string // as it is written; a text may have none where markup wants one
	Args string // a JSON object
}

// form reads a text that is nothing but calls in one form.
type form func(s string) ([]Call, bool)
