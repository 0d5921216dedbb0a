//go:build !failpoint

package failpoint

// On reports whether this build has failpoints.
const On = false

// Hit does nothing.
func Hit(Point) {}

// HitKind does nothing.
func HitKind(Point, string) {}
