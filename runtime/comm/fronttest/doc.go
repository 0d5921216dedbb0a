// Package fronttest provides a daemon's front that a test drives by hand.
package fronttest
