// Package scenarios holds the project's scenario files. The demo brain's is part
// of the program, so that shelly answers without any model or file.
package scenarios

import "embed"

// DemoFile is the name of the demo brain's scenario in [Demo].
const DemoFile = "demo.scenario.yaml"

// Demo holds the one file [DemoFile].
//
//go:embed demo.scenario.yaml
var Demo embed.FS
