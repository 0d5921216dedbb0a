// Package turn is what a session keeps of a turn (SES-4): the question, what was said on the
// way, and how it ended; whole, or in the form that the model was sent (SES-21).
package turn
