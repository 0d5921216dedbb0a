package fsm

// A window is shared: by what every prompt has, by the conversation, and by the answer
// (CTX-10). What a person or a model adds to the system prompt, MEMORY.md and loaded
// skills, has a share each, so that it cannot take the conversation's place (CTX-15).
const (
	sharePercentMax = 90
	memoryPercent   = 15
	skillsPercent   = 25
	// turnTokensMin is the least that is left to a turn of its own: a question and
	// something of what its tools return.
	turnTokensMin = 512
)

// Fits reports whether prompts are kept within the window.
func (c *Config) Fits() bool { return c.Limits.AnswerPercent > 0 }

func (c *Config) share(s Share) int { return c.Limits.ContextTokens / 100 * int(s) }

// AnswerRoom is what a prompt leaves to the answer, in tokens; also the longest answer
// of a call about a conversation (CTX-14).
func (c *Config) AnswerRoom() int { return max(c.share(c.Limits.AnswerPercent), 1) }

// PromptRoom is the longest prompt, in tokens.
func (c *Config) PromptRoom() int { return c.Limits.ContextTokens - c.AnswerRoom() }

// MemoryRoom is how much of MEMORY.md a prompt shows, in tokens.
func (c *Config) MemoryRoom() int { return c.share(memoryPercent) }

// SkillsRoom is how much of the loaded skills a prompt shows, in tokens.
func (c *Config) SkillsRoom() int { return c.share(skillsPercent) }

// ThinkRoom is how long the thinking of one answer may be, in tokens; 0: any.
func (c *Config) ThinkRoom() int { return c.share(c.Limits.ThinkPercent) }

// WindowMin is the least window in which a turn fits under a system prompt and tools of
// so many tokens, which nothing loaded has lengthened yet (CTX-16).
func (c *Config) WindowMin(fixed int) int {
	percent := 100 - int(c.Limits.AnswerPercent)
	if c.Prompts.Shows(OfMemory) {
		percent -= memoryPercent
	}
	if c.Prompts.Shows(OfLoadedSkills) {
		percent -= skillsPercent
	}
	return ((fixed+turnTokensMin)*100/max(percent, 1) + 100) / 100 * 100 // shares are of whole hundreds
}
