package textcall

import (
	"strings"

	"shelly/fsm/textcall/mend"
)

// gemmaCalls returns the form call:NAME{KEY:VALUE,…} of Gemma's later models, which put texts
// between marks of their own in place of quotes.
func gemmaCalls(quote string) form {
	return func(s string) ([]Call, bool) {
		s, ok := strings.CutPrefix(s, "call:")
		name, args, more := strings.Cut(s, "{")
		if name = strings.TrimSpace(name); !ok || !more || !isName(name) {
			return nil, false
		}
		parts := strings.Split("{"+args, quote)
		if len(parts)%2 == 0 {
			return nil, false // a text without its end
		}
		for i := 1; i < len(parts); i += 2 {
			parts[i] = quoted(parts[i])
		}
		object := mend.JSON(strings.Join(parts, ""), mend.Escape)
		return []Call{{Name: name, Args: object}}, isObject(object)
	}
}
