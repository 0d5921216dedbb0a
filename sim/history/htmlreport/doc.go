// Package htmlreport writes the results of runs as one HTML file (SIM-32 to SIM-35) that
// opens from disk, requests nothing over a network, and can be read without scripts.
//
//	err := htmlreport.Write(w, &htmlreport.Document{Title: "shelly test", Cases: cases})
//
// The file is made by html/template, which escapes each text where it stands, and carries
// a policy (CSP) by which a browser loads nothing and runs only the one script whose hash
// it names. Texts that were cut say so. In a large run the details of each step are in the
// file as data, and are shown on demand.
package htmlreport
