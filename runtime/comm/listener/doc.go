// Package listener binds the addresses at which shelly listens, and bounds what is open
// there.
package listener
