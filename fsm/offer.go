package fsm

import (
	"slices"
	"strings"
)

// Offer is what a session's model calls show of the tools: some whole, the others only in
// the description of tool_help (TOL-60). The zero value shows all tools whole.
type Offer struct {
	Own     uint64     `json:"own,omitempty"`     // the hash of shelly's own tools that it was made from
	Servers []string   `json:"servers,omitempty"` // whose tools it names, or counts
	Tools   []ToolDecl `json:"tools,omitempty"`   // those that are whole, and tool_help
}

// Made reports whether only some tools are whole.
func (o *Offer) Made() bool { return len(o.Tools) > 0 }

// IsZero reports whether all tools are whole.
func (o Offer) IsZero() bool { return !o.Made() }

// Whole reports whether a tool's schema is shown.
func (o *Offer) Whole(name string) bool {
	return slices.ContainsFunc(o.Tools, func(t ToolDecl) bool { return t.Name == name })
}

// hash adds the offer, if there is one: older builds hashed none.
func (o *Offer) hash(x *Hasher) {
	if !o.Made() {
		return
	}
	x.Word(o.Own)
	x.Strs(o.Servers)
	for i := range o.Tools {
		t := &o.Tools[i]
		x.Str(t.Name)
		x.Str(t.Description)
		x.Str(t.Parameters)
	}
}

// Shown returns the tools that a model call is given, in their order.
func (c *Config) Shown(e *AskBrain) []ToolDecl {
	if e.Tools != NoTools && e.Offer.Made() {
		return e.Offer.Tools
	}
	return c.Offered(e.Tools)
}

// serverMark separates the name of a server from that of its tool, if the declaration does
// not name the server.
const serverMark = "__"

// ServerOf returns the server that a tool comes from, or "" if it is one of shelly's own.
func (d *ToolDecl) ServerOf() string {
	if d.Server != "" {
		return d.Server
	}
	if server, _, ok := strings.Cut(d.Name, serverMark); ok {
		return server
	}
	return ""
}
