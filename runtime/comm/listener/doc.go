// Package listener binds the addresses at which shelly listens, and bounds the number of open
// connections.
package listener
