// Package xmpp is a channel to people's chat clients over XMPP (RFC 6120, 6121), with shelly's own
// account on any server (CHN-30 to CHN-33). Streams, TLS and SASL come from mellium.im/xmpp.
//
// Stream management (XEP-0198), without which the channel does not work, counts both directions:
//
//	in:  a message is acknowledged once its request is durable. If the connection ends before
//	     that, the server keeps the message and delivers it again; it becomes the same request.
//	out: a message is sent once the server has acknowledged it. From then on the server keeps it
//	     for a person who is away. Without an acknowledgement it is sent again, with the same
//	     id (XEP-0359).
//
// A chat is a person's address without the resource. Rooms are not joined.
package xmpp
