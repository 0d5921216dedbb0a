package chat

import (
	uv "github.com/charmbracelet/ultraviolet"

	"shelly/cmd/shelly/chat/talk"
)

// typed translates a terminal's event into a message to the conversation, or nil.
func typed(e uv.Event) talk.Msg {
	switch e := e.(type) {
	case uv.KeyPressEvent:
		k := uv.Key(e)
		key := talk.Key{Name: k.Keystroke()}
		if k.Mod&^(uv.ModShift|uv.ModCapsLock|uv.ModNumLock) == 0 {
			key.Text = k.Text
		}
		return key
	case uv.PasteEvent:
		return talk.Paste{Text: e.Content}
	default:
		return nil
	}
}
