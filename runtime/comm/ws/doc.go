// Package ws is the daemon over a WebSocket: many requests over one connection (COM-93).
//
//	GET /v1/ws   the token as Authorization: Bearer, or, from a browser, as subprotocols: shelly, bearer.TOKEN
//
// Each frame is a text of one JSON object. A client sends
//
//	{type: "ask", id, text, session?, channel?, chat?, after?}   asks and follows; sent again, from a position on
//	{type: "follow", id, channel?, after?}               follows from a position on
//	{type: "leave", id, channel?}                        stops following
//	{type: "cancel", id, channel?}
//	{type: "approve" | "deny", id, channel?, key, grant?, reason?}
//
// and gets
//
//	an event of a request ([comm.Event]) with its channel, and its position as "at"
//	{type: "taken", of, id, taken}                       the result of cancel, approve and deny
//	{type: "error", of?, id?, error: {code, message, hint}}
//
// When a followed request ends, following it ends too. A client that comes back sends as after
// the at of the last event that it has received of the request (COM-90).
package ws
