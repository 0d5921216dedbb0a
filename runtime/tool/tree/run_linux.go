package tree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"shelly/runtime/descriptor"
	"shelly/runtime/failpoint"
	"shelly/runtime/process"
)

// Run runs a command to its end and returns when none of its processes is left; once ctx ends,
// that is soon. If it returns an error, the command was not started.
//
// After the command itself has ended, processes that it left and that hold the output open may
// run for outputDelay; then they are killed. If a process cannot be killed, Run waits for it if
// ctx has ended, so that a stop is never claimed too early; otherwise it is listed in the End.
func (k *Keeper) Run(ctx context.Context, c Command) (End, error) {
	if !armed.Load() {
		return End{}, errUnarmed
	}
	t, err := k.startSoon(ctx, c)
	if err != nil {
		return End{}, err
	}
	failpoint.Hit(failpoint.ToolStarted)
	return t.await(ctx, c.Timeout), nil
}

// startSoon starts the command once there are descriptors for it (CFG-15), and gives up after
// the command's time-out.
func (k *Keeper) startSoon(ctx context.Context, c Command) (*running, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	return descriptor.Get(ctx, func() (*running, error) { return k.start(c) })
}

// running is a command and its supervisor, as the daemon sees them.
type running struct {
	mark    uint64
	record  string // the name of its file; empty: none
	cmd     *exec.Cmd
	orders  *os.File
	outputs []*os.File
	copied  chan struct{} // closed when no process holds the output any more
	reports chan report   // closed when the supervisor has ended
}

// start starts a supervisor and, once there is a record of it, the command.
func (k *Keeper) start(c Command) (t *running, err error) {
	p, err := openPipes(c.Errs != nil)
	theirs, ours := []*os.File{p.orders.r, p.reports.w, p.output.w, p.errors.w}, []*os.File{p.orders.w, p.reports.r, p.output.r, p.errors.r}
	defer func() {
		closeFiles(theirs)
		if err != nil {
			closeFiles(ours)
		}
	}()
	if err != nil {
		return nil, err
	}
	t = &running{cmd: p.command(c), orders: p.orders.w, outputs: p.outputs(), copied: make(chan struct{}), reports: make(chan report, 3)}
	if t.mark, err = newMark(); err != nil {
		return nil, fmt.Errorf("choose a mark: %w", err)
	}
	boot, err := process.Boot()
	if err != nil {
		return nil, err
	}
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	t.record, err = k.keep(record{Boot: boot, Mark: t.mark, PID: t.cmd.Process.Pid})
	if err == nil {
		err = json.NewEncoder(p.orders.w).Encode(request{Args: c.Args, Dir: c.Dir, Env: c.Env, Mark: t.mark, Files: len(c.Files), Apart: c.Apart})
	}
	if err != nil {
		closeFiles(ours[:1])
		_ = t.cmd.Wait() // it was asked for nothing, and says so by its exit code
		return nil, errors.Join(err, drop(t.record))
	}
	closeFiles(theirs)
	theirs = nil
	go t.copy(c)
	go t.listen(p.reports.r)
	return t, t.started()
}

// pipe has an end to read from and one to write to.
type pipe struct{ r, w *os.File }

// pipes are the pipes between this process and a supervisor. Without an errors pipe, stderr goes
// where the output goes.
type pipes struct{ orders, reports, output, errors pipe }

// openPipes opens the pipes. On an error some are open and the others are nil.
func openPipes(errorsApart bool) (p pipes, err error) {
	open := func(to *pipe) {
		if err == nil {
			to.r, to.w, err = os.Pipe()
		}
	}
	open(&p.orders)
	open(&p.reports)
	open(&p.output)
	if p.errors = p.output; errorsApart {
		p.errors = pipe{}
		open(&p.errors)
	}
	return p, err
}

// outputs returns the pipes from which the command's output is read.
func (p *pipes) outputs() []*os.File {
	if p.errors == p.output {
		return []*os.File{p.output.r}
	}
	return []*os.File{p.output.r, p.errors.r}
}

// command returns the supervisor of a command, not yet started.
func (p *pipes) command(c Command) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", supervisor) // not its path, because an update may have replaced the file
	cmd.Args[0] = os.Args[0]
	cmd.Env = []string{} // nothing of the daemon's
	cmd.Dir = "/"
	if c.In != nil {
		cmd.Stdin = c.In
	}
	cmd.Stdout, cmd.Stderr = p.output.w, p.errors.w
	cmd.ExtraFiles = append([]*os.File{p.orders.r, p.reports.w}, c.Files...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// copy passes on the command's output, until its last holder ends, or a deadline.
func (t *running) copy(c Command) {
	defer close(t.copied)
	var errs sync.WaitGroup
	if c.Errs != nil {
		errs.Go(func() { _, _ = io.Copy(c.Errs, t.outputs[1]) })
	}
	_, _ = io.Copy(c.Out, t.outputs[0])
	errs.Wait()
}

// started waits for the report that the command was started.
func (t *running) started() error {
	r, open := <-t.reports
	if r.Error == "" || !open {
		return nil // await reports that the supervisor was killed
	}
	_ = t.orders.Close()
	_ = t.cmd.Wait() // its report said why
	t.settle(time.Now())
	return errors.Join(startError{r.Error, syscall.Errno(r.Errno)}, drop(t.record))
}

// startError is why a supervisor did not start the command.
type startError struct {
	text  string
	cause syscall.Errno
}

func (e startError) Error() string { return e.text }
func (e startError) Unwrap() error { return e.cause }

// listen passes on the supervisor's reports.
func (t *running) listen(from *os.File) {
	defer close(t.reports)
	defer from.Close()
	for in := json.NewDecoder(from); ; {
		var r report
		if in.Decode(&r) != nil {
			return
		}
		t.reports <- r
	}
}

// await waits for the end of the whole tree.
func (t *running) await(ctx context.Context, timeout time.Duration) (end End) {
	var late, grace, hopeless <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	var silent <-chan struct{} // copied, once the command itself has ended
	given := ctx.Done()
	order := func() {
		_ = t.orders.Close()
		late, grace, silent = nil, nil, nil
		if ctx.Err() == nil && hopeless == nil {
			hopeless = time.After(patience)
		}
	}
	gone := false
	for {
		select {
		case r, open := <-t.reports:
			switch {
			case !open:
				return t.ended(end, gone)
			case r.Ended:
				end.tell(syscall.WaitStatus(r.Status))
				late, silent, grace = nil, t.copied, time.After(outputDelay)
			case r.Gone:
				gone = true
			}
		case <-silent:
			order()
		case <-grace:
			order()
		case <-late:
			end.TimedOut = true
			order()
		case <-given:
			given, hopeless = nil, nil
			order()
		case <-hopeless:
			end.Left = t.left()
			go t.outlive()
			t.settle(time.Now())
			return end
		}
	}
}

// tell records how the command itself ended.
func (e *End) tell(status syscall.WaitStatus) {
	if status.Exited() {
		e.Exited, e.Code = true, status.ExitStatus()
		return
	}
	e.Signal = signalled(status)
}

// ended completes the end once the supervisor has ended. If the supervisor did not first report
// that everything is gone, processes may be left.
func (t *running) ended(end End, gone bool) End {
	_ = t.orders.Close()
	_ = t.cmd.Wait() // how the supervisor ended is known already, or does not matter
	if !gone {
		end.Lost = !end.Exited && end.Signal == ""
		_, left, err := endMarked(t.mark)
		if err != nil || t.mark == 0 {
			left = append(left, Process{t.cmd.Process.Pid, "the supervisor's tree"})
		}
		end.Left = left
	}
	t.settle(time.Now().Add(outputDelay))
	if len(end.Left) == 0 {
		_ = drop(t.record) // on an error, the next start finds nothing to end and removes it
	}
	return end
}

// outlive waits until the processes that could not be ended have ended, then drops their record.
func (t *running) outlive() {
	gone := false
	for r := range t.reports {
		gone = gone || r.Gone
	}
	t.ended(End{}, gone)
}

// left returns the processes of the tree that are alive.
func (t *running) left() []Process {
	all, err := process.All()
	if err != nil {
		return nil
	}
	var left []Process
	for _, e := range below(t.cmd.Process.Pid, all) {
		if !e.Dead {
			left = append(left, Process{e.PID, e.Name})
		}
	}
	return left
}

// settle waits for the output to close, at most until a time: a process outside the tree may
// hold it.
func (t *running) settle(until time.Time) {
	for _, f := range t.outputs {
		_ = f.SetReadDeadline(until)
	}
	<-t.copied
	closeFiles(t.outputs)
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
