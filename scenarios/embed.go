// Package scenarios holds the project's scenario files. Part of the program are the
// demo brain's, so that shelly answers without any model or file, and the schema of
// the format, so that it can be had without a checkout.
package scenarios

import "embed"

// DemoFile is the name of the demo brain's scenario in [Demo].
const DemoFile = "demo.scenario.yaml"

// Demo holds the one file [DemoFile].
//
//go:embed demo.scenario.yaml
var Demo embed.FS

// Schema is the JSON Schema of scenario files (SCN-20).
//
//go:embed schema/scenario.v1.json
var Schema []byte

// FragmentSchema is that of the files which scenarios include. It refers to the file
// of [Schema] beside it.
//
//go:embed schema/fragment.v1.json
var FragmentSchema []byte

// PropertySchema is that of property files (PRP-2).
//
//go:embed schema/property.v1.json
var PropertySchema []byte

// Examples has an example for each key of the format (SCN-67).
//
//go:embed schema/examples.v1.json
var Examples []byte
