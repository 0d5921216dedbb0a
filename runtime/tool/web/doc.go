// Package web has the tools that reach the network: web_fetch, which reads a page, and
// web_search, which asks a search server (TOL-70 to TOL-76).
//
// Both are off until the operator asks for them. web_fetch reaches public addresses
// and what the operator allows, by package egress; the search server is the operator's
// own choice and is asked wherever it is. What comes back is text for a model: from HTML
// the words of the page without what surrounds them, bounded in bytes and time. No
// script runs, no cookie is kept, and nothing is sent but the address.
package web
