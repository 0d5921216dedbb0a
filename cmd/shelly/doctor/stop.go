package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"shelly/runtime/config"
)

// systemdStop is how long systemd lets a service stop by default.
const systemdStop = 90 * time.Second

// unitFolders returns where the unit of a service of this user, or of the machine, may be (CLI-201, DEP-10).
func unitFolders() []string {
	folders := []string{"/etc/systemd/system", "/usr/lib/systemd/system"}
	if own, err := os.UserConfigDir(); err == nil && filepath.IsAbs(own) {
		folders = append(folders, filepath.Join(own, "systemd/user"))
	}
	return folders
}

// stop reports how long a stop may take: a supervisor that kills shelly sooner cuts its
// farewell. A unit that gives it that time needs no advice.
func (x *examination) stop(cfg config.Config, folders []string) {
	grace := time.Duration(cfg.Limits.Grace) * time.Millisecond
	farewell := time.Duration(cfg.Limits.ShutdownTimeout) * time.Millisecond
	found := fmt.Sprintf("takes up to %v: limits.grace %v, limits.shutdown_timeout %v", grace+farewell, grace, farewell)
	all, there := cfg.StopMax(), false
	for _, folder := range folders {
		stop, ok := stopOf(folder)
		if !ok {
			continue
		}
		if there = true; stop < all {
			x.add("ok", "stop", found, advised(fmt.Sprintf("%s is killed after %v", filepath.Join(folder, unitName), stop), all))
			return
		}
	}
	mend := ""
	if !there && all > systemdStop {
		mend = advised(fmt.Sprintf("systemd kills a service after %v", systemdStop), all)
	}
	x.add("ok", "stop", found, mend)
}

func advised(kills string, all time.Duration) string {
	return fmt.Sprintf("%s: set its TimeoutStopSec to %d, or lower limits.grace", kills, (all+time.Second-1)/time.Second)
}

const unitName = "shelly.service"

// stopOf returns how long the unit in a folder lets its service stop, drop-ins included, and
// whether there is a unit.
func stopOf(folder string) (time.Duration, bool) {
	text, err := os.ReadFile(filepath.Join(folder, unitName))
	if err != nil {
		return 0, false
	}
	stop := systemdStop
	changes, _ := filepath.Glob(filepath.Join(folder, unitName+".d", "*.conf")) // the pattern is well-formed
	for _, name := range changes {
		more, _ := os.ReadFile(name) // what cannot be read changes nothing that is known
		text = append(append(text, '\n'), more...)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "TimeoutStopSec="); ok {
			stop = timeSpan(value)
		}
	}
	return stop, true
}

// timeSpan reads a time as systemd.time(7) writes it. What it does not know, such as infinity, is taken
// as long enough: somebody has set it.
func timeSpan(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 { // 0 turns the limit off
		return time.Duration(seconds) * time.Second
	}
	span, err := time.ParseDuration(strings.NewReplacer(" ", "", "min", "m", "sec", "s").Replace(value))
	if err != nil || span == 0 {
		return 1<<63 - 1
	}
	return span
}
