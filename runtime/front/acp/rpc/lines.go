package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLong is a line beyond the bound. What follows it can be read.
var errLong = errors.New("the line is too long")

// lines reads lines of at most a number of bytes.
type lines struct {
	r   *bufio.Reader
	max int
}

// next returns the next line, without its end. Of one that is too long nothing is kept.
func (l lines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		long = long || len(line)+len(part) > l.max
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(line) > 0 || long): // the last has no end
		case err != nil:
			return nil, err
		}
		if long {
			return nil, errLong
		}
		return bytes.TrimSpace(line), nil
	}
}
