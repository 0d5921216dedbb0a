package acp

import "shelly/runtime/front/acp"

// greeting answers initialize.
type greeting struct {
	Version      int            `json:"protocolVersion"`
	Capabilities capabilities   `json:"agentCapabilities"`
	Info         implementation `json:"agentInfo"`
	Auth         []struct{}     `json:"authMethods"`
}

type capabilities struct {
	Load    bool                `json:"loadSession"`
	Prompt  promptCapabilities  `json:"promptCapabilities"`
	MCP     mcpCapabilities     `json:"mcpCapabilities"`
	Session map[string]struct{} `json:"sessionCapabilities"`
}

type promptCapabilities struct {
	Image    bool `json:"image"`
	Audio    bool `json:"audio"`
	Embedded bool `json:"embeddedContext"`
}

type mcpCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// notice is a session/update.
type notice struct {
	Session string     `json:"sessionId"`
	Update  acp.Update `json:"update"`
}

// created answers session/new.
type created struct {
	Session string `json:"sessionId"`
}

// listed answers session/list.
type listed struct {
	Sessions []sessionInfo `json:"sessions"`
	Next     string        `json:"nextCursor,omitempty"`
}

type sessionInfo struct {
	ID      string `json:"sessionId"`
	Cwd     string `json:"cwd"`
	Title   string `json:"title,omitempty"`
	Updated string `json:"updatedAt,omitempty"` // RFC 3339
}

// ended answers session/prompt.
type ended struct {
	Reason string `json:"stopReason"`
	Meta   meta   `json:"_meta"`
}

// requestMeta is the key under which a prompt and its answer name the durable request.
const requestMeta = "shelly/request"

type meta map[string]string

// asking is a session/request_permission.
type asking struct {
	Session string       `json:"sessionId"`
	Call    acp.Update   `json:"toolCall"`
	Options []acp.Option `json:"options"`
}
