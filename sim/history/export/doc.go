// Package export writes what happened to a request in production as a scenario.
//
//	r, err := export.Read(journal, key)       // the request's records, and the state before them
//	err = r.Redact(redact.New(secrets...), images)
//	file, err := r.Replay()                   // to the letter (SCN-46)
//	file, err := r.Scenario()                 // as a case that people read and change (SCN-47)
//	err = file.Check(redactor)                // no secret is in its bytes (SCN-48)
//
// Secrets are replaced in memory, before a byte is rendered. The machine then steps the
// records again: where a placeholder leads it another way, nothing is exported. Both
// kinds of file are loaded and played before they are handed out.
package export
