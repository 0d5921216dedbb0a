package check

import (
	"fmt"
	"io/fs"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
)

// checkLive wants of a live case nothing that only a script can promise, and of any
// other that it is run once (SCN-29).
func (k *checker) checkLive(f *format.File) {
	if !f.Script.Live {
		if f.Model != "" {
			k.at("model", "is for brain: live; a script needs no model")
		}
		for _, c := range []format.Choice{given("repeat", f.Repeat != nil), given("pass", f.Pass != nil)} {
			if c.Given {
				k.at(c.Key, "is for brain: live; a script is the same each time, so one run shows all")
			}
		}
		return
	}
	runs, wanted := f.Runs()
	switch {
	case runs > format.RepeatMax:
		k.at("repeat", fmt.Sprintf("is %d; the most is %d", runs, format.RepeatMax))
	case wanted > runs:
		k.at("pass", fmt.Sprintf("wants %d of %s; give repeat as many runs, or want fewer", wanted, wording.Count(runs, "run")))
	}
	if f.EveryCrash() {
		k.at("faults.crash", "with at: "+format.EveryPoint+" holds runs against one another, and no live model says twice the same; name the points")
	}
	if f.Strict {
		k.at("strict", "is for scripts; a live model answers what no script does")
	}
	if f.Expect != nil && f.Expect.Golden != nil {
		k.at("expect.golden", "holds the case to the letter, and no live model says twice the same; expect it by matchers")
	}
}

// checkReal wants the world of the real tools to be files in the workspace (SCN-30).
func (k *checker) checkReal(f *format.File) {
	if !f.Tools.Real {
		return
	}
	if w := f.Speaks().Workspace; !strings.HasPrefix(w, "/") {
		k.at("about.workspace", "wants an absolute path, since the real tools go by it, not "+wording.Word(w))
	}
	for i, t := range f.World {
		at := "world." + wording.Word(t.Name)
		switch text, _ := data.OfJSON(string(t.Value)); {
		case !isFilePath(t.Name):
			k.at(at, "wants the path of a file in the workspace, such as src/main.go, and none that leads out of it")
		case text.Kind != data.TextKind:
			k.at(at, "wants the text of the file; other data is for stub tools")
		}
		for _, other := range f.World[:i] {
			if inFolder(t.Name, other.Name) || inFolder(other.Name, t.Name) {
				k.at(at, "and "+wording.Word(other.Name)+" cannot both be files: one is in the folder of the other's name")
			}
		}
	}
}

// isFilePath reports whether a name can be a file's path from the workspace.
func isFilePath(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsRune(name, 0)
}

// inFolder reports whether a path is below one that is a folder then.
func inFolder(name, folder string) bool { return strings.HasPrefix(name, folder+"/") }
