// Package queue says whose turn it is: which waiting handle starts next, given the
// sessions, the places and the lifecycle (HND-2, HND-44, HND-50, SES-2). It only chooses;
// the machine starts the handle.
package queue
