package repository

import "strings"

// blanks are what git takes for white space within a line.
const blanks = " \t\v\f\r"

// parse reads a git configuration as git does (git-config(1), "Syntax"), and tells each value that
// it sets: its section, without the subsection, and its key, both in lower case. Where git would
// refuse the file it goes on as well as it can.
func parse(text string, set func(section, key, value string)) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	section := ""
	for {
		text = strings.TrimLeft(text, blanks+"\n")
		if text == "" {
			return
		}
		switch text[0] {
		case '#', ';': // up to the end of the line, whatever it ends with
			_, text, _ = strings.Cut(text, "\n")
		case '[': // a key, or another section, may follow on the same line
			section, text = header(text[1:])
		default:
			end := strings.IndexAny(text, "=\n")
			if end < 0 {
				return
			}
			key, has := strings.ToLower(strings.TrimRight(text[:end], blanks)), text[end] == '='
			text = text[end+1:]
			if has {
				var value string
				value, text = valueOf(text)
				set(section, key, value)
			}
		}
	}
}

// header reads the rest of a section's header, and returns its name, without the subsection, and
// what follows.
func header(text string) (section, rest string) {
	end, quoted := 0, false
	for ; end < len(text) && text[end] != '\n' && (quoted || text[end] != ']'); end++ {
		switch {
		case text[end] == '"':
			quoted = !quoted
		case quoted && text[end] == '\\':
			end++
		}
	}
	end = min(end, len(text))
	section = text[:end]
	if name := strings.IndexAny(section, blanks+`"`); name >= 0 {
		section = section[:name]
	}
	return strings.ToLower(section), strings.TrimPrefix(text[end:], "]")
}

// valueOf reads a value up to the end of its line, or of a later one that continues it, without its
// quotes and its comment.
func valueOf(text string) (value, rest string) {
	var b strings.Builder
	quoted, comment := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return strings.TrimSpace(b.String()), text[i+1:]
		case comment:
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteString(escaped(text[i]))
		case !quoted && (c == '#' || c == ';'):
			comment = true
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String()), ""
}

// escaped is what a character after a backslash stands for: at the end of a line nothing, as the
// value goes on in the next.
func escaped(c byte) string {
	switch c {
	case '\n':
		return ""
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'b':
		return "\b"
	default:
		return string([]byte{c})
	}
}
