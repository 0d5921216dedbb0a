package scenario

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/durable"
	"shelly/scenarios"
)

//go:embed starter/hello.scenario.yaml
var helloScenario []byte

//go:embed starter/scenarios.yml
var scenarioWorkflow []byte

type initCmd struct {
	Dir   string `arg:"" optional:"" default:"." help:"Folder to write into."`
	Force bool   `help:"Overwrite files that differ."`
}

// Help is the text after the usage.
func (initCmd) Help() string {
	return "Writes a first scenario, the schemas for editors, and a workflow that runs the scenarios on GitHub. " +
		"Existing files are kept. Exit codes: 0 all files are in place, 2 a file differs, 9 a write failed."
}

// starterFile is a file of the starter.
type starterFile struct {
	path    string // relative to the target folder
	content []byte
	state   starterState
}

type starterState string

const (
	starterWrote starterState = "wrote"    // or would be written
	starterThere starterState = "is there" // with the same content
	starterKept  starterState = "differs"
)

func starterFiles() []starterFile {
	return []starterFile{
		{path: "scenarios/hello.scenario.yaml", content: helloScenario},
		{path: "scenarios/schema/scenario.v1.json", content: scenarios.Schema},
		{path: "scenarios/schema/fragment.v1.json", content: scenarios.FragmentSchema},
		{path: "scenarios/schema/property.v1.json", content: scenarios.PropertySchema},
		{path: ".github/workflows/scenarios.yml", content: scenarioWorkflow},
	}
}

// Run implements the subcommand (SCN-22). It checks every file before it writes any.
func (c *initCmd) Run(t *terminal.Terminal) error {
	files := starterFiles()
	for i := range files {
		f := &files[i]
		f.path = filepath.Join(c.Dir, filepath.FromSlash(f.path))
		if err := f.look(c.Force); err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	if err := writeStarters(files); err != nil {
		return exit.With(exit.Disk, err)
	}
	differ := 0
	for _, f := range files {
		fmt.Fprintf(t.Out, "%-8s  %s\n", f.state, f.path)
		if f.state == starterKept {
			differ++
		}
	}
	if differ > 0 {
		return exit.Errorf(exit.Usage, "files that differ were kept; --force overwrites them")
	}
	fmt.Fprintf(t.Out, "next: shelly test %s\n", wording.ShellPath(filepath.Join(c.Dir, "scenarios")))
	return nil
}

// look compares the file with the one in the target folder. If something else is there, it is
// an error.
func (f *starterFile) look(force bool) error {
	for dir := filepath.Dir(f.path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder; move it away, or name another folder", dir)
		}
		if err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.state = starterWrote
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; move it away, or name another folder", f.path)
	}
	same, err := holds(f.path, f.content)
	switch {
	case err != nil:
		return err
	case same:
		f.state = starterThere
	case force:
		f.state = starterWrote
	default:
		f.state = starterKept
	}
	return nil
}

// holds reports whether a file has this content. It reads no more than it needs.
func holds(name string, content []byte) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	got, err := io.ReadAll(io.LimitReader(file, int64(len(content))+1))
	return string(got) == string(content), err
}

// writeStarters writes the files that are missing or to be replaced. If one fails, it removes
// the files and folders that it has created.
func writeStarters(files []starterFile) (err error) {
	var made []string
	defer func() {
		for i := len(made) - 1; err != nil && i >= 0; i-- {
			err = errors.Join(err, os.Remove(made[i]))
		}
	}()
	for _, f := range files {
		if f.state != starterWrote {
			continue
		}
		folders, err := makeFolders(filepath.Dir(f.path))
		made = append(made, folders...)
		if err != nil {
			return err
		}
		_, before := os.Lstat(f.path)
		if err := (durable.As{Perm: 0o644, Follow: true}).Text(f.path, f.content); err != nil {
			return err
		}
		if before != nil {
			made = append(made, f.path)
		}
	}
	return nil
}

// makeFolders creates a folder and its parents, and returns those that it created, the
// outermost first.
func makeFolders(dir string) (made []string, err error) {
	if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
		return nil, nil
	}
	if made, err = makeFolders(filepath.Dir(dir)); err != nil {
		return made, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return made, err
	}
	return append(made, dir), nil
}
