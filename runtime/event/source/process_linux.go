package source

import "shelly/runtime/process"

// running are the processes of a name. The system keeps 15 letters of it.
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

// processNameMax is as of proc_pid_comm(5).
const processNameMax = 15
