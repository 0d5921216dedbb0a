package sandbox

import (
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// landlockLeast is the first version of Landlock that can keep files outside from being truncated
// (Linux 6.2).
const landlockLeast = 3

// landlock restricts this process and its descendants to what the command may reach. In
// namespaces it is a second wall, which may be missing.
func (p *plan) landlock() error {
	version, err := llsys.LandlockGetABIVersion()
	if err != nil {
		version = 0
	}
	if p.Rung == Landlock && version < landlockLeast {
		return fmt.Errorf("the kernel has version %d of Landlock, and %d is the least that contains", version, landlockLeast)
	}
	wall := landlock.V11.BestEffort()
	if err := wall.RestrictPaths(p.paths()...); err != nil {
		return fmt.Errorf("restrict paths: %w", err)
	}
	if err := wall.RestrictScoped(); err != nil {
		return fmt.Errorf("restrict signals and sockets: %w", err)
	}
	if p.Network || p.Rung == Namespaces {
		return nil
	}
	if err := wall.RestrictNet(); err != nil {
		return fmt.Errorf("restrict the network: %w", err)
	}
	return nil
}

// paths returns the rules for what the command may do where.
func (p *plan) paths() []landlock.Rule {
	rules := []landlock.Rule{
		landlock.ROFiles(readDevices...).IgnoreIfMissing(),
		landlock.RWFiles(writeDevices...).IgnoreIfMissing(),
	}
	workspace := landlock.RWDirs(p.Workspace).WithRefer().WithResolveUnix()
	if p.ReadOnly {
		workspace = landlock.RODirs(p.Workspace)
	}
	if p.Rung == Landlock {
		dirs, files := kinds(append(p.visible(), p.etc()...)) // of a link, what it leads to
		return append(rules, workspace, landlock.RWDirs(p.Scratch).WithRefer().WithResolveUnix(),
			landlock.RODirs(dirs...), landlock.ROFiles(files...), landlock.ROFiles(procFiles...).IgnoreIfMissing())
	}
	return append(rules, workspace, landlock.RODirs("/"), landlock.RWDirs("/tmp", "/dev/shm").WithRefer().WithResolveUnix())
}

// kinds separates folders from files, because Landlock refuses rights of folders for a file.
func kinds(paths []string) (dirs, files []string) {
	for _, path := range paths {
		switch info, err := os.Stat(path); {
		case err != nil:
		case info.IsDir():
			dirs = append(dirs, path)
		default:
			files = append(files, path)
		}
	}
	return dirs, files
}
