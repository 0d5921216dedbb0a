package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/wording"
	"shelly/runtime/event"
)

// The intervals of the readings.
const (
	diskEvery     = 30 * time.Second
	memoryEvery   = 10 * time.Second
	loadEvery     = 10 * time.Second
	pressureEvery = 10 * time.Second
)

// Usage is how much there is of something, and how much of it is free, in bytes.
type Usage struct{ Free, Size uint64 }

// with returns the usage if the given share was free, in hundredths of a percent.
func (u Usage) with(share int64) Usage {
	return Usage{Free: uint64(float64(u.Size) / 100_00 * float64(share)), Size: u.Size}
}

// Disk measures the free space of a mount, in hundredths of a percent of its size (EVT-10).
type Disk struct {
	Path string                           // any folder of it
	Read func(path string) (Usage, error) // nil: the system's
}

// Watch implements [event.Source].
func (d Disk) Watch(ctx context.Context, to event.Sink) error {
	return poll(ctx, diskEvery, to, d.look)
}

func (d Disk) look(to event.Sink) error {
	u, err := d.read()
	if err == nil {
		to.Seen(percent(d.tell(u, to)) + " free, " + size(u.Free))
	}
	return err
}

func (d Disk) read() (Usage, error) {
	read := d.Read
	if read == nil {
		read = freeSpace
	}
	u, err := read(d.Path)
	switch {
	case err != nil:
		return u, fmt.Errorf("measure the space on %s: %w", d.Path, err)
	case u.Size == 0: // of which nothing can be left: /proc, a pool that is not there
		return u, fmt.Errorf("the file system of %s has no size", d.Path)
	}
	return u, nil
}

// tell reports the free space, and returns its share.
func (d Disk) tell(u Usage, to event.Sink) (free int64) {
	free = part(u.Free, u.Size)
	args := []string{"path", d.Path, "free", size(u.Free), "size", size(u.Size), "percent", percent(free)}
	to.Level(d.Path, free, say(wordDiskLow, args...), say(wordDiskEnough, args...))
	return free
}

// Example implements [event.Exemplar].
func (d Disk) Example(share int64, to event.Sink) error {
	u, err := d.read()
	if err == nil {
		d.tell(u.with(share), to)
	}
	return err
}

// freeSpace asks the system, through the call that the store's library has for each system.
func freeSpace(path string) (Usage, error) {
	u, err := vfs.Default.GetDiskUsage(path)
	return Usage{Free: u.AvailBytes, Size: u.TotalBytes}, err
}

// Memory measures the memory available to programs, in hundredths of a percent of all (EVT-10).
type Memory struct {
	Read func() (Usage, error) // nil: the system's
}

// Watch implements [event.Source].
func (m Memory) Watch(ctx context.Context, to event.Sink) error {
	return poll(ctx, memoryEvery, to, m.look)
}

func (m Memory) look(to event.Sink) error {
	u, err := m.read()
	if err == nil {
		to.Seen(percent(m.tell(u, to)) + " available, " + size(u.Free))
	}
	return err
}

func (m Memory) read() (Usage, error) {
	if m.Read != nil {
		return m.Read()
	}
	return SystemMemory()
}

// tell reports the memory that is available, and returns its share.
func (m Memory) tell(u Usage, to event.Sink) (free int64) {
	free = part(u.Free, u.Size)
	args := []string{"free", size(u.Free), "size", size(u.Size), "percent", percent(free)}
	to.Level("memory", free, say(wordMemoryLow, args...), say(wordMemoryEnough, args...))
	return free
}

// Example implements [event.Exemplar].
func (m Memory) Example(share int64, to event.Sink) error {
	u, err := m.read()
	if err == nil {
		m.tell(u.with(share), to)
	}
	return err
}

// SystemMemory reads proc_meminfo(5). What is free is what programs can take without swapping.
func SystemMemory() (u Usage, err error) {
	text, err := procFile("meminfo")
	if err != nil {
		return u, err
	}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(line, ":")
		number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n, err := strconv.ParseUint(number, 10, 54)
		if err != nil {
			continue
		}
		switch name {
		case "MemTotal":
			u.Size = n << 10
		case "MemAvailable":
			u.Free = n << 10
		}
	}
	if u.Size == 0 {
		return u, fmt.Errorf("/proc/meminfo does not say how much memory there is: %w", event.ErrNotHere)
	}
	return u, nil
}

// Load measures the one-minute load average, in hundredths of a percent of the processors
// (EVT-10).
type Load struct {
	Read func() (hundredths int64, err error) // the load, in hundredths; nil: the system's
	CPUs int                                  // 0: the system's
}

// Watch implements [event.Source].
func (l Load) Watch(ctx context.Context, to event.Sink) error {
	return poll(ctx, loadEvery, to, l.look)
}

func (l Load) look(to event.Sink) error {
	read := l.Read
	if read == nil {
		read = loadOfAMinute
	}
	load, err := read()
	if err == nil {
		to.Seen(percent(l.tell(load, to)) + ", load " + hundredths(load))
	}
	return err
}

func (l Load) processors() int { return cmp.Or(l.CPUs, runtime.NumCPU()) }

// tell reports the load, and returns its share of the processors.
func (l Load) tell(load int64, to event.Sink) (share int64) {
	processors := l.processors()
	share = load * 100 / int64(processors)
	args := []string{"load", hundredths(load), "processors", wording.Count(processors, "processor"), "percent", percent(share)}
	to.Level("load", share, say(wordLoadHigh, args...), say(wordLoadNormal, args...))
	return share
}

// Example implements [event.Exemplar].
func (l Load) Example(share int64, to event.Sink) error {
	l.tell(share*int64(l.processors())/100, to)
	return nil
}

func hundredths(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// loadOfAMinute reads proc_loadavg(5).
func loadOfAMinute() (int64, error) {
	text, err := procFile("loadavg")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(text, " ")
	return parseHundredths(first)
}

// parseHundredths reads a number with two decimals, such as 1.05, as 105.
func parseHundredths(text string) (int64, error) {
	whole, places, _ := strings.Cut(strings.TrimSpace(text), ".")
	n, err := strconv.ParseInt(whole+(places + "00")[:2], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number with two places", text)
	}
	return n, nil
}

// Pressure measures the part of the last minute in which some program waited for a resource, in
// hundredths of a percent (EVT-10).
type Pressure struct {
	Of   string                                        // cpu, memory or io
	Read func(of string) (hundredths int64, err error) // nil: the system's
}

// Watch implements [event.Source].
func (p Pressure) Watch(ctx context.Context, to event.Sink) error {
	return poll(ctx, pressureEvery, to, p.look)
}

func (p Pressure) look(to event.Sink) error {
	read := p.Read
	if read == nil {
		read = waited
	}
	share, err := read(p.Of)
	if err == nil {
		p.tell(share, to)
		to.Seen(percent(share) + " of the last minute")
	}
	return err
}

// tell reports the pressure.
func (p Pressure) tell(share int64, to event.Sink) {
	what := map[string]string{"cpu": "a processor", "memory": "memory", "io": "the disk"}[p.Of]
	args := []string{"what", what, "percent", percent(share)}
	to.Level(p.Of, share, say(wordPressureHigh, args...), say(wordPressureNormal, args...))
}

// Example implements [event.Exemplar].
func (p Pressure) Example(share int64, to event.Sink) error {
	p.tell(min(share, 100_00), to)
	return nil
}

// waited reads /proc/pressure: "some avg10=0.00 avg60=0.12 avg300=0.03 total=123".
func waited(of string) (int64, error) {
	text, err := procFile("pressure/" + of)
	if err != nil {
		return 0, err
	}
	for _, field := range strings.Fields(text) {
		if number, ok := strings.CutPrefix(field, "avg60="); ok {
			return parseHundredths(number)
		}
	}
	return 0, fmt.Errorf("/proc/pressure/%s has no average of a minute: %w", of, event.ErrNotHere)
}

// procFile reads a file of /proc, which only Linux has.
func procFile(name string) (string, error) {
	text, err := os.ReadFile("/proc/" + name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		err = fmt.Errorf("%w (%w)", event.ErrNotHere, err)
	}
	return string(text), err
}
