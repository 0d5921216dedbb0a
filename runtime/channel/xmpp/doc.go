// Package xmpp is a channel to people's chat clients over XMPP (RFC 6120, 6121), with an account
// of shelly's own on any server (CHN-30 to CHN-33). The protocol's streams, TLS and SASL are those
// of mellium.im/xmpp.
//
// Both ways are counted by stream management (XEP-0198), without which the channel does not work:
//
//	in:  a message is acknowledged once its request is durable. What is not acknowledged when the
//	     connection ends, the server keeps and delivers again; the request is then the same.
//	out: a message is sent when the server has acknowledged it. From there on the server keeps it
//	     for a person who is away. What is not acknowledged is sent again, under its id (XEP-0359).
//
// A chat is a person's address without the resource. Rooms are not joined.
package xmpp
