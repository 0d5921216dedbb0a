//go:build linux || darwin || freebsd || netbsd || openbsd

package memory

import "syscall"

// reserve returns zeroed memory outside the heap, with a function that frees it; free is nil if the
// memory is from the heap. The machine commits a page of it when the page is first written.
func reserve(size int) (mem []byte, free func([]byte)) {
	mem, err := syscall.Mmap(-1, 0, max(1, size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size), nil
	}
	return mem, func(mem []byte) { _ = syscall.Munmap(mem) }
}
