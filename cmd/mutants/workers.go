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

// ready is what a process prints once it has rehearsed.
const ready = "ready"

// judged has processes of a program give verdicts on mutants, by number. Each process changes
// only its own copy of the machine's tables.
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

// answer is a verdict, or a worker's end.
type answer struct {
	verdict
	err error
}

// work asks a process for verdicts, and starts a new one when a mutant has ended it.
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

// process is a running judge.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// start starts a process and waits until it has rehearsed.
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
		return nil, errors.New("the scenarios cannot be played even without a change; see above")
	}
	return p, nil
}

// ask returns the verdict on a mutant, and whether the process can be asked again.
func (p *process) ask(n int) (v verdict, alive bool) {
	fmt.Fprintln(p.in, n) // a dead process gives no answer
	if !p.out.Scan() || json.Unmarshal(p.out.Bytes(), &v) != nil {
		return verdict{Mutant: n, By: "the process", Why: "died"}, false
	}
	return v, v.Why != noEnd
}

func (p *process) end() {
	p.in.Close()
	p.cmd.Wait() // its output shows how it ended
}
