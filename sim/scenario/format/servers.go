package format

import "strconv"

// Servers are servers with tools, by their number (SCN-58).
type Servers struct {
	Count *Count `key:"count,required" max:"100"` // how many there are; at most 100
	Tools *Count `key:"tools,required" max:"50"`  // of each; at most 50
}

// ServerName is the name of the n-th server, from 0.
func ServerName(n int) string {
	names := []string{"github", "gitlab", "jira", "slack", "notion", "drive", "postgres", "browser", "calendar", "sentry"}
	if n < len(names) {
		return names[n]
	}
	return "server" + strconv.Itoa(n+1)
}

// ServerTool is what the n-th tool of a server does, and with what.
func ServerTool(n int) (does, thing string) {
	verbs := []string{"list", "get", "create", "update", "delete", "search", "comment", "close", "assign", "export"}
	things := []string{"issue", "page", "file", "event", "report"}
	return verbs[n%len(verbs)], things[n/len(verbs)%len(things)]
}

// names are those of all their tools.
func (s *Servers) names() []string {
	if s == nil {
		return nil
	}
	var list []string
	for n := range int(s.Count.Or(0)) {
		for k := range int(s.Tools.Or(0)) {
			does, thing := ServerTool(k)
			list = append(list, ServerName(n)+"__"+does+"_"+thing)
		}
	}
	return list
}
