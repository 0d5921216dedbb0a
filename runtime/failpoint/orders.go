package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// orders is what the environment says.
type orders struct {
	log *os.File // nil: none

	mu   sync.Mutex
	name string // of the point at which the process ends; empty: nowhere
	left int    // hits of it until then
}

// armed is set by the linker, not by a build tag, with which everything that has a point would
// have to be compiled once more.
var armed string

var given = take()

// On reports whether this build can be killed at its points.
func On() bool { return given != nil }

// take reads and removes the variables, so that neither the configuration, which checks
// every variable of shelly's, nor the commands of tools see them. A build that is not armed
// has no orders.
func take() *orders {
	if armed == "" {
		return nil
	}
	o := &orders{}
	if path := taken("SHELLY_FAILPOINT_LOG"); path != "" {
		var err error
		if o.log, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
			panic(err)
		}
	}
	spec := taken("SHELLY_FAILPOINT")
	if spec == "" {
		return o
	}
	name, count, _ := strings.Cut(spec, ":")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("SHELLY_FAILPOINT=%s: want NAME:N with N from 1", spec))
	}
	o.name, o.left = name, n
	return o
}

func taken(variable string) string {
	value := os.Getenv(variable)
	if err := os.Unsetenv(variable); err != nil {
		panic(err)
	}
	return value
}

// Hit ends the process if this is the hit to end at.
func Hit(p Point) {
	if On() {
		given.hit(string(p))
	}
}

// HitKind is Hit for one kind of effect.
func HitKind(p Point, kind string) {
	if On() {
		given.hit(string(p) + "/" + kind)
	}
}

func (o *orders) hit(name string) {
	if o.log != nil {
		if _, err := o.log.WriteString(name + "\n"); err != nil {
			panic(err)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock() // held until the process has ended, so that no other point is passed
	if name != o.name {
		return
	}
	if o.left--; o.left == 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	}
}
