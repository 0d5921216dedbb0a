// Package session is shelly session, which reads and forgets what was said in sessions.
package session

// Command reads, resumes, exports and forgets sessions (CLI-145, CLI-222).
type Command struct {
	List   listCmd   `cmd:"" help:"List the sessions, the latest first."`
	Show   showCmd   `cmd:"" help:"Show what was said in a session."`
	Search searchCmd `cmd:"" help:"Search what was said, in one session or in all."`
	Resume resumeCmd `cmd:"" help:"Continue a session in a chat."`
	Export exportCmd `cmd:"" help:"Export what was said in a session as lines of JSON."`
	Forget forgetCmd `cmd:"" help:"Forget what was said in sessions."`
}
