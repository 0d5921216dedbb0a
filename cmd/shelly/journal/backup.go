package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/internal/version"
	"shelly/runtime/backup"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/store"
)

type backupCmd struct {
	File  string `arg:"" help:"File to write; - is standard output."`
	Force bool   `help:"Replace a file that is there."`
	flags.Place
}

// Help says what no flag does.
func (c *backupCmd) Help() string {
	return "In it are the journal, the requests, the sessions, the memory and its files; not the token. It is checked while it is written: " +
		"what has the name FILE is whole."
}

// Run implements the subcommand (CLI-14, JRN-24).
func (c *backupCmd) Run(t *terminal.Terminal) error {
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	produce := func(w io.Writer) error { return produceBackup(ctx, cfg, w) }
	if c.File == "-" {
		m, err := checkedBackup(t.Out, produce)
		if err != nil {
			return failed(err)
		}
		fmt.Fprintln(t.Err, "standard output:", contents(m))
		return nil
	}
	if _, err := os.Lstat(c.File); err == nil && !c.Force {
		return exit.Errorf(exit.Usage, "%s is there already: name another file, or replace it with --force", c.File)
	}
	m, err := saveBackup(c.File, produce)
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(t.Out, "%s: %s\n", c.File, contents(m))
	return nil
}

// contents is what a backup holds, in words.
func contents(m backup.Manifest) string {
	return fmt.Sprintf("records %d to %d, %s (%d unfinished), %s, %d bytes",
		m.First, m.Last, quantity.Count(m.Requests, "request"), m.Unfinished, quantity.Count(len(m.Files), "file"), m.Bytes)
}

// produceBackup writes a backup by the daemon that runs, or from the data folder.
func produceBackup(ctx context.Context, cfg config.Config, w io.Writer) error {
	err := client.New(cfg.Data, client.Options{}).Backup(ctx, w)
	if !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	dir := filepath.Join(cfg.Data, "store")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return exit.Errorf(exit.NoMatch, "%s: is no data folder: it has no folder store", cfg.Data)
	}
	if err := backup.Pending(cfg.Data); err != nil {
		return err
	}
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	_, err = backup.Write(ctx, w, backup.Source{Data: cfg.Data, Store: s, Version: version.Text(), Now: time.Now})
	return errors.Join(err, s.Close())
}

// checkedBackup hands a backup on to w and checks it on its way.
func checkedBackup(w io.Writer, produce func(io.Writer) error) (backup.Manifest, error) {
	r, in := io.Pipe()
	produced := make(chan error, 1)
	go func() {
		err := produce(in)
		_ = in.CloseWithError(err) // never fails (io.PipeWriter)
		produced <- err
	}()
	on := io.TeeReader(r, w)
	m, err := backup.Check(on)
	if err == nil {
		_, err = io.Copy(io.Discard, on) // the end mark
	}
	_ = r.CloseWithError(errNotTaken) // never fails (io.PipeReader)
	if why := <-produced; why != nil && !errors.Is(why, errNotTaken) {
		return m, why
	}
	return m, err
}

// errNotTaken ends who produces a backup that is not taken any more.
var errNotTaken = errors.New("the backup is not taken any more")

// saveBackup writes a backup beside its place and moves it there when it is whole and
// durable.
func saveBackup(name string, produce func(io.Writer) error) (m backup.Manifest, err error) {
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+base+".*") // for its owner alone
	if err != nil {
		return m, err
	}
	m, err = checkedBackup(f, produce)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return m, errors.Join(err, os.Remove(f.Name()))
	}
	folder, err := os.Open(dir)
	if err != nil {
		return m, err
	}
	return m, errors.Join(folder.Sync(), folder.Close())
}
