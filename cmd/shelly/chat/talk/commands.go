package talk

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/fsm/wording"
)

// command is a slash command.
type command struct {
	name, args, does string
	verbs            []string // what may come after the name; nil: anything
	run              []string // the command line that it runs; nil: the chat performs it
	machine          bool     // the daemon answers it (SES-15)
	plain            []string // the arguments if no verb is given
}

// commands returns all commands, in the order of the help.
func commands() []command {
	return []command{
		{name: "/help", does: "show this"},
		{name: "/new", does: "remember this conversation and start a new one", machine: true},
		{name: "/stop", does: "stop what is running in this conversation", machine: true},
		{name: "/image", args: "FILE", does: "attach a picture to the next request"},
		{name: "/session", args: "[NAME]", does: "list sessions, or continue one", run: []string{"session"}, verbs: []string{"list", "show", "search"}, plain: []string{"list"}},
		{name: "/schedule", args: "VERB", does: "schedules: list, add, remove, pause, resume, run", run: []string{"schedule"}, verbs: []string{"list", "add", "remove", "pause", "resume", "run"}, plain: []string{"list"}},
		{name: "/messages", does: "messages from schedules and subagents", run: []string{"messages"}, verbs: []string{}},
		{name: "/status", does: "what runs, what waits and why", run: []string{"status"}, verbs: []string{}},
		{name: "/request", args: "VERB", does: "requests: list, show, cancel, approve, deny, resolve", run: []string{"request"}, verbs: []string{"list", "show", "cancel", "approve", "deny", "resolve"}, plain: []string{"list"}},
		{name: "/approval", args: "VERB", does: "approvals for later calls: list, revoke", run: []string{"approval"}, verbs: []string{"list", "revoke"}, plain: []string{"list"}},
		{name: "/memory", args: "VERB", does: "the memory: list, search, show", run: []string{"memory"}, verbs: []string{"list", "search", "show"}, plain: []string{"list"}},
		{name: "/undo", args: "[COUNT]", does: "undo the last changes of files in this conversation", run: []string{"tool", "undo"}},
		{name: "/model", does: "the models of the server", run: []string{"model", "list"}, verbs: []string{}},
		{name: "/quit", does: "leave; shelly continues what is running"},
	}
}

// command performs a line if it is a command, and reports whether it was (CLI-155).
func (m *Model) command(text string) (effects []Effect, done bool) {
	text = strings.TrimRight(text, " \n")
	name, rest, _ := strings.Cut(text, " ")
	if !strings.HasPrefix(name, "/") || strings.Contains(name[1:], "/") || strings.Contains(name, "\n") {
		return nil, false // plain text, or the path of a file
	}
	name = strings.ToLower(name)
	all := commands()
	at := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if at < 0 {
		m.unknown(name, all)
		return nil, true
	}
	c := all[at]
	if c.machine {
		return nil, false
	}
	words, err := split(rest)
	if err != "" {
		m.wrong(err)
		return nil, true
	}
	m.edit.Clear()
	m.menu = menu{}
	m.edit.Remember(text)
	return m.do(c, words, strings.TrimSpace(rest)), true
}

func (m *Model) unknown(name string, all []command) {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	meant := wording.Meant(name, names, "/help lists them.")
	if own := usual(name); own != "" {
		meant = "did you mean " + own + "?"
	}
	text := "there is no command " + wording.Word(name) + "; " + meant
	m.wrong(text + " To send it as text, begin with a space.")
}

// usual returns the command for which other chats, such as Ollama's, have this name; "" if there is none.
func usual(name string) string {
	switch name {
	case "/exit", "/bye", "/q":
		return "/quit"
	case "/clear", "/reset":
		return "/new"
	case "/?", "/h":
		return "/help"
	case "/resume", "/load", "/history":
		return "/session"
	}
	return ""
}

// do performs a command.
func (m *Model) do(c command, words []string, rest string) []Effect {
	switch c.name {
	case "/quit":
		return m.leave()
	case "/help":
		m.print(noted, m.help()...)
		return nil
	case "/image":
		if rest == "" {
			m.wrong("name the file of the picture: /image FILE")
			return nil
		}
		return []Effect{ReadImage{Path: path(rest)}}
	case "/session":
		if len(words) == 2 && words[0] == "resume" {
			words = words[1:]
		}
		if len(words) == 1 && !slices.Contains(c.verbs, words[0]) {
			m.o.Session, m.wrote = words[0], time.Time{}
			return m.writes([]Effect{Load{Session: words[0]}})
		}
	}
	m.print(asked, m.dimmed("› "+line(c.name+" "+rest))...)
	if len(words) == 0 {
		words = c.plain
	}
	switch {
	case c.name == "/undo" && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--session") }):
		words = append(words, "--session="+m.Session())
	case c.name == "/model" && len(words) > 0 && !strings.HasPrefix(words[0], "-"):
		m.wrong("the model is set by brain.model in the configuration, and for one run by shelly run --model " + wording.ShellArgument(words[0]))
		return nil
	}
	for _, w := range words {
		if w == "--follow" || w == "-f" || w == "--watch" || w == "-w" {
			m.wrong(w + " does not end; use it in another terminal")
			return nil
		}
	}
	if len(c.verbs) > 0 && (len(words) == 0 || !slices.Contains(c.verbs, words[0])) {
		m.wrong(c.name + ": give one of " + strings.Join(c.verbs, ", "))
		return nil
	}
	return []Effect{Run{Args: slices.Concat(c.run, words), Columns: m.outputColumns()}}
}

// split splits a command line into words as a shell does, with quotes and backslashes.
func split(text string) (words []string, err string) {
	var word strings.Builder
	quote, inside := rune(0), false
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\' && quote != '\'' && i+1 < len(runes):
			i++
			word.WriteRune(runes[i])
			inside = true
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inside = r, true
		case r == ' ' || r == '\n' || r == '\t':
			if inside || word.Len() > 0 {
				words = append(words, word.String())
				word.Reset()
				inside = false
			}
		default:
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, "a quote is not closed"
	}
	if inside || word.Len() > 0 {
		words = append(words, word.String())
	}
	return words, ""
}

// path returns the path in the text that a terminal inserts when a file is dropped on it:
// quoted, with backslashes before spaces, or as a URL.
func path(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "file://"); ok {
		if to, err := url.PathUnescape(rest[max(0, strings.IndexByte(rest, '/')):]); err == nil {
			return to
		}
	}
	if words, err := split(text); err == "" && len(words) == 1 {
		return words[0]
	}
	return text
}

// picture returns the path of a picture if a pasted text is one.
func picture(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 4096 || strings.Contains(text, "\n") {
		return "", false
	}
	if name, _, more := strings.Cut(text, " "); more && strings.HasPrefix(name, "/") && !strings.Contains(name[1:], "/") {
		return "", false // a command
	}
	p := path(text)
	if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~/") && !strings.HasPrefix(p, "./") {
		return "", false
	}
	return p, slices.Contains([]string{".png", ".jpg", ".jpeg", ".webp"}, strings.ToLower(filepath.Ext(p)))
}
