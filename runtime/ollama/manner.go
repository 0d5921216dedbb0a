package ollama

import (
	"slices"
	"strings"

	"shelly/fsm"
)

// manner is how a model is asked: as configured, as far as the model is able to.
type manner struct {
	described bool   // tools are described in the prompt (BRN-16)
	think     string // as Options.Think; empty: left out
	inTurns   bool   // the conversation has the form of BRN-46
}

// manner returns how the chat model is asked. A model that cannot think is not told to think, which
// the server would refuse; every model accepts being told not to (BRN-14).
func (c *Client) manner(f facts) manner {
	how := manner{described: c.opt.Tools == ToolsDescribed, think: c.opt.Think, inTurns: !f.has(AnyOrder)}
	if c.opt.Tools == ToolsAuto {
		how.described = !f.has(Tools)
	}
	switch how.think {
	case "", "false":
	case "true":
		if !f.has(Thinking) {
			how.think = ""
		}
	default:
		switch {
		case !f.has(Thinking):
			how.think = ""
		case !f.has(Levels):
			how.think = "true"
		}
	}
	return how
}

// mannerOf returns the manner of one call, which may forbid thinking (INF-33).
func (c *Client) mannerOf(ask fsm.AskBrain, f facts) manner {
	how := c.manner(f)
	if ask.NoThinking {
		how.think = "false"
	}
	return how
}

// imageBytesMax bounds one image. The server decodes it in memory.
const imageBytesMax = 20 << 20

// seen rejects images if the model cannot see them: a server would drop them silently, and the
// model would answer as if there were none (BRN-15). In place of those of earlier turns, about which
// nobody asks now, it gets a word.
func (c *Client) seen(ask fsm.AskBrain, f facts) (fsm.AskBrain, *Error) {
	messages := ask.Conversation.Messages
	present := len(messages) // where the turn that is to be answered begins
	for ask.Purpose == fsm.PurposeAnswer && present > 0 {
		if present--; messages[present].Begins() {
			break
		}
	}
	for i := range messages {
		err := c.unseen(messages[i].Images, f)
		switch {
		case err == nil:
			continue
		case i >= present:
			return ask, err
		}
		ask.Conversation.Messages = slices.Clone(ask.Conversation.Messages)
		m := &ask.Conversation.Messages[i]
		m.Text, m.Images = strings.TrimRight("[image]\n"+m.Text, "\n"), nil
	}
	return ask, nil
}

// unseen says why the model cannot see images, or nil.
func (c *Client) unseen(images [][]byte, f facts) *Error {
	for _, image := range images {
		switch {
		case f.told && !f.can.Vision:
			return failure(fsm.BrainError,
				"the model %q cannot see images: configure one that can (\"ollama show MODEL\" lists vision under capabilities), or ask without them", c.opt.Model)
		case len(image) > imageBytesMax:
			return failure(fsm.BrainError, "an image of %d bytes is larger than the limit of %d MiB", len(image), imageBytesMax>>20)
		}
	}
	return nil
}
