// Package requestreport makes the report of a request as one HTML file with its secrets
// replaced. The verbs of request write it to a file, and the daemon's page shows it.
package requestreport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"shelly/fsm/engine"
	"shelly/sim/history"
	"shelly/sim/history/export"
	"shelly/sim/history/htmlreport"
	"shelly/sim/history/redact"
)

// ErrSecret reports that a report cannot be made without showing a secret.
var ErrSecret = errors.New("its secrets cannot be replaced")

// Report is the report of a request.
type Report struct {
	HTML  []byte
	Steps int
}

// Of makes the report of what happened to a request, without images and with its secrets
// replaced (CLI-163); with verdict it includes whether today's code decides the same. The error
// is ErrSecret if a secret cannot be replaced, else one of [export.ReadOf].
func Of(j engine.Reader, of history.History, by *redact.Redactor, verdict bool) (Report, error) {
	record, err := export.ReadOf(j, of)
	if err != nil {
		return Report{}, err
	}
	if err := record.Redact(by, false); err != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrSecret, err)
	}
	d := document(record, of.Lost)
	if verdict {
		judged(d)
	}
	html, err := Clean(d, by)
	return Report{html, len(d.Cases[0].Steps)}, err
}

// Clean renders a document whose secrets have been replaced. The error is ErrSecret if one is
// left. Parts that the file has in compressed form are checked before compression.
func Clean(d *htmlreport.Document, by *redact.Redactor) ([]byte, error) {
	plain, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := htmlreport.Write(&b, d); err != nil {
		return nil, err
	}
	for _, text := range []string{string(plain), b.String()} {
		if kind, found := by.Known(text); found {
			return nil, fmt.Errorf("%w: %s is still there", ErrSecret, kind)
		}
	}
	return b.Bytes(), nil
}
