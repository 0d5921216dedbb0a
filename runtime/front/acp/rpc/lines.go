package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLong means that a line is beyond the bound. Reading can continue after it.
var errLong = errors.New("the line is too long")

// lines reads lines of at most a number of bytes.
type lines struct {
	r   *bufio.Reader
	max int
}

// next returns the next line, without its end. A line that is too long is skipped.
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
		case errors.Is(err, io.EOF) && (len(line) > 0 || long): // the last line may lack its end
		case err != nil:
			return nil, err
		}
		if long {
			return nil, errLong
		}
		return bytes.TrimSpace(line), nil
	}
}
