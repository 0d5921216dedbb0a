//go:build linux || darwin || freebsd || netbsd || openbsd

package memory

import "syscall"

// reserve returns zeroed memory that is no part of the heap, and what gives it back; nil
// where it is of the heap. A page of it is taken from the machine when it is first written.
func reserve(size int) (mem []byte, free func([]byte)) {
	mem, err := syscall.Mmap(-1, 0, max(1, size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size), nil
	}
	return mem, func(mem []byte) { _ = syscall.Munmap(mem) }
}
