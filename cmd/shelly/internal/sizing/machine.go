package sizing

import (
	"strconv"
	"strings"
)

// Machine is what there is to run a model with. Sizes are in bytes; 0: unknown.
type Machine struct {
	Total     int64
	Available int64 // that can be taken without swapping
	Cores     int
}

// ReadMemory takes the memory from the text of Linux's /proc/meminfo.
func (m Machine) ReadMemory(meminfo string) Machine {
	for line := range strings.Lines(meminfo) {
		key, rest, _ := strings.Cut(line, ":")
		number, unit, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || unit != "kB" {
			continue
		}
		switch key {
		case "MemTotal":
			m.Total = n << 10
		case "MemAvailable":
			m.Available = n << 10
		}
	}
	return m
}

// With is the machine with more bytes available: those that are taken by what
// would make room.
func (m Machine) With(bytes int64) Machine {
	m.Available = min(m.Available+bytes, m.Total)
	return m
}

// Free is what a model may take: a tenth of the memory is left to everything else.
func (m Machine) Free() int64 { return max(0, m.Available-m.Total/10) }
