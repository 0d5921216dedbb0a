package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are the system calls that no command needs and that have been used to escape
// sandboxes, or that affect the whole machine. They fail with EPERM (TOL-41).
var refused = []string{
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
	"io_uring_setup", "io_uring_enter", "io_uring_register",
	"add_key", "request_key", "keyctl",
	"unshare", "setns", "mount", "umount2", "pivot_root", "chroot",
	"open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
	"open_by_handle_at", "fanotify_init", "quotactl", "quotactl_fd",
	"bpf", "perf_event_open", "userfaultfd",
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
	"reboot", "swapon", "swapoff", "acct", "syslog", "vhangup", "iopl", "ioperm",
	"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname",
	"lookup_dcookie", "nfsservctl",
}

// namespaceFlags are the flags of clone(2) that create a namespace.
var namespaceFlags = []uint64{
	unix.CLONE_NEWNS, unix.CLONE_NEWCGROUP, unix.CLONE_NEWUTS, unix.CLONE_NEWIPC, unix.CLONE_NEWUSER, unix.CLONE_NEWPID, unix.CLONE_NEWNET,
}

// Bits of a mode that make a program run with its owner's or its group's rights, and flags of
// open(2) with which its mode counts; without them it may be anything.
const (
	setID    = unix.S_ISUID | unix.S_ISGID
	creating = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
)

// moding are the system calls that give a file a mode, which is this argument of them. mkdir
// ignores these bits, and openat2 and io_uring are refused altogether.
var moding = []struct {
	name  string
	mode  uint32
	flags int // the argument with the flags, or -1
}{
	{"chmod", 1, -1}, {"fchmod", 1, -1}, {"fchmodat", 2, -1}, {"fchmodat2", 2, -1},
	{"mknod", 1, -1}, {"mknodat", 2, -1}, {"creat", 1, -1}, {"open", 2, 1}, {"openat", 3, 2},
}

// families returns the families of sockets that a command may make.
func (p *plan) families() []uint64 {
	switch {
	case p.Rung != Landlock:
		return []uint64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	case p.Network:
		return []uint64{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	}
	return nil
}

// Arguments of setpriority(2) and ioprio_set(2), from <linux/resource.h> and <linux/ioprio.h>.
const (
	priorityOfProcess   = 0
	ioPriorityOfProcess = 1
)

// reaching are the system calls that change another process of the same user, or its threads, and that
// neither Landlock nor no_new_privs refuses. Where no pid namespace is around a command they work
// only for the thread that makes them: a daemon whose limits a command sets is ended by them.
var reaching = []seccomp.NameWithConditions{
	elsewhere("prlimit64", 0, 0), elsewhere("setpriority", 0, priorityOfProcess), elsewhere("setpriority", 1, 0),
	elsewhere("ioprio_set", 0, ioPriorityOfProcess), elsewhere("ioprio_set", 1, 0),
	elsewhere("sched_setaffinity", 0, 0), elsewhere("sched_setscheduler", 0, 0), elsewhere("sched_setparam", 0, 0), elsewhere("sched_setattr", 0, 0),
}

// watching are the system calls with which a command could watch a folder that Landlock lets it neither
// read nor list: they tell the names of the files there as somebody uses them.
var watching = []string{"inotify_init", "inotify_init1"}

// elsewhere is a system call with anything but a value for an argument.
func elsewhere(name string, argument uint32, value uint64) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: seccomp.NotEqual, Value: value}}}
}

// datagrams is the bit that SOCK_DGRAM and SOCK_RAW have, whose sockets can send to any address, and the
// types for connections have not. A socket of a pair can do so, too, and only the newest versions of
// Landlock refuse it the address of a path.
const datagrams = unix.SOCK_DGRAM & unix.SOCK_RAW

// filter assembles the system call filter.
func (p *plan) filter() ([]unix.SockFilter, error) {
	here, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	known := func(names []string) (these []string) {
		for _, name := range names {
			if _, ok := here.SyscallNames[name]; ok {
				these = append(these, name)
			}
		}
		return these
	}
	group := seccomp.SyscallGroup{Names: known(refused), Action: seccomp.ActionErrno}
	for _, flag := range namespaceFlags {
		group.NamesWithCondtions = append(group.NamesWithCondtions, seccomp.NameWithConditions{
			Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: flag}},
		})
	}
	for _, call := range moding {
		if len(known([]string{call.name})) == 0 {
			continue // arm64 has the newer ones only
		}
		conditions := seccomp.ArgumentConditions{{Argument: call.mode, Operation: seccomp.BitsSet, Value: setID}}
		if call.flags >= 0 {
			conditions = append(conditions, seccomp.Condition{Argument: uint32(call.flags), Operation: seccomp.BitsSet, Value: creating})
		}
		group.NamesWithCondtions = append(group.NamesWithCondtions, seccomp.NameWithConditions{Name: call.name, Conditions: conditions})
	}
	if p.Rung == Landlock {
		group.Names = append(group.Names, known(watching)...)
		group.NamesWithCondtions = append(group.NamesWithCondtions, reaching...)
		group.NamesWithCondtions = append(group.NamesWithCondtions, seccomp.NameWithConditions{
			Name: "socketpair", Conditions: seccomp.ArgumentConditions{{Argument: 1, Operation: seccomp.BitsSet, Value: datagrams}},
		})
	}
	if families := p.families(); families == nil {
		group.Names = append(group.Names, "socket")
	} else {
		var other seccomp.ArgumentConditions
		for _, f := range families {
			other = append(other, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: f})
		}
		group.NamesWithCondtions = append(group.NamesWithCondtions, seccomp.NameWithConditions{Name: "socket", Conditions: other})
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{group}}
	lists, err := policy.Assemble()
	if err != nil {
		return nil, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	raw, err := bpf.Assemble(append(prelude(here), lists...))
	if err != nil {
		return nil, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return filter, nil
}

// Offsets in struct seccomp_data of <linux/seccomp.h>; the second argument's lower half on
// a little-endian machine.
const (
	numberAt     = 0
	archAt       = 4
	secondHalfAt = 24
)

// prelude refuses what the library's filter lets through: system calls with another
// architecture's numbers (int 0x80 of 32-bit programs), for which it has no names; clone3 and
// openat2, whose flags and mode a filter cannot see, so that programs fall back to clone and
// openat as on an older kernel; and the ioctl that puts input into a terminal, whatever the
// upper half of its number, which the kernel ignores.
func prelude(here *arch.Info) []bpf.Instruction {
	refuse := func(errno unix.Errno) bpf.RetConstant {
		return bpf.RetConstant{Val: uint32(seccomp.ActionErrno) | uint32(errno)}
	}
	ioctl := here.SyscallNames["ioctl"]
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(here.ID), SkipTrue: 1},
		refuse(unix.ENOSYS),
		bpf.LoadAbsolute{Off: numberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_CLONE3, SkipTrue: 1}, // the same on every architecture
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_OPENAT2, SkipTrue: 1},
		refuse(unix.ENOSYS),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(ioctl), SkipTrue: 4},
		bpf.LoadAbsolute{Off: secondHalfAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.TIOCLINUX, SkipTrue: 1},
		refuse(unix.EPERM),
	}
}

// restrict sets the limits and then the filter, for this thread and its descendants.
func (p *plan) restrict(filter []unix.SockFilter) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("refuse new privileges: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return p.Limits.limit(p.threads)
}
