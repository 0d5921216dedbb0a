package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// sampled judges changes of the code, drawn by a seed: by the scenarios and, if a change
// survives them, by the tests of package fsm and those below it.
func sampled(s settings, only *regexp.Regexp) error {
	src, err := readSources()
	if err != nil {
		return err
	}
	var all []change
	for _, f := range src.files {
		all = append(all, changesIn(f)...)
	}
	r := report{scope: "code", verbose: s.verbose}
	for _, c := range all {
		r.there = append(r.there, c.name)
	}
	drawn, err := src.draw(matchingChanges(all, only), s.sample, s.seed)
	if err != nil {
		return err
	}
	for _, c := range drawn {
		r.names = append(r.names, c.name)
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := src.overlay(dir, drawn)
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "mutants")
	if _, err := command("go", "build", "-overlay", overlay, "-o", program, "./cmd/mutants"); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	serve := []string{program, "-scenarios", s.dir, "-serve", strconv.Itoa(len(drawn))}
	if err := judged(s.workers, serve, matching(r.names, only), r.take); err != nil {
		return err
	}
	if err := r.test(s.workers, dir, overlay, len(drawn)); err != nil {
		return err
	}
	return r.end(fmt.Sprintf("%d of %d changes of the code, seed %d", len(drawn), len(all), s.seed))
}

func matchingChanges(all []change, only *regexp.Regexp) []change {
	return slices.DeleteFunc(slices.Clone(all), func(c change) bool { return !only.MatchString(c.name) })
}

// draw draws n changes with which the code still compiles, or all such changes if there are
// fewer.
func (s *sources) draw(all []change, n int, seed uint64) ([]change, error) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for take := min(n, len(all)); ; {
		fit, err := s.fitting(all[:take])
		if err != nil || len(fit) >= n || take == len(all) {
			return fit, err
		}
		take = min(take+n-len(fit), len(all))
	}
}
