// Package grant decides which calls of tools a person decides about, and which of them a
// grant covers (APR-10 to APR-13). It is pure: all that it reads is the declaration of the tool,
// the call, and the grants.
//
// The patterns over arguments are read in two ways, both to the safe side. One that asks fits
// too much rather than too little. One that spares a question fits too little: in a shell
// command its star stands for no character that could begin another command.
package grant
