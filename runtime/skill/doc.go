// Package skill reads skills as the Agent Skills specification describes them: folders
// with a file SKILL.md, found in the workspace and in the user's folder.
//
//	skills/
//	  release/
//	    SKILL.md               front matter, then the instructions
//	    references/tags.md     a text to which the instructions refer
//	    scripts/notes.sh       a program that they run
//	    assets/template.md
//
//	---
//	name: release
//	description: How a release is made here. Use it to tag or publish a version.
//	---
//	1. Run the tests. …
//
// A skill reaches the model in three phases: its name and description with the boot, then its
// instructions, then its other texts. The last two are read from the files that are at their paths
// each time they are loaded. The instructions of a skill that is always on are part of the boot.
//
//	lib, problems, err := skill.Open(skill.Places(workspace, folders))
//	config.Skills = lib.Decls()
//	text, err := lib.Load(ctx, "release", "references/tags.md")
//
// A skill that cannot be used is left out, and a [Problem] says why: it must not keep the
// others or the daemon from running. [Check] reports usable skills that break the
// specification. Files are opened beneath their skill's folder, so that no name and
// no link leads out of it, and a bounded part of each is read.
package skill
