// Package wire reads the JSON of clients that speak a protocol of others, so that nothing of it
// is silently misread (FRT-2): a message is refused where two readers could understand it
// differently, and each field is either taken, known to be without effect here, or refused in
// words.
//
//	v, err := wire.Parse(body)
//	err = v.Object(
//		wire.Text("model", &model),
//		wire.Each("messages", 1000, readMessage),
//		wire.Idle("temperature", wire.Number),           // taken, and without effect
//		wire.Refused("tools", "the agent uses its own"), // unless null, false, "" or empty
//	)
//
// A member that is null is as if it were not there. Every error is an [Error] with the path of
// the field, such as messages[2].content.
package wire
