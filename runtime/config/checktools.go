package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/fsm/wording"
	"shelly/runtime/egress"
	"shelly/runtime/tool/parameters"
)

// The longest names: of a tool, as in the protocols, and of a server, so that there is room for the
// names of its tools.
const (
	toolNameMax   = 64
	serverNameMax = 24
)

// checkTools rejects errors in the settings of web tools, programs and servers.
func (l *loading) checkTools() {
	t := l.config.Tools
	l.checkAddresses("tools.web.allow_addresses", "tools.web.allow_addresses", t.Web.AllowAddresses)
	if t.Web.Search.Kind == "searxng" && t.Web.Search.URL == "" {
		l.problems.add(l.origins["tools.web.search.kind"], "tools.web.search.kind", "searxng needs tools.web.search.url, the address of the server")
	}
	for _, p := range t.Custom {
		key := "tools.custom." + wording.Word(p.Name)
		l.checkName("tools.custom", key, p.Name, toolNameMax)
		l.checkCommand("tools.custom", key+".command", p.Value.Command)
		if p.Value.Probe != nil {
			l.checkCommand("tools.custom", key+".probe", p.Value.Probe)
		}
		if what := p.Value.Schema.wrong(); what != "" {
			l.wrong("tools.custom", key+".schema", what)
		}
	}
	for _, s := range t.MCP {
		l.checkServer("tools.mcp."+wording.Word(s.Name), s.Name, s.Value)
	}
}

// checkExec rejects errors in where and with what commands run.
func (l *loading) checkExec() {
	x := l.config.Tools.Exec
	for _, folder := range x.Reads {
		l.checkFolder("tools.exec.reads", folder)
	}
	for _, folder := range x.Path {
		l.checkFolder("tools.exec.path", folder)
		if strings.ContainsRune(folder, filepath.ListSeparator) {
			l.wrong("tools.exec.path", "tools.exec.path", wording.Quote(folder)+" holds a colon, which no folder of a PATH can")
		}
	}
	for _, v := range x.Env {
		switch {
		case v.Name == "" || strings.ContainsAny(v.Name, "=\x00"):
			l.wrong("tools.exec.env", "tools.exec.env", wording.Quote(v.Name)+" is no name of a variable")
		case v.Name == "PATH":
			l.wrong("tools.exec.env", "tools.exec.env", "PATH is what tools.exec.path says: list the folders there")
		}
	}
}

func (l *loading) checkServer(key, name string, s Server) {
	l.checkName("tools.mcp", key, name, serverNameMax)
	switch {
	case (len(s.Command) > 0) == (s.URL != ""):
		l.wrong("tools.mcp", key, "wants either command or url")
	case s.URL == "":
		l.checkCommand("tools.mcp", key+".command", s.Command)
		if len(s.Headers)+len(s.AllowAddresses) > 0 {
			l.wrong("tools.mcp", key, "headers and allow_addresses go with url")
		}
	default:
		if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			l.wrong("tools.mcp", key+".url", "wants an address such as https://host/mcp, without a name or password")
		}
		if len(s.Env) > 0 || s.Network {
			l.wrong("tools.mcp", key, "env and network go with command")
		}
		for _, h := range s.Headers {
			if strings.ContainsFunc(h.Name, notInHeader) {
				l.wrong("tools.mcp", key+".headers", fmt.Sprintf("%s is no name of a header", wording.Quote(h.Name)))
			}
		}
		l.checkAddresses("tools.mcp", key+".allow_addresses", s.AllowAddresses)
	}
}

// notInHeader reports whether the name of a header cannot have a character (RFC 9110, section 5.6.2).
func notInHeader(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// checkEvents rejects errors in the sources of events and in the channels.
func (l *loading) checkEvents() {
	for _, f := range slices.Concat(l.config.Events.faults(), channelFaults(l.config.Channels)) {
		l.wrong(f.field, f.key, f.text)
	}
}

// wrong adds a problem with a part of a map, at the place of the map.
func (l *loading) wrong(field, key, what string) { l.problems.add(l.origins[field], key, what) }

func (l *loading) checkAddresses(field, key string, list []string) {
	for _, text := range list {
		if _, err := egress.ParseAllowed(text); err != nil {
			l.wrong(field, key, err.Error())
		}
	}
}

func (l *loading) checkName(field, key, name string, most int) {
	if what := wrongName(name, most); what != "" {
		l.wrong(field, key, what)
	}
}

func (l *loading) checkCommand(field, key string, command []string) {
	switch {
	case len(command) == 0 || strings.TrimSpace(command[0]) == "":
		l.wrong(field, key, "names no program; write a list such as [python3, tool.py]")
	case slices.ContainsFunc(command, func(s string) bool { return strings.Contains(s, "\x00") }):
		l.wrong(field, key, "holds a NUL byte")
	}
}

// wrong says what is wrong with the schema of a program's arguments, or returns "".
func (s Schema) wrong() string {
	if s.node == nil {
		return ""
	}
	var of jsonschema.Schema
	if err := json.Unmarshal([]byte(s.JSON()), &of); err != nil {
		return "is not a JSON schema: " + wording.OneLine(err.Error())
	}
	if of.Type != "object" {
		return "must be that of an object: type: object"
	}
	if _, err := parameters.Read(s.JSON()); err != nil {
		return "is not a JSON schema: " + wording.OneLine(err.Error())
	}
	return ""
}
