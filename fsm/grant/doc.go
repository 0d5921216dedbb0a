// Package grant decides which tool calls a person decides about, and which of them a grant
// covers (APR-10 to APR-13). It is pure: it reads only the declaration of the tool, the
// call, and the grants.
//
// Patterns over arguments are read in two ways, each on the safe side. A pattern that asks
// fits too much rather than too little. A pattern that spares a question fits too little:
// its star matches no character that could begin another command in a shell.
package grant
