// Package channel lets people talk to the agent through chat systems and webhooks (CHN).
//
// A [Channel] is an adapter: it knows a protocol and nothing about shelly. It passes messages to
// an [Inbound] and sends what it is given. The [Bus] runs the channels of the configuration
// independently: if one fails, panics or never returns, this affects neither the others nor the
// daemon.
//
//	Channel ── Take ──▶ Bus ──▶ comm.Front   a durable request, once for each message
//	Channel ◀── Send ── Bus ◀── the record   answers, messages and questions, in order
//
// The bus keeps nothing that a crash could lose. A request's id is made from its message's id,
// so a message that is passed in again is the same request. Everything to be delivered is in
// the journal: the answers to the channel's requests, and the messages to its chats. Package
// kept records how far that has been delivered; this is written after the other side has
// accepted a message, so after a crash between the two it is delivered again, under the same id.
//
// Packages cut and gate are pure: they decide where a long answer is cut, and who may talk how
// often. Packages webhook and xmpp are channels.
package channel
