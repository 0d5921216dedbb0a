// Package skill reads the skills of a workspace: folders with a file SKILL.md.
//
//	skills/
//	  release/
//	    SKILL.md       front matter, then the instructions
//	    checklist.md   a reference, by the name checklist
//
//	---
//	name: release
//	description: How a release is made here.
//	always: false
//	---
//	1. Run the tests. …
//
// A skill reaches the model in three phases: its name and description with the boot,
// its instructions and then its references as files, read again each time they are
// loaded. The instructions of a skill that is always on travel with the boot.
//
//	lib, problems, err := skill.Open(workspace)
//	config.Skills = lib.Decls()
//	text, err := lib.Load(ctx, "release", "checklist")
//
// A skill that is not as it should be is left out, and a [Problem] says why: it must
// keep neither the others nor the daemon from running. Files are opened beneath their
// skill's folder, so that no name and no link leads out of it, and only so much of
// each is read.
package skill
