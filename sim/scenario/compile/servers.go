package compile

import (
	"fmt"
	"strconv"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/format"
)

// servers are the tools of servers that a case declares by their number (SCN-58), each with
// a description and a schema of the length that published servers have.
func servers(s *format.Servers) []sim.Stub {
	if s == nil {
		return nil
	}
	var stubs []sim.Stub
	for n := range int(s.Count.Or(0)) {
		for k := range int(s.Tools.Or(0)) {
			decl := serverTool(format.ServerName(n), k)
			stubs = append(stubs, sim.Stub{Decl: decl, Acts: []sim.Act{{Returns: "done: " + decl.Name, Times: 100}}})
		}
	}
	return stubs
}

func serverTool(server string, n int) fsm.ToolDecl {
	does, thing := format.ServerTool(n)
	return fsm.ToolDecl{
		Name: server + "__" + does + "_" + thing, Server: server, Effects: fsm.EffectsUnsafe,
		Description: fmt.Sprintf("%s a %s of %s. The result has the %s with its id, title, state, author and times. It fails where the %s is not there, or where the user may not see it.",
			does, thing, server, thing, thing),
		Parameters: fmt.Sprintf(`{"type":"object","properties":{"project":{"type":"string","description":"the project that the %s is in"},`+
			`"id":{"type":"string","description":"the id of the %s"},"text":{"type":"string","description":"what it says"},`+
			`"limit":{"type":"integer","minimum":1,"maximum":%s}},"required":["project"]}`, thing, thing, strconv.Itoa(100)),
	}
}
