package service

import (
	"bytes"
	"embed"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"shelly/runtime/config"
)

//go:embed template
var templates embed.FS

// The names of the units, and of launchd's agent.
const (
	serviceName = "shelly.service"
	socketName  = "shelly.socket"
	launchLabel = "local.shelly"
)

// watchdog is how long the loop may go without an answer. A slow disk or a lack of memory can
// hold it up for many seconds.
const watchdog = 2 * time.Minute

// unit has the fields of the templates (DEP-5).
type unit struct {
	User        bool     // of a user's own manager; else the system's
	Packaged    bool     // part of a package for the whole machine (DEP-10)
	As          string   // the user that the system's service runs as
	Label       string   // for launchd
	Command     []string // begins with an absolute path
	Environment []string // NAME=VALUE
	Workspace   string
	Writes      []string // folders that it may write to
	HideHome    bool     // nothing that it needs is in /home or /root
	OwnTmp      bool     // nor in /tmp
	HTTP        string   // the address of the socket
	Unix        string   // the path of the Unix socket; "": there is none

	Watchdog, Grace, Farewell, Stop time.Duration
}

// unitOf fills the fields from a configuration (DEP-6). Files are those that the service reads
// outside its folders.
func unitOf(cfg config.Config, command []string, files ...string) unit {
	grace := time.Duration(cfg.Limits.Grace) * time.Millisecond
	u := unit{
		Label: launchLabel, Command: command, Workspace: cfg.Workspace, Writes: slices.Compact([]string{cfg.Data, cfg.Workspace}), HTTP: cfg.Comm.HTTP,
		Watchdog: watchdog, Grace: grace, Farewell: cfg.FarewellMax(),
		Stop: cfg.StopMax(),
	}
	if cfg.Comm.Unix != "off" {
		u.Unix = "%t/shelly.sock"
	}
	needs := append(slices.Concat(files, u.Writes, named(cfg)), command[0])
	u.HideHome = !slices.ContainsFunc(needs, func(path string) bool {
		return below(path, "/home") || below(path, "/root") || below(path, "/run/user")
	})
	u.OwnTmp = !slices.ContainsFunc(needs, func(path string) bool { return below(path, "/tmp") || below(path, "/var/tmp") })
	return u
}

// named returns the paths that a configuration names outside the data folder and the workspace: what is
// watched, what commands may read, and programs with their files.
func named(cfg config.Config) []string {
	paths := slices.Concat(cfg.Tools.Exec.Reads, cfg.Tools.Exec.Path, []string{cfg.Prompts.IdentityFile})
	for _, w := range cfg.Events.Files {
		paths = append(paths, string(w.Value.Path))
	}
	for _, w := range cfg.Events.Disk {
		paths = append(paths, string(w.Value.Path))
	}
	for _, p := range cfg.Tools.Custom {
		paths = slices.Concat(paths, p.Value.Command, p.Value.Probe)
	}
	for _, p := range cfg.Tools.MCP {
		paths = append(paths, p.Value.Command...)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !filepath.IsAbs(path) })
}

// below reports whether a path is folder or is inside it.
func below(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// render fills a template.
func render(name string, u unit) (string, error) {
	for _, text := range slices.Concat(u.Command, u.Environment, u.Writes, []string{u.Workspace, u.As, u.HTTP}) {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			return "", fmt.Errorf("%q has a control character, which a unit cannot have", text)
		}
	}
	t, err := template.New(name).Funcs(template.FuncMap{
		"seconds": func(d time.Duration) string { return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10) },
		"command": commandLine, "quote": quote, "path": escape, "xml": escapeXML,
	}).ParseFS(templates, "template/"+name)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = t.ExecuteTemplate(&text, name, u)
	return text.String(), err
}

// escape keeps systemd from seeing a specifier in a text.
func escape(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// quote returns a text as one word of a unit's line.
func quote(text string) string {
	text = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(escape(text))
	if text == "" || strings.ContainsAny(text, " \t'\";") {
		return `"` + text + `"`
	}
	return text
}

// commandLine returns words as ExecStart needs them: systemd expands no variables in them.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strings.ReplaceAll(quote(w), "$", "$$")
	}
	return strings.Join(quoted, " ")
}

// firstWord returns the word at the beginning of a line that commandLine has written, as it was before.
func firstWord(line string) string {
	line, _, _ = strings.Cut(line, "\n")
	var word strings.Builder
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
			continue
		case c == ' ' && !quoted:
			return word.String()
		case strings.IndexByte(`\%$`, c) >= 0: // written before the next byte, or twice
			i++
		}
		if i < len(line) {
			word.WriteByte(line[i])
		}
	}
	return word.String()
}

func escapeXML(text string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(text))
	return b.String(), err
}
