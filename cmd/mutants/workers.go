package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// ready is what a process says once it has rehearsed.
const ready = "ready"

// judged lets processes of a program give their verdicts on mutants, by number; the
// machine's tables are variables of a process, so each changes its own.
func judged(workers int, program []string, mutants []int, tell func(verdict)) error {
	next, answers := make(chan int, len(mutants)), make(chan answer, len(mutants)+workers)
	for _, n := range mutants {
		next <- n
	}
	close(next)
	for range workers {
		go func() { answers <- answer{err: work(program, next, answers)} }()
	}
	for range len(mutants) + workers {
		a := <-answers
		if a.err != nil {
			return a.err
		}
		if a.Mutant > 0 {
			tell(a.verdict)
		}
	}
	return nil
}

// answer is a verdict, or how a worker has ended.
type answer struct {
	verdict
	err error
}

// work asks one process after another: one that dies of a mutant has found it.
func work(program []string, next <-chan int, answers chan<- answer) error {
	var p *process
	for n := range next {
		if p == nil {
			var err error
			if p, err = start(program); err != nil {
				return err
			}
		}
		v, alive := p.ask(n)
		if !alive {
			p.end()
			p = nil
		}
		answers <- answer{verdict: v}
	}
	if p != nil {
		p.end()
	}
	return nil
}

// process is one that judges.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// start waits until the process has rehearsed.
func start(program []string) (*process, error) {
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd, in, bufio.NewScanner(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if !p.out.Scan() || p.out.Text() != ready {
		p.end()
		return nil, errors.New("the scenarios cannot be played without any change; see above")
	}
	return p, nil
}

// ask returns the verdict on a mutant, and whether the process can be asked again.
func (p *process) ask(n int) (v verdict, alive bool) {
	fmt.Fprintln(p.in, n) // one that is dead says nothing
	if !p.out.Scan() || json.Unmarshal(p.out.Bytes(), &v) != nil {
		return verdict{Mutant: n, By: "the process", Why: "died"}, false
	}
	return v, v.Why != noEnd
}

func (p *process) end() {
	p.in.Close()
	p.cmd.Wait() // how it ended is known from what it printed
}
