package fsm

import "math/bits"

// The estimate of tokens uses integers only: four ASCII bytes are one token, any other
// character is one, and a message costs four more for its frame (CTX-1). It is wrong for
// every model in its own way, so it is corrected by the model's own counts (CTX-2).

const (
	messageTokens = 4
	ratioUnit     = 1024
)

// ImageTokens is the estimate of one image, whatever its size: the figure that Ollama uses
// to make a conversation fit (chatPrompt). Models turn an image into anything from 256 to
// some thousands.
const ImageTokens = 768

// TextTokens returns the estimate of one text (CTX-1).
func TextTokens(s string) int {
	ascii, others := 0, 0
	for len(s) >= 8 {
		word := wordOf(s)
		if len(s) >= 32 && word&highBits == 0 && (wordOf(s[8:])|wordOf(s[16:])|wordOf(s[24:]))&highBits == 0 { // most text is ASCII
			ascii += 32
			s = s[32:]
			continue
		}
		beyond := word & highBits
		within := beyond &^ (word << 1) // 10xxxxxx: continuation bytes of a character
		n := bits.OnesCount64(beyond)
		ascii += 8 - n
		others += n - bits.OnesCount64(within)
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] < 0x80:
			ascii++
		case s[i]&0xC0 != 0x80:
			others++
		}
	}
	return (ascii+3)/4 + others
}

// wordOf returns the first eight bytes of a text.
func wordOf(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// highBits has the highest bit of each byte of a word, which is 0 in ASCII.
const highBits = 0x8080808080808080

// MessageTokens returns the estimate of one message (CTX-1).
func MessageTokens(m Message) int {
	n := messageTokens + TextTokens(m.Text) + TextTokens(m.Thinking) + ImageTokens*len(m.Images)
	for _, c := range m.Calls {
		n += messageTokens + TextTokens(c.Name) + TextTokens(c.Args)
	}
	return n
}

// Estimate returns the uncorrected estimate of the whole prompt of a model call, in tokens.
func (c *Config) Estimate(e AskBrain) int {
	return c.EstimateOf(e.System, e.Conversation, e.Tools, &e.Offer)
}

// EstimateOf returns the uncorrected estimate of a whole prompt, with the tools of a set as
// an offer shows them.
func (c *Config) EstimateOf(system string, talk Conversation, tools Toolset, o *Offer) int {
	n := messageTokens + TextTokens(system) + talk.Tokens
	if o.Made() && tools != NoTools {
		for i := range o.Tools {
			n += DeclTokens(&o.Tools[i])
		}
		return n
	}
	for i := range c.Tools {
		if t := &c.Tools[i]; c.Offers(tools, t) {
			n += DeclTokens(t)
		}
	}
	return n
}

// DeclTokens returns the estimate of one tool.
func DeclTokens(t *ToolDecl) int {
	return messageTokens + TextTokens(t.Name) + TextTokens(t.Description) + TextTokens(t.Parameters)
}

// Corrected returns an estimate as the model would count it.
func (s *Session) Corrected(tokens int) int {
	if s.Ratio == 0 {
		return tokens
	}
	return tokens * s.Ratio / ratioUnit
}

// Uncorrected returns the greatest estimate that, corrected, does not exceed a count.
func (s *Session) Uncorrected(tokens int) int {
	if s.Ratio == 0 {
		return tokens
	}
	return tokens * ratioUnit / s.Ratio
}

// Share returns the greatest estimate that a text in every system prompt may have if it may
// take the given number of tokens. The correction is rounded up to whole quarters, so that
// the text, and with it all that the model's server has cached, stays the same while the
// ratio moves a little.
func (s *Session) Share(tokens int) int {
	const quarter = ratioUnit / 4
	return tokens * ratioUnit / max((s.Ratio+quarter-1)/quarter*quarter, ratioUnit)
}

// Learn corrects later estimates, given an estimate and what the model counted for it. The
// ratio stays within a factor of four: a server that counts only what its cache did not
// hold must not lower it without end.
func (s *Session) Learn(estimate, counted int) {
	if estimate > 0 {
		s.Ratio = min(max(counted*ratioUnit/estimate, ratioUnit/4), 4*ratioUnit)
	}
}

// A window is shared by what every prompt has, the conversation, and the answer (CTX-10).
// What a person or a model adds to the system prompt, MEMORY.md and loaded skills, has a
// share each, so that it cannot take the conversation's place (CTX-15).
const (
	sharePercentMax = 90
	memoryPercent   = 15
	skillsPercent   = 25
	// turnTokensMin is the least that is left to the turn itself: a question and some of
	// what its tools return.
	turnTokensMin = 512
)

// Fits reports whether prompts are kept within the window.
func (c *Config) Fits() bool { return c.Limits.AnswerPercent > 0 }

func (c *Config) share(s Share) int { return c.Limits.ContextTokens / 100 * int(s) }

// AnswerRoom returns what a prompt leaves to the answer, in tokens. It is also the longest
// answer of a call about a conversation (CTX-14).
func (c *Config) AnswerRoom() int { return max(c.share(c.Limits.AnswerPercent), 1) }

// PromptRoom returns the longest prompt, in tokens.
func (c *Config) PromptRoom() int { return c.Limits.ContextTokens - c.AnswerRoom() }

// MemoryRoom returns how much of MEMORY.md a prompt shows, in tokens.
func (c *Config) MemoryRoom() int { return c.share(memoryPercent) }

// SkillsRoom returns how much of the loaded skills a prompt shows, in tokens.
func (c *Config) SkillsRoom() int { return c.share(skillsPercent) }

// ThinkRoom returns how long the thinking of one answer may be, in tokens; 0: no limit.
func (c *Config) ThinkRoom() int { return c.share(c.Limits.ThinkPercent) }

// WindowMin returns the least window in which a turn fits, in tokens, when the system
// prompt and the tools take fixed tokens before anything is loaded (CTX-16).
func (c *Config) WindowMin(fixed int) int {
	percent := 100 - int(c.Limits.AnswerPercent)
	if c.Prompts.Shows(OfMemory) {
		percent -= memoryPercent
	}
	if c.Prompts.Shows(OfLoadedSkills) {
		percent -= skillsPercent
	}
	return ((fixed+turnTokensMin)*100/max(percent, 1) + 100) / 100 * 100 // shares are taken of whole hundreds
}
