package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/internal/version"
	"shelly/fsm/wording"
	"shelly/runtime/backup"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
)

type backupCmd struct {
	File  string `arg:"" help:"File to write; - is standard output."`
	Force bool   `help:"Overwrite an existing file."`
	flags.Place
}

// Help is the text after the usage.
func (c *backupCmd) Help() string {
	return "The backup has the journal, requests, sessions, memory and its files, but no tokens, approvals, changes of files or logs. It is verified while it is written: " +
		"FILE appears only once it is complete."
}

// Run implements the subcommand (CLI-14, JRN-24).
func (c *backupCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	ctx, stop := exit.Interruptible()
	defer stop()
	to := output.File{Name: c.File, Force: c.Force}
	if err := to.Free(); err != nil {
		return err
	}
	told, left := t.Out, c.File+" was not written"
	if to.Standard() {
		told, left = t.Err, "what was written is not a whole backup"
	}
	p, end := show(t, "the store is read before it is written")
	m, err := save(t, to, func(w io.Writer) error { return produceBackup(ctx, cfg, p.writing(w)) })
	end()
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Interrupted(ctx, left+"; run it again")
	case err != nil:
		return failed(err)
	}
	fmt.Fprintf(told, "%s: %s\n", to, contents(m))
	return nil
}

// contents describes what a backup holds.
func contents(m backup.Manifest) string {
	records := "no records" // of a daemon that has waited for space since its first start
	if m.First <= m.Last {
		records = fmt.Sprintf("records %d to %d", m.First, m.Last)
	}
	return fmt.Sprintf("%s, %s (%d unfinished), %s, %d bytes", records,
		wording.Count(m.Requests, "request"), m.Unfinished, wording.Count(len(m.Files), "file"), m.Bytes)
}

// produceBackup writes a backup made by the running daemon, or else made from the data folder.
func produceBackup(ctx context.Context, cfg config.Config, w io.Writer) error {
	err := client.New(cfg.Data, client.Options{}).Backup(ctx, w)
	if !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	s, err := folder.ReadStore(cfg.Data)
	if err != nil {
		return err
	}
	_, err = backup.Write(ctx, w, backup.Source{Data: cfg.Data, Still: s, Version: version.Text(), Now: time.Now})
	return errors.Join(err, s.Close())
}

// checkedBackup passes a backup on to w, and checks it on the way.
func checkedBackup(w io.Writer, produce func(io.Writer) error) (backup.Manifest, error) {
	r, in := io.Pipe()
	produced := make(chan error, 1)
	go func() {
		err := produce(in)
		_ = in.CloseWithError(err) // never fails (io.PipeWriter)
		produced <- err
	}()
	m, err := backup.Check(io.TeeReader(r, w))
	_ = r.CloseWithError(errNotTaken) // never fails (io.PipeReader)
	if why := <-produced; why != nil && !errors.Is(why, errNotTaken) {
		return m, why
	}
	return m, err
}

// errNotTaken stops the producer of a backup whose reader has ended.
var errNotTaken = errors.New("the backup's reader has ended")

// save writes a backup to its file, which appears only once it is complete, checked and
// durable.
func save(t *terminal.Terminal, to output.File, produce func(io.Writer) error) (m backup.Manifest, err error) {
	err = to.Write(t, func(w io.Writer) (err error) {
		m, err = checkedBackup(w, produce)
		return err
	})
	return m, err
}
