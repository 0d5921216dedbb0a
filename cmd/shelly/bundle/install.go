package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/secrets"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/bundle"
	"shelly/runtime/config"
)

type installCmd struct {
	File   string `arg:"" help:"The bundle."`
	To     string `placeholder:"DIR" help:"Install into this folder instead of your home: .local/bin, .config/shelly, .agents/skills, .ollama/models."`
	Store  string `placeholder:"DIR" help:"Ollama's store of models. Default: OLLAMA_MODELS, or ~/.ollama/models."`
	DryRun bool   `help:"Show what would be written; change nothing."`
	Force  bool   `help:"Replace existing files that differ."`
}

// Help is the text after the usage.
func (c *installCmd) Help() string {
	return "The bundle is verified first. If files exist that differ from the bundle's, they are listed, and nothing is written without --force. " +
		"An interrupted install continues where it stopped when it is run again."
}

// Run implements the subcommand (DEP-9).
func (c *installCmd) Run(t *terminal.Terminal) error {
	ctx, stop := exit.Interruptible()
	defer stop()
	if info, err := os.Stat(c.File); err == nil && info.Mode().Type() == fs.ModeNamedPipe {
		return exit.Errorf(exit.Usage, "%s is a pipe, and an install reads the bundle twice; name a file", c.File)
	}
	m, err := verify(ctx, c.File)
	if err != nil {
		return err
	}
	to, err := c.places()
	if err != nil {
		return err
	}
	steps, err := bundle.Look(ctx, m, to)
	if errors.Is(err, context.Canceled) {
		return exit.Interrupted(ctx, "nothing was written; run it again")
	}
	if err != nil {
		return failed(err)
	}
	if here := runtime.GOOS + "/" + runtime.GOARCH; m.System != here && c.To == "" {
		all := len(steps)
		if steps = slices.DeleteFunc(steps, bundle.Step.Program); len(steps) < all {
			fmt.Fprintf(t.Err, "· the program in it is for %s and this machine is %s, so it is left out; install it for another machine with --to\n", terminal.Printable(m.System), here)
		}
	}
	differ := c.tell(t.Out, steps)
	if differ > 0 && !c.Force {
		return exit.Errorf(exit.Usage, "files that differ are in the way (%d); nothing is written. Move them away, or replace them with --force", differ)
	}
	if c.DryRun {
		return nil
	}
	f, err := flags.File(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	written := 0
	if err := bundle.Install(ctx, f, to, steps, func(s bundle.Step) { written++ }); errors.Is(err, context.Canceled) {
		return exit.Interrupted(ctx, wording.Count(written, "file")+" written, each whole; run it again to continue")
	} else if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return exit.With(exit.Disk, err)
	} else if err != nil {
		return failed(err)
	}
	fmt.Fprintf(t.Out, "installed: %s written, %d unchanged\n", wording.Count(written, "file"), len(steps)-written)
	for _, s := range steps {
		if left := secrets.Left(s.Path); filepath.Dir(s.Path) == to.Config && left != "" {
			fmt.Fprintf(t.Out, "next: set the secrets that are not in a bundle again, in %s\n", terminal.Printable(left))
		}
	}
	fmt.Fprintf(t.Out, "next: add %s to PATH, start Ollama, and run shelly doctor\n", to.Bin)
	return nil
}

// tell lists the steps, and returns how many files differ. The many files of models are summed
// up.
func (c *installCmd) tell(w io.Writer, steps []bundle.Step) (differ int) {
	says := map[bundle.State]string{bundle.Missing: "new    ", bundle.Same: "as it is", bundle.Differs: "DIFFERS"}
	for _, s := range steps {
		fmt.Fprintf(w, "%-8s %s (%s)\n", says[s.State], terminal.Printable(s.Path), wording.Count(int(s.File.Bytes), "byte"))
		if s.State == bundle.Differs {
			differ++
		}
	}
	return differ
}

// places returns where the parts go (DEP-9).
func (c *installCmd) places() (p bundle.Places, err error) {
	home := c.To
	environ := []string(nil)
	if home == "" {
		environ = os.Environ()
		if home, err = os.UserHomeDir(); err == nil && !filepath.IsAbs(home) {
			err = errors.New("HOME is not an absolute path")
		}
	} else {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return p, exit.Errorf(exit.Usage, "where to install is not known (%w); name a folder with --to", err)
	}
	p = bundle.Places{
		Bin: filepath.Join(home, ".local", "bin"), Config: filepath.Dir(config.DefaultFile(environ, home)),
		Skills: filepath.Join(home, ".agents", "skills"), Models: filepath.Join(home, ".ollama", "models"),
	}
	if c.Store != "" || c.To == "" {
		p.Models, err = storeOf(c.Store)
	}
	return p, err
}
