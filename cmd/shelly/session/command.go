// Package session is shelly session, which looks into what was said in sessions.
package session

// Command is what can be done with sessions (CLI-145).
type Command struct {
	List   listCmd   `cmd:"" help:"List the sessions, the latest first."`
	Show   showCmd   `cmd:"" help:"Show what was said in a session."`
	Search searchCmd `cmd:"" help:"Find what was said, in one session or in all."`
	Resume resumeCmd `cmd:"" help:"Go on in a session: opens a chat."`
	Export exportCmd `cmd:"" help:"Export what was said in a session as lines of JSON."`
}
