// Package wire reads the JSON of clients that speak another protocol, so that none of it
// is silently misread (FRT-2): a message that two readers could understand differently is
// refused, and each field is either used, known to have no effect here, or refused with an
// explanation.
//
//	v, err := wire.Parse(body)
//	err = v.Object(
//		wire.Text("model", &model),
//		wire.Each("messages", 1000, readMessage),
//		wire.Idle("temperature", wire.Number),           // taken, and without effect
//		wire.Refused("tools", "the agent uses its own"), // unless null, false, "" or empty
//	)
//
// A member that is null counts as absent. Every error is an [Error] with the path of
// the field, such as messages[2].content.
package wire
