package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"shelly/runtime/tool/tree"
)

// runBare runs a command without containing it.
func (k *Keeper) runBare(ctx context.Context, s Spec) (End, error) {
	program, err := lookPath(s.Args[0], s.Env)
	if err != nil {
		return End{}, err
	}
	args := append([]string{program}, s.Args[1:]...)
	end, err := k.options.Trees.Run(ctx, tree.Command{Args: args, Dir: s.Dir, Env: s.Env, In: s.In, Out: s.Out, Errs: s.Errs, Timeout: s.Timeout})
	return End{End: end}, err
}

// lookPath finds a program by its name in the PATH of a given environment. A name with a slash
// is a path already.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range filepath.SplitList(valueOf(env, "PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no program %q: %w", name, syscall.ENOENT)
}

func valueOf(env []string, name string) string {
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
