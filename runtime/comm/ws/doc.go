// Package ws is the daemon over a WebSocket: many requests over one connection (COM-93).
//
//	GET /v1/ws   the token as Authorization: Bearer, or, from a browser, as subprotocols: shelly, bearer.TOKEN
//
// Each frame is a text of one JSON object. A client sends
//
//	{type: "ask", id, text, session?, channel?, chat?, after?}   asks and follows, from a position on where it is sent again
//	{type: "follow", id, channel?, after?}               follows from a position on
//	{type: "leave", id, channel?}                        follows no more
//	{type: "cancel", id, channel?}
//	{type: "approve" | "deny", id, channel?, key, grant?}
//
// and gets
//
//	an event of a request ([comm.Event]) with its channel, and its position as "at"
//	{type: "taken", of, id, taken}                       what became of cancel, approve and deny
//	{type: "error", of?, id?, error: {code, message, hint}}
//
// A request that was followed and ends is followed no more. What a client that comes back
// shows as after is the at of the last event that it has heard of the request (COM-90).
package ws
