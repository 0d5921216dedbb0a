// Package htmlreport writes what came of runs as one HTML file (SIM-32 to SIM-35): it opens
// from disk, asks no network for anything, and can be read without scripts.
//
//	err := htmlreport.Write(w, &htmlreport.Document{Title: "shelly test", Cases: cases})
//
// The file is made by html/template, which escapes each text where it stands, and carries
// a policy (CSP) by which a browser loads nothing and runs only the one script whose hash
// it names. Texts that were cut say so. Of large runs the details of each step stand in the
// file as data, and are shown once they are asked for.
package htmlreport
