// Package picture reads the pictures that a person attaches to a request.
package picture

import (
	"fmt"
	"io"

	"shelly/cmd/shelly/internal/flags"
	"shelly/runtime/comm"
)

// Read reads a PNG, JPEG or WebP file of at most bytesMax bytes. Anything else is an error, which names
// the file, so that nothing is sent.
func Read(file string, bytesMax int64) ([]byte, error) {
	f, err := flags.File(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	image, err := io.ReadAll(io.LimitReader(f, bytesMax+1))
	switch {
	case err != nil:
		return nil, err
	case len(image) == 0:
		return nil, fmt.Errorf("%s is empty", file)
	case int64(len(image)) > bytesMax:
		return nil, fmt.Errorf("%s is longer than request_bytes_max, %d bytes; send a smaller one, or raise the limit", file, bytesMax)
	}
	if err := comm.CheckImage(image); err != nil {
		return nil, fmt.Errorf("%s %w; send another file", file, err)
	}
	return image, nil
}
