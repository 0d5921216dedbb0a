package source

import "shelly/runtime/process"

// running returns the processes with a name, of which the system keeps 15 characters.
func running(name string) ([]Running, error) {
	all, err := process.All()
	if err != nil {
		return nil, err
	}
	name = name[:min(len(name), processNameMax)]
	var found []Running
	for _, e := range all {
		if e.Name == name && !e.Dead {
			found = append(found, Running{Name: e.Name, Memory: uint64(max(process.Resident(e.PID), 0))})
		}
	}
	return found, nil
}

// processNameMax is the length of a name in proc_pid_comm(5).
const processNameMax = 15
