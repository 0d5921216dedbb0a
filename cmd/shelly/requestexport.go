package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/sim/scenario/export"
	"shelly/sim/scenario/redact"
)

type requestExportCmd struct {
	ID     string   `arg:"" help:"Request to export."`
	Output string   `short:"o" placeholder:"FILE" help:"Where it is written. Default: standard output."`
	As     string   `enum:"replay,scenario" default:"replay" help:"replay: to the letter, with the hash of its trace. scenario: a case to read and to change, of this request alone."`
	Force  bool     `help:"Write over a file that is there, and what today's code decides otherwise."`
	Secret []string `placeholder:"VALUE|@FILE" sep:"none" help:"A text that must not be written, or a file with one; may be repeated."`
	Images bool     `help:"Keep images."`
	journalled
}

// Help is what follows the usage.
func (requestExportCmd) Help() string {
	return "Secrets are replaced before anything is written: the daemon's token, what variables and settings of telling names hold, " +
		"what --secret names, and credentials of well-known shapes."
}

// Run implements the subcommand (CLI-16).
func (c *requestExportCmd) Run(t *terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	if err := c.free(); err != nil {
		return err
	}
	by, err := c.redactor(cfg)
	if err != nil {
		return err
	}
	r, err := c.read()
	if err != nil {
		return err
	}
	if at := r.Differs(); at != 0 && !c.Force {
		return exit.Errorf(exit.Failed, "record %d: today's code decides otherwise than is recorded (shelly request replay %s tells more); export it all the same with --force", at, c.ID)
	}
	file, err := c.exported(r, by)
	if err != nil {
		return exit.Errorf(exit.Failed, "request %s is not exported: %w", c.ID, err)
	}
	if err := c.write(t, file.Source); err != nil {
		return err
	}
	c.tell(t, r, file, by)
	return nil
}

// redactor knows the secrets of the configuration, the environment and --secret.
func (c *requestExportCmd) redactor(cfg config.Config) (*redact.Redactor, error) {
	known := secretsOf(os.Environ())
	for _, s := range cfg.Explain() {
		known = named(known, s.Key, s.Value)
	}
	if token, err := client.ReadToken(cfg.Data); err == nil {
		known = append(known, redact.Secret{Kind: "the daemon's token", Text: token})
	}
	given, err := c.given()
	if err != nil {
		return nil, err
	}
	return redact.New(append(known, given...)...), nil
}

// read reads the request from the journal.
func (c *requestExportCmd) read() (r *export.Record, err error) {
	j, closed, err := c.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closed()) }()
	key, err := c.find(j, c.ID)
	if err != nil {
		return nil, err
	}
	if r, err = export.Read(j, key); err != nil {
		return nil, unkept(err)
	}
	return r, nil
}

// exported is the file, in which no secret is left.
func (c *requestExportCmd) exported(r *export.Record, by *redact.Redactor) (*export.File, error) {
	if err := r.Redact(by, c.Images); err != nil {
		return nil, err
	}
	write := r.Replay
	if c.As == "scenario" {
		write = r.Scenario
	}
	file, err := write()
	if err != nil {
		return nil, err
	}
	return file, file.Check(by)
}

// tell says on standard error what was written.
func (c *requestExportCmd) tell(t *terminal, r *export.Record, file *export.File, by *redact.Redactor) {
	where := c.Output
	if where == "" {
		where = "standard output"
	}
	fmt.Fprintf(t.err, "%s: %s of request %s, trace hash %016x\n", where, count(len(r.Steps), "record"), c.ID, file.Hash)
	if !r.Ended {
		fmt.Fprintln(t.err, "the request had not ended by the last record that was durable: this is what there is so far")
	}
	for _, n := range by.Counts() {
		fmt.Fprintf(t.err, "replaced: %s, %s\n", n.Kind, count(n.Times, "time"))
	}
}

// secretsOf are the variables of an environment whose names say that they are secret.
func secretsOf(environ []string) []redact.Secret {
	var known []redact.Secret
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		known = named(known, name, value)
	}
	return known
}

// named adds a value whose name says that it is secret, if it is long enough to be
// told from words.
func named(known []redact.Secret, name, value string) []redact.Secret {
	if !redact.NamesSecret(name) || len(strings.TrimSpace(value)) < redact.BytesMin {
		return known
	}
	return append(known, redact.Secret{Kind: "the value of " + name, Text: value})
}

// given are the secrets of --secret.
func (c *requestExportCmd) given() ([]redact.Secret, error) {
	var known []redact.Secret
	for _, value := range c.Secret {
		kind := "a secret given with --secret"
		if file, ok := strings.CutPrefix(value, "@"); ok {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, exit.Errorf(exit.Usage, "--secret @%s: %w", file, err)
			}
			value, kind = string(text), "the secret of "+file
		}
		if redact.TooShort(value) {
			return nil, exit.Errorf(exit.Usage, "--secret: %s is too short to be told from words; it must have 4 bytes or more", kind)
		}
		known = append(known, redact.Secret{Kind: kind, Text: value})
	}
	return known, nil
}

// free wants that the file is not there yet.
func (c *requestExportCmd) free() error {
	if c.Output == "" || c.Force {
		return nil
	}
	if _, err := os.Lstat(c.Output); err == nil {
		return c.there()
	}
	return nil
}

func (c *requestExportCmd) there() error {
	return exit.Errorf(exit.Usage, "%s is there; name another file with -o, or give --force", c.Output)
}

// write writes the file whole or not at all, for its owner alone.
func (c *requestExportCmd) write(t *terminal, source []byte) error {
	if c.Output == "" {
		_, err := t.out.Write(source)
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(c.Output), "."+filepath.Base(c.Output)+".*") // mode 0600
	if err != nil {
		return exit.With(exit.Disk, err)
	}
	defer os.Remove(f.Name()) // it is not there any more where it was renamed
	_, err = f.Write(source)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return exit.With(exit.Disk, err)
	}
	if c.Force {
		err = os.Rename(f.Name(), c.Output)
	} else {
		err = os.Link(f.Name(), c.Output) // which does not take the place of another
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return c.there()
	case err != nil:
		return exit.With(exit.Disk, err)
	}
	return nil
}
