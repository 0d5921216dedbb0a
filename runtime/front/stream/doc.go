// Package stream is what the fronts share: how an answer is written while it is made, and what
// of its text a client has already (FRT-5, FRT-6).
//
//	s, err := stream.Begin(w, options, "text/event-stream")
//	defer s.End()
//	var said stream.Text
//	replied, err := s.Follow(ctx, front, key, beat, func(e comm.Event) error {
//		for _, p := range said.Heard(e) { … }
//	})
//
// A [Text] is a pure function of the events: it says which model call each piece belongs to
// and where in the call's text it begins, so that the same place has the same name after a
// kill.
package stream
