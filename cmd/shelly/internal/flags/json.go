package flags

// AsJSON is the flag of every subcommand whose output a program may read. The tag set:"json=…"
// on the embedding field describes what --json prints (CLI-210).
type AsJSON struct {
	JSON bool `name:"json" help:"${json=Print as JSON.}"`
}
