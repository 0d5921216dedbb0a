//go:build !race

package exhaustive

const raceDetector = false
