package state

import "shelly/fsm"

// Sent is a prompt that was sent to the model, with what is needed to see whether another
// prompt begins with it.
type Sent struct {
	Before   uint64 `json:"before,omitempty"`   // the hash of what precedes the conversation: system prompt and tools
	Fixed    int    `json:"fixed,omitempty"`    // the tokens of that
	Messages int    `json:"messages,omitempty"` // of the conversation
	Hash     uint64 `json:"hash,omitempty"`     // its running hash
	Tokens   int    `json:"tokens,omitempty"`   // of all of it
	Thought  bool   `json:"thought,omitempty"`  // the answer to it came after thinking
	Typed    bool   `json:"typed,omitempty"`    // it was read for a person who writes (HND-72)

	Session string `json:"session,omitempty"` // whose conversation it is
	Version uint64 `json:"version,omitempty"` // of the session, once its turn is saved
	Opened  bool   `json:"opened,omitempty"`  // what precedes the conversation has been read: with an earlier prompt, or as Read says
	Read    bool   `json:"read,omitempty"`    // all of it has been read, because an answer has begun (since edition 18, like Opened)
	Spared  string `json:"spared,omitempty"`  // a session in which a person wrote since, and for which nothing is to be read (HND-72)

	// The same without the last message: the last message of a side call is in no other
	// prompt.
	Prior       uint64 `json:"prior,omitempty"`
	PriorTokens int    `json:"prior_tokens,omitempty"`
}

// Begins returns how many tokens of a new prompt need not be read again after this one:
// those of the part of this one with which it begins.
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

// Upto notes that of this prompt only the first part has been read, of a whole of so many tokens.
func (s *Sent) Upto(part, whole int) {
	read := s.Tokens * min(part, whole) / whole
	s.Tokens, s.Fixed, s.PriorTokens = read, min(s.Fixed, read), min(s.PriorTokens, read)
}

// IsOf reports whether this was sent in the conversation after which a memory handle asks for
// its summary: in the last of its turns, or for the summary itself; or for an initial inference beside others.
func (s *Sent) IsOf(h *Handle) bool {
	return h.Session == s.Session && (h.Beside || h.Appended() && h.Sess.Version == s.Version)
}

// Answer returns the answer to this prompt if a new prompt goes on with it, because the
// server's slot holds it, too. If the model thought, the answer is read again: templates
// leave thinking out of past turns.
func (s *Sent) Answer(now *Sent, ask *fsm.AskBrain) (fsm.Message, bool) {
	n := s.Messages
	if s.Thought || s.Before != now.Before || n >= now.Messages || ask.Conversation.HashAt(n) != s.Hash {
		return fsm.Message{}, false
	}
	msg := ask.Conversation.Messages[n]
	return msg, msg.Role == fsm.RoleAssistant
}
