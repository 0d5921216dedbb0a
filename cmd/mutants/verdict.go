package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"shelly/cmd/mutants/on"
	"shelly/fsm/state"
	"shelly/runtime/system"
)

// verdict is the result for one mutant.
type verdict struct {
	Mutant int    // its number, from 1
	By     string // the case that killed it; "": it survives
	Why    string // that case's failure
	Met    int    // how many cases meet it
	Tested bool   // killed by a test, not by a case
}

const (
	noEnd   = "does not come to an end"
	caseMax = time.Minute // CPU time that a case may take; without a change the longest takes a few seconds
)

// serve reads numbers of mutants, one per line, and writes their verdicts. Codes is how many
// changes of the code are built into this program; 0: the mutants are those of the tables.
func serve(dir string, codes int) error {
	on.Bound()
	mutants := tableMutants()
	if codes > 0 {
		mutants = codeMutants(codes)
	}
	cases, err := loadCases(dir)
	if err != nil {
		return err
	}
	if err := rehearse(cases, codes); err != nil {
		return err
	}
	fmt.Println(ready)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		tell(try(mutants[n-1], n, cases, codes > 0))
	}
	return lines.Err()
}

// codeMutants returns the changes that are built into the program.
func codeMutants(codes int) []mutant {
	all := make([]mutant, codes)
	for i := range all {
		all[i].set = func() func() {
			on.Set(i + 1)
			return func() { on.Set(0) }
		}
	}
	return all
}

// try plays the cases that meet the mutant, the quickest first. For a mutant of the tables it
// then plays all the others, because a crash may lead where the uninterrupted run does not.
func try(m mutant, n int, cases []*play, inCode bool) verdict {
	var first, rest []*play
	for _, c := range cases {
		switch {
		case inCode && c.met[n], !inCode && c.meets(m):
			first = append(first, c)
		case !inCode:
			rest = append(rest, c)
		}
	}
	v := verdict{Mutant: n, Met: len(first)}
	for _, c := range append(first, rest...) {
		v.By = c.file.Name
		over := guard(func() {
			v.Why = noEnd
			tell(v)
			os.Exit(0)
		})
		undo := m.set()
		v.Why = c.run(inCode || m.seen, func(state.Move) {})
		undo()
		over()
		if v.Why != "" {
			return v
		}
	}
	v.By = ""
	return v
}

// guard calls late once this process has used caseMax of CPU time; over cancels that. Wall-clock
// time would be right only on an idle machine.
func guard(late func()) (over func()) {
	ended, begun := make(chan struct{}), system.ProcessorTime()
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(caseMax / 60):
				if system.ProcessorTime()-begun > caseMax {
					late()
				}
			}
		}
	}()
	return func() { close(ended) }
}

func (c *play) meets(m mutant) bool {
	for move := range c.moves {
		if m.met(move) {
			return true
		}
	}
	return false
}

// tell writes a verdict on one line.
func tell(v verdict) {
	line, _ := json.Marshal(v) // strings and numbers always encode
	fmt.Printf("%s\n", line)
}
