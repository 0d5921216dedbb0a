// Package comm is how requests and events reach shelly and answers leave it: a
// minimal UDP listener, and an HTTP listener that streams by SSE.
// Package comm/client is the other end.
//
// The listeners know the daemon only as a [Front]. They bind loopback addresses,
// ask for a token everywhere, and hold no state that a crash could lose: a
// request is acknowledged once it is durable, and a client that sends the same id
// again is attached to it or answered from its record. The principal of a request is
// "local" for the daemon's own token, or else the client whose token was shown
// ([Caller]). The table of routes says which right each requires ([HTTP.Routes]).
//
// # HTTP
//
// Every route except /healthz, /v1/proof and /page/ needs "Authorization: Bearer TOKEN". Bodies are
// one JSON object, of type application/json.
//
//	POST /v1/requests                {id?, session?, text, channel?, chat?, images?, context?}: 202 {id, state}, or 200 and the record if it is done
//	POST /v1/requests?stream=1       the same (or Accept: text/event-stream): an SSE stream up to the reply
//	POST /v1/requests?wait=1         the same: 200 and the record once it is done
//	GET  /v1/requests                {requests, next?}: records, the latest first; ?before= an index (such as next), &limit= at most that many, &state= and &id= filter
//	GET  /v1/requests/{id}           the record; ?channel= names the channel, "http" if absent, and ?client= whose it is, here and below
//	GET  /v1/requests/{id}/events    an SSE stream from now on up to the reply
//	GET  /v1/requests/{id}/steps     [HistoryBody]: what happened to it, step by step; ?after= a step, &limit= at most that many; ?at= one step, with the state after it
//	POST /v1/requests/{id}/cancel    no body: 200 {taken}
//	GET  /v1/requests/{id}/subagents [SubagentsBody]: its unfinished subagents
//	POST /v1/requests/{id}/subagents/{handle}/cancel  no body: 200 {taken}: ends one of them, and nothing else
//	POST /v1/requests/{id}/approve   {key, by?, grant?}: 200 {taken}; grant is once, session or always: which later calls it also covers (APR-12)
//	POST /v1/requests/{id}/deny      {key, by?, reason?}: 200 {taken}
//	POST /v1/requests/{id}/resolve   {text?}: 200 {taken}
//	POST /v1/handles/{handle}/…      approve, deny and resolve for a handle that is not a request
//	POST /v1/handles/{handle}/cancel no body: 200 {taken}: ends a handle that is not a request, such as a schedule's run
//	GET  /v1/schedules               [SchedulesBody]: with their next times
//	POST /v1/schedules               {message, every_seconds? | cron_expr? | at?, zone?, session?, channel?, chat?, by?}: 200 [Scheduled]: adds one
//	POST /v1/schedules/{id}/…        remove, pause, resume or run: {by?}: 200 [Scheduled]
//	GET  /v1/approvals               [ApprovalsBody]: the grants in force
//	POST /v1/approvals/{id}/revoke   {by?}: 200 {taken}: revokes one
//	GET  /v1/messages                {messages}: ?channel= and &chat= of a channel's chats, or of one; &after= a position, &limit= at most that many, &unread=1
//	GET  /v1/messages/events         an SSE stream of them, each with its position as id: after ?after= or Last-Event-ID, or from now on; &channel=, &chat=
//	POST /v1/messages/read           {read: [{channel, chat, position}]}: 200 [Unread]: a person has read the chats up to these positions
//	GET  /v1/audit                   {audit}: the tool calls that have ended; ?session= those of one session, &after= and &limit= as above
//	GET  /v1/journal                 records as a journal file (engine.ReadJournal), with the snapshot before; ?from= and &to= indexes
//	GET  /v1/journal/kept            {first, last, snapshots}: which records and snapshots there are
//	GET  /v1/backup                  a backup, a tar file (package backup); one at a time
//	GET  /v1/memory                  [MemoryBody]: its entries, the newest first; ?session=, &kind=, &since= and &before= (ms since 1970) filter, &skip= skips that many, &limit=
//	POST /v1/memory                  {entries: [{id, kind, session?, at, summary?, text?, vector?, model?}], replace?, dry_run?}: 200 [memory.Brought], all durable
//	GET  /v1/memory/search?text=     [memory.Result]: the best entries, each with the reason; ?k= at most that many, &mode= hybrid, keyword or vector; ?session=, … as above
//	GET  /v1/memory/entries/{id}     [EntryBody]: one whole entry, without its vector
//	POST /v1/memory/forget           {ids}: 200 {forgotten}: how many of them there were
//	GET  /v1/memory/export           all entries (memory.ReadFile); ?vectors=0: without vectors
//	POST /v1/events                  {source, event, subject?, detail?}: 202
//	GET  /v1/channels                the chat systems (package channel); POST /v1/channels/NAME is a webhook's, and needs a signature in place of a token
//	POST /v1/channels/{name}/try     {chat, text?}: 200 {id, failed?}: sends a message once
//	GET  /v1/status                  [Status]: the daemon's status
//	GET  /v1/tokens                  [TokensBody]: the clients that have a token
//	POST /v1/tokens                  {name, can}: 200 [NewToken]: adds a client; its token is shown only here
//	POST /v1/tokens/{name}/revoke    200 {taken}: revokes it
//	POST /v1/page/tickets            no body: 200 [TicketBody]: a ticket that lets a browser in, once and within a short time (package page)
//	…                               and [HTTPOptions].Routes, which look back at what happened: see cmd/shelly/internal/hindsight
//	GET  /page/…                     the page's files; need no token, which the page gets from a ticket
//	GET  /v1/proof?challenge=        {proof} that it knows the token; the challenge is 64 random hexadecimal digits ([Proof]); needs no token
//	GET  /healthz                    200 while it takes requests, else 503; needs no token
//
// A request's images are a list of texts in base64, and its context is a list of
// {role, content}: the sender's own history, in place of the session's. The id's
// channel is the request's. Taken says whether anything changed: a request that
// is done or answered cannot be cancelled, and a question is answered once. A question
// arrives as an event of the request and is in the status, with the key that the
// decision must repeat, so that a late decision cannot apply to a later call.
//
// A record's state is accepted, done or failed. While its handle is unfinished it also
// has the handle's phase and any question to a person. [States] are the words for ?state=;
// next is the ?before= of the next page.
//
// An SSE event is an [Event]: its type is the event's name, the whole is JSON in
// one data line, and a position as its id (package position). Comments keep an idle stream
// alive. A stream that ends without a reply was cut off: attach again by id, with the last
// event's id as Last-Event-ID or ?after=, and exactly the rest follows.
//
// An error is {"error": {"code", "message", "hint"}}; see [Code]:
//
//	400 bad_request             the body, the query or a field is invalid
//	401 unauthorized            no token, or a wrong one
//	403 forbidden               a foreign Host, a page of another site, or a token without the right
//	404 not_found               no such route or request
//	405 method_not_allowed
//	408 incomplete              the body ended early or came too slowly (one that is malformed: 400); send it again
//	409 conflict                the id belongs to another request
//	410 trimmed                 the records are no longer kept
//	413 too_large
//	415 unsupported_media_type  not application/json, or compressed
//	429 busy                    too much is waiting already; Retry-After says when to try again
//	429 too_many_tries          too many wrong tokens
//	500 internal                the daemon's log says more
//	500 damaged                 something in the data folder cannot be read or written
//	503 stopping                shelly is stopping; with ?wait=1 the request is kept
//	503 unknown_outcome         shelly stopped before it knew; send the same id again
//	507 no_space                the disk is too full to accept or write it
//
// # UDP
//
// One datagram holds one JSON object {id, text, session?, channel?, chat?, token} of at
// most 65,507 bytes, the most that UDP over IPv4 carries, or of the request limit if
// that is less. Channel and chat say where the conversation takes place; the channel
// of the id is "udp" whatever they say.
// Requests are accepted in the order in which their datagrams arrive. Answers go to
// the sender's address only:
//
//	{id, type: "accepted"}                     it is durable
//	{id, type: "queued", ahead}                how many go first
//	{id, type: "held"}                         it is waiting for a person
//	{id, type: "deferred"}                     it is kept; ask again after the next start
//	{id, type: "reply", content, is_error, outcome}  the reply, or as much of it as fits, with cut: true
//	{id, type: "error", content, is_error: true, code}
//
// A datagram without a valid token gets no answer at all, so nobody can
// use the listener to flood a third party or to guess tokens. UDP loses datagrams: a
// client that gets no answer sends the same id again. A reply that was cut can be read whole
// at GET /v1/requests/{id}?channel=udp.
package comm
