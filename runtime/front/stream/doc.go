// Package stream is what the fronts share: writing an answer while it is made, and knowing how
// much of its text a client already has (FRT-5, FRT-6).
//
//	s, err := stream.Begin(w, options, "text/event-stream")
//	defer s.End()
//	var said stream.Text
//	replied, err := s.Follow(ctx, front, key, after, beat, func(e comm.Event) error {
//		for _, p := range said.Heard(e) { … }
//	})
//
// A [Text] is a pure function of the events: it says which model call each piece belongs to
// and where in that call's text it begins, so that the same place has the same name even after
// a kill.
package stream
