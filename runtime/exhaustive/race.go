//go:build race

package exhaustive

const raceDetector = true
