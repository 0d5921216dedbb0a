package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/runtime/config"
)

// systemdStop is how long systemd lets a service stop by default.
const systemdStop = 90 * time.Second

// unitFolders returns where the unit of a service of the machine, or of this user, may be, and changes to it
// (CLI-201, DEP-10): of the folders of each the first counts most, as in systemd.unit(5).
func unitFolders() [][]string {
	folders := [][]string{{"/etc/systemd/system", "/usr/lib/systemd/system"}}
	if own, err := os.UserConfigDir(); err == nil && filepath.IsAbs(own) {
		folders = append(folders, []string{filepath.Join(own, "systemd/user")})
	}
	return folders
}

// stop reports how long a stop may take: a supervisor that kills shelly sooner cuts its
// work. A unit that gives it that time needs no advice.
func (x *examination) stop(cfg config.Config, units [][]string) {
	grace := time.Duration(cfg.Limits.Grace) * time.Millisecond
	found := fmt.Sprintf("takes up to %v: limits.grace", grace)
	if farewell := cfg.FarewellMax(); farewell > 0 {
		found = fmt.Sprintf("takes up to %v: limits.grace %v, limits.shutdown_timeout %v", grace+farewell, grace, farewell)
	}
	all, there := cfg.StopMax(), false
	for _, folders := range units {
		unit, stop := stopOf(folders)
		if unit == "" {
			continue
		}
		if there = true; stop < all {
			x.add("ok", "stop", found, advised(fmt.Sprintf("%s is killed after %v", unit, stop), all))
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

// stopOf returns the path of the unit that counts in some folders, or "", and how long it lets its
// service stop. A change to it may be in another of them than the unit.
func stopOf(folders []string) (unit string, stop time.Duration) {
	var text []byte
	changes := map[string]string{} // by the name that they are sorted by, and each name once
	for _, folder := range folders {
		path := filepath.Join(folder, unitName)
		if content, err := os.ReadFile(path); err == nil && unit == "" {
			unit, text = path, content
		}
		more, _ := filepath.Glob(filepath.Join(path+".d", "*.conf")) // the pattern is well-formed
		for _, change := range more {
			name := filepath.Base(change)
			changes[name] = cmp.Or(changes[name], change)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		more, _ := os.ReadFile(changes[name]) // what cannot be read changes nothing that is known
		text = append(append(text, '\n'), more...)
	}
	stop = systemdStop
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); key == "TimeoutStopSec" || key == "TimeoutSec" {
			stop = timeSpan(strings.TrimSpace(value))
		}
	}
	return unit, stop
}

// timeSpan reads a time as systemd.time(7) writes it. What it does not know, such as infinity, is taken
// as long enough: somebody has set it. So is 0, which turns the limit off.
func timeSpan(value string) time.Duration {
	if strings.Trim(value, "0123456789") == "" {
		value += "s"
	}
	span, err := time.ParseDuration(strings.NewReplacer(" ", "", "min", "m", "sec", "s").Replace(value))
	if err != nil || span == 0 {
		return 1<<63 - 1
	}
	return span
}
