package heard

import (
	"encoding/json"
	"strings"

	"shelly/fsm/textcall/mend"
)

// unwrapMax is how many times arguments may be wrapped in a string.
const unwrapMax = 3

// Arguments returns a call's arguments as the machine keeps them: the JSON object as it came
// (BRN-5). Missing arguments are an empty object; a string counts as its content; small mistakes
// are mended. If the result is still not an object it is passed on: the tool rejects it, and the
// model sees why.
func Arguments(raw string) string {
	text := strings.TrimSpace(raw)
	for range unwrapMax {
		var inner string
		if !strings.HasPrefix(text, `"`) || json.Unmarshal([]byte(text), &inner) != nil {
			break
		}
		text = strings.TrimSpace(inner)
	}
	if text == "" || text == "null" {
		return "{}"
	}
	return mend.JSON(text, mend.AsWritten)
}
