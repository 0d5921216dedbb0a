package text_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"shelly/runtime/store/text"
)

// Readers and a writer share a codec, and a text is used while others are read, up to the longest
// that is compressed and beyond.
func TestJRN34ACodecServesManyAtOnce(t *testing.T) {
	c := text.NewCodec()
	var all sync.WaitGroup
	for n, length := range []int{512, 5000, 64 << 10, 64<<10 + 1, 1 << 20, 4<<20 - 1, 4 << 20, 4<<20 + 1} {
		all.Go(func() {
			line := fmt.Sprintf("%d: the disk of web%d is full\n", n, n)
			said := strings.Repeat(line, length/len(line)+1)[:length]
			other := strings.ToUpper(said)
			keptOther := compressed(c, []byte(other))
			for range 3 {
				kept := compressed(c, []byte(said))
				err := c.Expand(kept, length, func(outer []byte) error {
					got, err := expanded(c, keptOther, length) // meanwhile
					if got != other || string(outer) != said {
						t.Errorf("a text of %d bytes is read as another one", length)
					}
					return err
				})
				if err != nil || (len(kept) < length) != (length <= 4<<20) {
					t.Errorf("%d bytes are kept of %d, %v", len(kept), length, err)
				}
			}
		})
	}
	all.Wait()
}
