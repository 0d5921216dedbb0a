// Package channel lets people talk with the agent through chat systems and webhooks (CHN).
//
// A [Channel] is an adapter: it knows a protocol and nothing of shelly. It brings messages to an
// [Inbound] and sends what it is given. The [Bus] has the channels of the configuration at work,
// each by itself: what one does, be it that it fails, panics or never returns, touches no other
// and not the daemon.
//
//	Channel ── Take ──▶ Bus ──▶ comm.Front   a durable request, once for each message
//	Channel ◀── Send ── Bus ◀── the record   answers, messages and questions, in order
//
// The bus keeps nothing that a crash could lose. A message's request is named by the message's
// own id, so that one which is brought again is the same request. What is to be delivered is in
// the journal: the answers of the channel's requests, and the messages to its chats. Package
// kept has up to where that is delivered; it is written after the other side has taken it, so
// that a crash between the two delivers it again, under the same id.
//
// Packages cut and gate are pure: where a long answer is cut, and who may talk how often.
// Package webhook and package xmpp are channels.
package channel
