// Package turn says what a session keeps of a turn (SES-4): the question, what was said
// along the way, and how it ended; whole, or in the form that was sent to the model
// (SES-21).
package turn
