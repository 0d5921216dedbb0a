package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// guard returns why a simple command must not run, or "". It refuses what would shut down the
// machine or destroy a disk, and what cannot work in a sandbox.
func guard(words []word) string {
	if !words[0].known {
		return ""
	}
	name := path.Base(words[0].text)
	switch {
	case slices.Contains([]string{"shutdown", "reboot", "poweroff", "halt", "telinit"}, name):
		return name + " ends the machine"
	case name == "init" && len(words) == 2 && (words[1].text == "0" || words[1].text == "6"):
		return "init " + words[1].text + " ends the machine"
	case name == "systemctl" && has(words, "poweroff", "reboot", "halt", "kexec"):
		return "it ends the machine"
	case slices.Contains([]string{"sudo", "doas", "su", "pkexec", "runuser"}, name):
		return "commands get no other user's rights; run it without " + name
	case name == "mkfs", strings.HasPrefix(name, "mkfs."), name == "wipefs", name == "mkswap", name == "blkdiscard":
		if slices.ContainsFunc(words[1:], mayBeDisk) {
			return name + " destroys what is on a disk"
		}
	case name == "dd" && slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(w.text, "of=") && isDisk(w.text[3:]) }):
		return "writing to a disk itself destroys what is on it"
	case slices.Contains([]string{"shred", "cp", "tee", "fdisk", "sfdisk", "parted", "sgdisk"}, name) && slices.ContainsFunc(words[1:], func(w word) bool { return isDisk(w.text) }):
		return "writing to a disk itself destroys what is on it"
	case name == "rm" && recursive(words), slices.Contains([]string{"chmod", "chown", "chgrp"}, name) && recursive(words):
		if at := slices.IndexFunc(words[1:], func(w word) bool { return isSystem(w.text) }); at >= 0 {
			return name + " of " + words[1+at].text + " with all that is in it destroys more than the task can want; name a folder of the workspace"
		}
	case name == "kill" && len(words) > 2 && words[len(words)-1].text == "-1":
		return "it kills every process there is; name one"
	}
	return ""
}

func has(words []word, texts ...string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return slices.Contains(texts, w.text) })
}

// recursive reports whether an option makes the command recursive.
func recursive(words []word) bool {
	return slices.ContainsFunc(words[1:], func(w word) bool {
		if w.text == "--recursive" {
			return true
		}
		return strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.ContainsAny(w.text, "rR")
	})
}

// systemDirs are folders without which the system does not work.
var systemDirs = []string{
	"bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc", "root", "run", "sbin", "srv", "sys", "usr", "var",
	"Applications", "Library", "System", "Users",
}

// isSystem reports whether a path is /, the home folder or a system folder, as such or with a *
// for everything in it. Deeper paths may belong to the task.
func isSystem(text string) bool {
	if text == "~" || strings.HasPrefix(text, "~/") && strings.Trim(text[2:], "*./") == "" {
		return true
	}
	if !strings.HasPrefix(text, "/") {
		return false
	}
	var parts []string
	for part := range strings.SplitSeq(path.Clean(text), "/") {
		if part != "" && part != "*" {
			parts = append(parts, part)
		}
	}
	switch {
	case len(parts) == 0:
		return true
	case !slices.Contains(systemDirs, parts[0]):
		return false
	}
	return len(parts) == 1 || len(parts) == 2 && slices.Contains([]string{"usr", "var", "etc", "lib", "System", "Library"}, parts[0]) && parts[1] != "tmp"
}

// isDisk reports whether a path names a disk.
func isDisk(text string) bool {
	name, ok := strings.CutPrefix(path.Clean(text), "/dev/")
	if !ok {
		return false
	}
	kinds := []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "mapper/", "md", "dm-", "loop"}
	return slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(name, kind) }) || name == "mem" || name == "kmem" || name == "port"
}

// mayBeDisk reports whether what a file system is made on may be a disk: a path below a folder dev, the bare name
// of one, or a word that is not known.
func mayBeDisk(w word) bool {
	text := "/" + path.Clean(w.text)
	return !w.known || strings.Contains(text, "/dev/") || len(text) < 10 && !strings.ContainsAny(w.text, "./") && isDisk("/dev"+text)
}

// bomb reports whether a function starts itself twice or in the background.
func bomb(f *syntax.FuncDecl) bool {
	if f.Name == nil {
		return false
	}
	calls, background := 0, false
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			background = background || n.Background
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				if text, ok := literal(n.Args[0]); ok && text == f.Name.Value {
					calls++
				}
			}
		}
		return true
	})
	return calls > 1 && background
}
