// Package page is the page that the daemon serves to a browser: its files, and who may use
// the daemon's routes from it.
//
// The files are plain ES modules, styles and one document, embedded, and hold no secret: they
// are served without a token (COM-70). What the page shows it reads from the routes of package
// comm, with a token of its own:
//
//	shelly page            asks the daemon for a ticket, and opens PATH#ticket=TICKET
//	POST /page/token       {ticket}: 200 {token}; the ticket is good for this once (COM-71)
//	Authorization: Bearer  the token, on the routes that comm lets a page use (COM-72)
//
// Whatever a text of a model or a tool holds is shown as text (COM-73): dom.js is the one file
// that makes elements, and the policy forbids what would make them of a text.
//
// The daemon's own token never comes into the browser. Nothing of the page is in the address
// that a browser sends, keeps in its history or passes on: the part after # stays in it.
package page
