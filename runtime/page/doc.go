// Package page is the web page that the daemon serves: its files, and the tickets and tokens with
// which a browser may use the daemon's routes.
//
// The files are plain ES modules, styles and one document, embedded, and hold no secret: they
// are served without a token (COM-70). The page reads what it shows from the routes of package
// comm, with its own token:
//
//	shelly page            asks the daemon for a ticket, and opens PATH#ticket=TICKET
//	POST /page/token       {ticket}: 200 {token}; a ticket can be used once (COM-71)
//	Authorization: Bearer  the token, on the routes that comm lets a page use (COM-72)
//
// The chat is as high as the window (COM-101), a full disk is reported above it (COM-102),
// and a text goes in the direction of its language (COM-100). Whatever a text of a model or
// a tool contains is shown as text (COM-73): dom.js is the only file that makes elements,
// and the policy forbids what would make elements from a text. What fails is tried again
// after a pause (COM-103). The focus stays where a person is (COM-106), and so does what they
// have written (COM-107), and what was written of an answer that does not come (COM-112). What
// is shown already is not repeated (COM-113). A screen reader says what an answer waits for (COM-108).
//
// The daemon's own token never reaches the browser. The ticket is never in an address that the
// browser sends or passes on, because the part after # stays in the browser.
package page
