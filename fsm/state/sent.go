package state

import "shelly/fsm"

// Sent is a prompt that the model was sent, as far as another can be seen to begin with it.
type Sent struct {
	Before   uint64 `json:"before,omitempty"`   // the hash of what stands before the conversation: system prompt and tools
	Fixed    int    `json:"fixed,omitempty"`    // the tokens of that
	Messages int    `json:"messages,omitempty"` // of the conversation
	Hash     uint64 `json:"hash,omitempty"`     // its running hash
	Tokens   int    `json:"tokens,omitempty"`   // of all of it
	Thought  bool   `json:"thought,omitempty"`  // the answer to it came after thinking

	// The same without the last message: a side call ends with one that no other prompt has.
	Prior       uint64 `json:"prior,omitempty"`
	PriorTokens int    `json:"prior_tokens,omitempty"`
}

// Begins is how many tokens of a prompt that is asked should not be read again after this
// one: as much of this as it begins with.
func (s *Sent) Begins(now *Sent, ask *fsm.AskBrain) int {
	n := s.Messages
	switch {
	case s.Before != now.Before:
		return 0
	case n <= now.Messages && ask.Conversation.HashAt(n) == s.Hash:
		return s.Tokens
	case n > 0 && n-1 <= now.Messages && ask.Conversation.HashAt(n-1) == s.Prior:
		return s.PriorTokens
	default:
		return s.Fixed
	}
}

// Answer is the answer to this prompt, where a prompt that is asked goes on with it: the slot
// holds it, too. It is read again after thinking, which templates leave out of what is past.
func (s *Sent) Answer(now *Sent, ask *fsm.AskBrain) (fsm.Message, bool) {
	n := s.Messages
	if s.Thought || s.Before != now.Before || n >= now.Messages || ask.Conversation.HashAt(n) != s.Hash {
		return fsm.Message{}, false
	}
	msg := ask.Conversation.Messages[n]
	return msg, msg.Role == fsm.RoleAssistant
}
