package source

import "shelly/runtime/process"

// running returns the memory of each process with a name, of which the system keeps 15 characters.
func running(name string) ([]uint64, error) {
	all, err := process.All()
	if err != nil {
		return nil, err
	}
	name = name[:min(len(name), processNameMax)]
	var found []uint64
	for _, e := range all {
		if e.Name == name && !e.Dead {
			found = append(found, uint64(max(process.Resident(e.PID), 0)))
		}
	}
	return found, nil
}

// processNameMax is the length of a name in proc_pid_comm(5).
const processNameMax = 15
