package openapi

import (
	"shelly/cmd/shelly/internal/hindsight"
	"shelly/fsm/engine"
	"shelly/runtime/channel"
	"shelly/runtime/channel/webhook"
	"shelly/runtime/comm"
	"shelly/runtime/event"
	"shelly/runtime/memory"
)

// operations describes the daemon's own routes.
var operations = map[string]operation{
	"POST /v1/requests": {
		summary: "Send a request. The same id is the same request for ever: it is executed once.",
		query:   []field{{"stream", boolKind, "Answer with events up to the reply."}, {"wait", boolKind, "Answer once it is done."}, {"after", textKind, "With stream: the position of the last event received."}},
		header:  []field{lastEvent, {"Idempotency-Key", textKind, "The id, if the body has none."}},
		body: []field{
			{"id", textKind, "Its name, chosen by the sender; generated if absent."}, {"session", textKind, "The conversation that it belongs to."}, {"text!", textKind, "What is asked."},
			{"channel", textKind, "Where its chat is."}, {"chat", textKind, "Chat that its messages go to."}, {"images", textsKind, "PNG, JPEG or WebP files in base64."}, {"context", messages, "What was said before, as the sender has it."},
		},
		answers: []answer{{202, "", comm.Receipt{}, "It is durable."}, {200, "", comm.Record{}, "It is done: with wait, or it was done already."}, {200, eventStream, comm.Event{}, "With stream: events, the last of them the reply, or error with a problem as data if the token is revoked."}},
	},
	"GET /v1/requests": {
		summary: "List requests, the latest first.",
		query: []field{
			{"before", numberKind, "Those before this index."}, {"after", numberKind, "And after this one; older ones are not looked at."}, limit, inState, {"id", textKind, "With this id."}, {"prefix", textKind, "With an id that begins so."},
			{"session", textKind, "Of this session."}, {"client", textKind, "Of this client; needs the right all."}, {"forgotten", boolKind, "Also those of forgotten sessions, which have no text."},
		},
		answers: ok(comm.RequestsBody{}),
	},
	"GET /v1/requests/{id}":                            {summary: "Show a request.", query: request, answers: ok(comm.Record{})},
	"GET /v1/requests/{id}/events":                     {summary: "Follow a request from where its client was.", query: append([]field{{"after", textKind, "The position of the last event received, as Last-Event-ID."}}, request...), header: []field{lastEvent}, answers: []answer{{200, eventStream, comm.Event{}, "Events, the last of them the reply, or error with a problem as data if the token is revoked."}}},
	"POST /v1/requests/{id}/cancel":                    {summary: "Cancel a request.", query: request, answers: ok(comm.Taken{})},
	"GET /v1/requests/{id}/subagents":                  {summary: "List the subagents of a request.", query: request, answers: ok(comm.SubagentsBody{})},
	"POST /v1/requests/{id}/subagents/{handle}/cancel": {summary: "Cancel a subagent of a request.", query: request, answers: ok(comm.Taken{})},
	"POST /v1/requests/{id}/approve":                   {summary: "Approve the waiting call of a request.", query: request, body: decision, answers: ok(comm.Taken{})},
	"POST /v1/requests/{id}/deny":                      {summary: "Refuse the waiting call of a request.", query: request, body: decision, answers: ok(comm.Taken{})},
	"POST /v1/requests/{id}/resolve":                   {summary: "Resolve a call with an unknown outcome.", query: request, body: resolution, answers: ok(comm.Taken{})},
	"GET /v1/requests/{id}/steps":                      {summary: "Show what happened to a request, step by step.", query: append([]field{{"after", numberKind, "Those after this one."}, limit, {"at", numberKind, "Only this one."}}, request...), answers: ok(comm.HistoryBody[comm.Step]{})},

	"POST /v1/handles/{handle}/approve": {summary: "Approve the waiting call of a handle.", body: decision, answers: ok(comm.Taken{})},
	"POST /v1/handles/{handle}/deny":    {summary: "Refuse the waiting call of a handle.", body: decision, answers: ok(comm.Taken{})},
	"POST /v1/handles/{handle}/resolve": {summary: "Resolve a call of a handle with an unknown outcome.", body: resolution, answers: ok(comm.Taken{})},
	"POST /v1/handles/{handle}/cancel":  {summary: "Cancel a handle.", answers: ok(comm.Taken{})},

	"POST /v1/typing": {summary: "Say that a person has begun to write a request, so that its prompt is read meanwhile.", body: []field{{"session", textKind, "The conversation that it will belong to."}, {"channel", textKind, "Where its chat is."}, {"chat", textKind, "Chat that its messages will go to."}}, answers: ok(comm.Taken{})},

	"GET /v1/schedules":              {summary: "List schedules.", answers: ok(comm.SchedulesBody{})},
	"POST /v1/schedules":             {summary: "Add a schedule: exactly one of every_seconds, cron_expr and at.", body: []field{{"message!", textKind, "What is to be done."}, {"every_seconds", numberKind, "Interval in seconds."}, {"cron_expr", textKind, "As in crontab."}, {"at", textKind, "Once: 20m, 17:30, tomorrow 9:00 or 2026-01-31T09:00."}, {"zone", textKind, "Time zone of these times."}, {"session", textKind, "The session that it is done in."}, {"channel", textKind, "Where its messages go."}, {"chat", textKind, "Chat in the channel."}, by}, answers: ok(comm.Scheduled{})},
	"POST /v1/schedules/{id}/remove": {summary: "Remove a schedule.", body: []field{by}, answers: ok(comm.Scheduled{})},
	"POST /v1/schedules/{id}/pause":  {summary: "Pause a schedule.", body: []field{by}, answers: ok(comm.Scheduled{})},
	"POST /v1/schedules/{id}/resume": {summary: "Resume a schedule.", body: []field{by}, answers: ok(comm.Scheduled{})},
	"POST /v1/schedules/{id}/run":    {summary: "Run a schedule now.", body: []field{by}, answers: ok(comm.Scheduled{})},

	"GET /v1/approvals":              {summary: "List grants.", answers: ok(comm.ApprovalsBody{})},
	"POST /v1/approvals/{id}/revoke": {summary: "Revoke a grant.", body: []field{by}, answers: ok(comm.Taken{})},

	"GET /v1/messages":        {summary: "List messages to chats, oldest first.", query: []field{channel0, chat, {"after", numberKind, "Those after this position."}, limit, {"unread", boolKind, "Only unread messages."}}, answers: ok(comm.MessagesBody{})},
	"GET /v1/messages/events": {summary: "Follow messages.", query: []field{channel0, chat, {"after", numberKind, "From after this position on, as Last-Event-ID."}}, header: []field{lastEvent}, answers: []answer{{200, eventStream, comm.Message{}, "An event for each message, and at the end error with a problem as data if the token is revoked."}}},
	"POST /v1/messages/read":  {summary: "Note how far chats are read.", body: []field{{"read!", marks, "How far each chat is read."}}, answers: ok(comm.Unread{})},

	"GET /v1/audit": {summary: "List tool calls that have ended, oldest first.", query: []field{{"session", textKind, "Of this session."}, {"after", numberKind, "Those after this position."}, limit}, answers: ok(comm.AuditBody{})},
	"POST /v1/events": {summary: "Report an event.", body: []field{{"source!", textKind, "What has seen it."}, {"event!", textKind, "What has happened."}, {"subject", textKind, "To what."}, {"detail", textKind, "In words."}}, answers: []answer{{202, "", struct {
		State string `json:"state"`
	}{}, "It is durable."}}},
	"GET /v1/events/sources": {summary: "List what is watched.", answers: ok(event.ListBody{})},

	"GET /v1/channels": {summary: "List channels.", answers: ok(channel.ListBody{})},
	"POST /v1/channels/{name}": {
		summary: "Send a signed message to a webhook, as standardwebhooks.com says.",
		header: []field{
			{"webhook-id!", textKind, "Identifies the message; the same if it is sent again."}, {"webhook-timestamp!", textKind, "Of this attempt, in seconds since 1970."},
			{"webhook-signature!", textKind, "v1,BASE64 of HMAC-SHA256(key, ID.TIMESTAMP.BODY); several with blanks between them."},
		},
		body:    []field{{"text!", textKind, "What is asked."}, {"chat", textKind, "The chat that it belongs to."}, {"sender", textKind, "Who asks."}},
		answers: []answer{{202, "", webhook.Accepted{}, "It is durable."}, {200, "", webhook.Accepted{}, "It was known."}},
	},
	"POST /v1/channels/{name}/try": {summary: "Send a message to a chat of a channel.", body: []field{{"chat!", textKind, "The chat."}, {"text", textKind, "The message."}}, answers: ok(channel.TriedBody{})},

	"GET /v1/journal":      {summary: "Copy the journal's records.", query: []field{{"from", numberKind, "From this record on, after the last snapshot before it."}, {"to", numberKind, "Up to this record."}}, answers: as(lines, "A record or a snapshot a line.")},
	"GET /v1/journal/kept": {summary: "Show which records are kept.", answers: ok(engine.Kept{})},
	"GET /v1/backup":       {summary: "Copy the data folder.", answers: as(tarMedia, "A backup, as shelly journal restore reads it.")},

	"GET /v1/status": {summary: "Show the daemon's status.", answers: ok(comm.Status{})},
	"GET /v1/proof":  {summary: "Prove that it is the daemon of a data folder.", query: []field{{"challenge", textKind, "Chosen by the client."}}, answers: ok(comm.ProofBody{})},
	"GET /healthz":   {summary: "Report whether requests are accepted.", answers: []answer{{200, "", health{}, "They are."}, {503, "", health{}, "They are not."}}},
	"GET /metrics":   {summary: "Metrics in the format of Prometheus.", answers: as("text/plain", "The metrics.")},

	"GET /v1/openapi.json": {summary: "This document.", answers: as("application/json", "It.")},

	"GET /v1/memory":              {summary: "List what is remembered, the newest first.", query: append([]field{{"skip", numberKind, "How many to skip."}, limit}, filter...), answers: ok(comm.MemoryBody{})},
	"POST /v1/memory":             {summary: "Import entries.", body: []field{{"entries!", entriesKind, "As the export has them."}, {"replace", boolKind, "Those with the same id are replaced."}, {"dry_run", boolKind, "Only say what would be done."}}, answers: ok(memory.Brought{})},
	"GET /v1/memory/search":       {summary: "Search what is remembered.", query: append([]field{{"text", textKind, "What is looked for."}, {"k", countKind, "Maximum number to return."}, {"mode", textKind, "hybrid, keyword or vector."}}, filter...), answers: ok(memory.Result{})},
	"GET /v1/memory/entries/{id}": {summary: "Show an entry.", answers: ok(comm.EntryBody{})},
	"POST /v1/memory/forget":      {summary: "Forget entries.", body: []field{{"ids!", textsKind, "Of the entries."}}, answers: ok(comm.ForgetBody{})},
	"GET /v1/memory/export":       {summary: "Copy what is remembered.", query: []field{{"vectors", boolKind, "With their vectors."}}, answers: as(lines, "An entry a line.")},

	"GET /v1/sessions":              {summary: "List sessions.", query: []field{{"after", textKind, "Those after this one."}}, answers: ok(comm.SessionsBody{})},
	"GET /v1/sessions/{id}":         {summary: "Read what was said in a session.", query: []field{{"after", numberKind, "From after this message on."}, limit}, answers: ok(comm.ArchiveBody{})},
	"POST /v1/sessions/{id}/forget": {summary: "Forget what was said in a session.", answers: ok(comm.ForgotBody{})},

	"GET /v1/tokens":                {summary: "List clients.", answers: ok(comm.TokensBody{})},
	"POST /v1/tokens":               {summary: "Give a client a token.", body: []field{{"name!", textKind, "Of the client."}, {"can!", textsKind, "Its rights: ask, decide, events, all."}}, answers: ok(comm.NewToken{})},
	"POST /v1/tokens/{name}/revoke": {summary: "Revoke a client's token.", answers: ok(comm.Taken{})},

	"POST /v1/page/tickets": {summary: "Open the page once.", answers: ok(comm.TicketBody{})},
	"GET /v1/ws":            {summary: "Talk over a WebSocket.", foreign: "docs/clients.md"},
	"POST /mcp":             {summary: "The Model Context Protocol.", foreign: "https://modelcontextprotocol.io/specification"},

	"GET /v1/requests/{id}/trace":   {summary: "Show a request's steps as data.", query: append([]field{{"after", numberKind, "Those after this one."}, limit}, request...), answers: ok(hindsight.TraceBody{})},
	"POST /v1/requests/{id}/fork":   {summary: "Play a request again from a step, with changes.", query: request, body: []field{{"at!", numberKind, "The step."}, {"edits", mapKind, "What its input has instead, by the keys of request fork --edit."}}, answers: ok(hindsight.ForkBody{})},
	"POST /v1/requests/{id}/report": {summary: "Make an HTML report of a request.", query: request, answers: ok(hindsight.ReportBody{})},
	"GET /v1/runs":                  {summary: "List runs: work that is not a request.", query: []field{{"before", numberKind, "Those before this handle."}, limit, {"session", textKind, "Of this session."}, inState}, answers: ok(hindsight.RunsBody{})},
	"GET /v1/runs/{run}/trace":      {summary: "Show a run's steps as data.", query: []field{{"after", numberKind, "Those after this one."}, limit}, answers: ok(hindsight.TraceBody{})},
	"POST /v1/runs/{run}/report":    {summary: "Make an HTML report of a run.", answers: ok(hindsight.ReportBody{})},
	"GET /v1/graphs":                {summary: "The tables of the machine, drawn.", answers: ok(hindsight.GraphsBody{})},
}

// health is the answer of /healthz.
type health struct {
	OK        bool   `json:"ok"`
	Lifecycle string `json:"lifecycle"`
}

var (
	decision = []field{
		{"key!", textKind, "Key of the question."}, by, {"grant", textKind, "(approve) For how long: once, session or always."},
		{"reason", textKind, "(deny) Why, or what to do instead, for the model."},
	}
	resolution = []field{{"text", textKind, "What the model reads instead of the result."}}
)

// foreign are the routes of other protocols.
var foreign = []struct{ path, document string }{
	{"/v1/chat/", "https://platform.openai.com/docs/api-reference/chat"}, {"/v1/responses", "https://platform.openai.com/docs/api-reference/responses"},
	{"/v1/models", "https://platform.openai.com/docs/api-reference/models"}, {"/v1/completions", "https://platform.openai.com/docs/api-reference/completions"},
	{"/v1/conversations", "https://platform.openai.com/docs/api-reference/conversations"},
	{"/v1/embeddings", "https://platform.openai.com/docs/api-reference/embeddings"}, {"/v1/moderations", "https://platform.openai.com/docs/api-reference/moderations"},
	{"/v1/images/", "https://platform.openai.com/docs/api-reference/images"}, {"/v1/audio/", "https://platform.openai.com/docs/api-reference/audio"}, {"/api/", "https://docs.ollama.com/api"},
}
