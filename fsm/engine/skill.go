package engine

import (
	"fmt"
	"strings"
)

// filesShown is the most of a skill's files that the model is shown.
const filesShown = 24

// SkillText returns what is loaded of a skill: its instructions, and where the files are
// that they mention (SKL-10). files are paths in its folder, in order.
func SkillText(instructions, folder string, files []string) string {
	if len(files) == 0 {
		return instructions
	}
	more := ""
	if len(files) > filesShown {
		more = fmt.Sprintf(" and %d more", len(files)-filesShown)
		files = files[:filesShown]
	}
	return instructions + "\n\n[The folder of this skill is " + folder + ". Paths in the text above are relative to it. Its files: " +
		strings.Join(files, ", ") + more + ".]"
}
