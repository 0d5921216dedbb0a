// Package bundle is shelly bundle, which moves shelly to a machine without internet access.
package bundle

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/secrets"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/internal/version"
	"shelly/fsm/wording"
	"shelly/runtime/bundle"
	"shelly/runtime/config"
	"shelly/runtime/tarfile"
)

// Command creates, verifies and installs bundles (DEP-7).
type Command struct {
	Make    makeCmd    `cmd:"" help:"Write program, configuration, skills and models into one file."`
	Verify  verifyCmd  `cmd:"" help:"Check a whole bundle and list what it contains."`
	Install installCmd `cmd:"" help:"Install the contents of a bundle."`
}

type makeCmd struct {
	Out           string   `required:"" short:"o" placeholder:"FILE" help:"File to write; - is standard output."`
	Models        []string `placeholder:"NAME" help:"Models of Ollama's store. Default: all."`
	WithoutModels bool     `help:"Leave the models out."`
	Store         string   `placeholder:"DIR" help:"Ollama's store of models. Default: OLLAMA_MODELS, ~/.ollama/models, or the service's."`
	Binary        string   `placeholder:"FILE" help:"Program to include, such as one for another system. Default: this one."`
	For           string   `placeholder:"OS/ARCH" help:"System that --binary is for. Default: the one that it was built for, or this one."`
	Force         bool     `help:"Overwrite an existing file."`
	flags.Place
}

// Help is the text after the usage.
func (c *makeCmd) Help() string {
	return "Secrets in the configuration are replaced, and counted. Journal, memory and tokens are not included; use shelly journal backup for the journal and the memory."
}

// Run implements the subcommand (DEP-7).
func (c *makeCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	to := output.File{Name: c.Out, Force: c.Force}
	if c.Out == "" {
		return exit.Errorf(exit.Usage, "--out: name a file, or - for standard output")
	}
	if err := to.Free(); err != nil {
		return err
	}
	if c.Binary != "" {
		if err := ours(c.Binary); err != nil {
			return err
		}
	}
	from := bundle.Source{Version: version.Text(), Now: time.Now, Binary: c.Binary, Skills: cfg.Skills.Folders}
	var err error
	if from.Binary == "" {
		if from.Binary, err = os.Executable(); err != nil {
			return exit.Errorf(exit.Usage, "cannot find the file of this program: %w", err)
		}
	}
	if from.System, err = c.system(from.Binary); err != nil {
		return err
	}
	if from.Config, err = c.configuration(cfg, t.Err); err != nil {
		return err
	}
	if !c.WithoutModels {
		if from.Store, from.Models, err = c.models(); err != nil {
			return err
		}
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	var m bundle.Manifest
	write := func(w io.Writer) (err error) {
		m, err = bundle.Make(ctx, w, from)
		return err
	}
	told, left := t.Out, c.Out+" was not written"
	if c.Out == "-" {
		told, left = t.Err, "what was written is not a whole bundle"
	}
	if err := to.Write(t, write); errors.Is(err, context.Canceled) {
		return exit.Interrupted(ctx, left+"; run it again")
	} else if err != nil {
		return failed(err)
	}
	fmt.Fprintf(told, "%s: %s\n", to, contents(m))
	return nil
}

// own is the path of this program's package, as it is recorded in each build of it.
const own = "shelly/cmd/shelly"

// ours returns an error if a file is neither this program, whatever system it is for, nor a script,
// of which is not known what it runs.
func ours(name string) error {
	f, err := flags.File(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := buildinfo.Read(f); err == nil && info.Path == own {
		return nil
	}
	var start [2]byte
	if _, err := f.ReadAt(start[:], 0); err == nil && string(start[:]) == "#!" {
		return nil
	}
	return exit.Errorf(exit.Usage, "%s is not shelly; name the program of a build of shelly, or a script that runs one", name)
}

// system returns the system that a program is for. A Go program tells it; of any other, such as a
// script, nothing is known.
func (c *makeCmd) system(program string) (string, error) {
	built := map[string]string{}
	if info, err := buildinfo.ReadFile(program); err == nil {
		for _, s := range info.Settings {
			built[s.Key] = s.Value
		}
	}
	if built["GOOS"] == "" {
		return cmp.Or(c.For, runtime.GOOS+"/"+runtime.GOARCH), nil
	}
	is := built["GOOS"] + "/" + built["GOARCH"]
	if c.For != "" && c.For != is {
		return "", exit.Errorf(exit.Usage, "%s is a program for %s, not for %s; name one for %s with --binary", program, is, c.For, c.For)
	}
	return is, nil
}

// configuration returns the text of the configuration file without secrets; nil if there is
// none.
func (c *makeCmd) configuration(cfg config.Config, log io.Writer) ([]byte, error) {
	home, _ := os.UserHomeDir()
	text, err := os.ReadFile(cmp.Or(c.ConfigFile, config.DefaultFile(os.Environ(), home)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	r, err := secrets.Redactor(cfg, nil)
	if err != nil {
		return nil, err
	}
	r.Learn(string(text))
	without := r.Replace(string(text))
	for _, n := range r.Counts() {
		fmt.Fprintf(log, "· replaced in the configuration: %s (%d); set it again on the other machine\n", n.Kind, n.Times)
	}
	return []byte(without), nil
}

// models returns the store and the requested models in it.
func (c *makeCmd) models() (store string, names []string, err error) {
	if store, err = storeOf(c.Store, "/usr/share/ollama/.ollama/models"); err != nil {
		return "", nil, err
	}
	if len(c.Models) > 0 {
		return store, c.Models, nil
	}
	names, err = bundle.Models(store)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0:
		return "", nil, exit.Errorf(exit.NoMatch, "%s has no models; name Ollama's store with --store, or use --without-models", store)
	case err != nil:
		return "", nil, exit.With(exit.Failed, err)
	}
	return store, names, nil
}

// storeOf returns where Ollama has its models: the given folder, else the first of the others
// that exists, or else the user's.
func storeOf(given string, others ...string) (string, error) {
	if given = cmp.Or(given, os.Getenv("OLLAMA_MODELS")); given != "" {
		return filepath.Abs(given)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", exit.Errorf(exit.Usage, "where Ollama keeps its models is not known (%w); name the folder with --store", err)
	}
	own := filepath.Join(home, ".ollama", "models")
	for _, dir := range append([]string{own}, others...) {
		if _, err := os.Stat(filepath.Join(dir, "manifests")); err == nil {
			return dir, nil
		}
	}
	return own, nil
}

type verifyCmd struct {
	File string `arg:"" help:"The bundle."`
}

// Run implements the subcommand (DEP-8).
func (c *verifyCmd) Run(t *terminal.Terminal) error {
	ctx, stop := exit.Interruptible()
	defer stop()
	m, err := verify(ctx, c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%s: whole: %s\n", c.File, contents(m))
	return nil
}

func verify(ctx context.Context, name string) (m bundle.Manifest, err error) {
	f, err := flags.File(name)
	if err != nil {
		return m, err
	}
	defer f.Close()
	if m, err = bundle.Verify(ctx, f); errors.Is(err, context.Canceled) {
		return m, exit.Interrupted(ctx, "nothing was written; run it again")
	} else if err != nil {
		return m, exit.Errorf(codeOf(err), "%s: %w", name, err)
	}
	return m, nil
}

// contents describes what a bundle holds.
func contents(m bundle.Manifest) string {
	models := "no models"
	if len(m.Models) > 0 {
		models = "models " + strings.Join(m.Models, ", ")
	}
	return terminal.Printable(fmt.Sprintf("shelly %s for %s, %s, %s, %d bytes", m.Shelly, m.System, models, wording.Count(len(m.Files), "file"), m.Bytes()))
}

// failed gives an error its exit code, unless it has one.
func failed(err error) error { return exit.Else(codeOf(err), err) }

func codeOf(err error) int {
	switch {
	case errors.Is(err, bundle.ErrDamaged), errors.Is(err, bundle.ErrNewer):
		return exit.Data
	case errors.Is(err, bundle.ErrName), errors.Is(err, bundle.ErrInTheWay), errors.Is(err, tarfile.ErrCompressed):
		return exit.Usage
	case errors.Is(err, bundle.ErrNoModel):
		return exit.NoMatch
	case errors.Is(err, syscall.ENOSPC):
		return exit.Disk
	}
	return exit.Failed
}
