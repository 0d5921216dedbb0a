// Package web holds the tools that reach the network: web_fetch, which reads a page, and
// web_search, which asks a search server (TOL-70 to TOL-76).
//
// Both are off until the operator enables them. Through package egress, web_fetch reaches
// public addresses and those that the operator allows; the search server is the operator's
// choice and may be anywhere. The results are text for a model, bounded in bytes and time; an
// HTML page gives its main text without what surrounds it. No script runs, no cookie is kept,
// and nothing is sent but the address.
package web
