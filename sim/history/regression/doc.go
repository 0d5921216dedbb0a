// Package regression compares what another model, prompt or set of options would decide with
// what the journal has. It finds the recorded questions, reads what an answer decides,
// compares two decisions and adds them up; the caller asks the model:
//
//	found, err := regression.Questions(journal, regression.Filter{Since: week}, nil)
//	r := &regression.Report{…}
//	for _, q := range found.Questions {
//		answer := …                     // of the other model to q.Ask and q.Tools
//		r.Add(q, []regression.Run{…})
//	}
//	r.Total()
//
// A question is asked with the history that was recorded. What a request asked after
// its first difference was therefore asked of a conversation that the other model might
// never have had: the first difference of each request is counted separately.
//
// A decision is the verdict and the calls. The similarity of two texts is shown and decides
// nothing. The package is pure: it asks nobody and reads no clock.
package regression
