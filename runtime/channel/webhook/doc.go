// Package webhook is a channel over HTTP in both directions, signed according to the Standard
// Webhooks specification 1.0.0 (CHN-20, CHN-21, CHN-22).
//
//	webhook-id         identifies the message; the same if it is sent again
//	webhook-timestamp  of the attempt, in seconds since 1970
//	webhook-signature  v1,BASE64 of HMAC-SHA256(key, ID.TIMESTAMP.BODY), several with spaces between
//
// A message comes in as POST /v1/channels/NAME, {"text", "chat"?, "sender"?}, and is answered with
// 202 and {"id", "state"} once it is durable, or with 200 if it came before. An outgoing message is
// a POST to the channel's URL, {"type", "id", "chat", "text", …} ([Body]), sent again until the
// answer is a 2xx.
package webhook
