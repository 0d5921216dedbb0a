package quantity

import "fmt"

// Count is a number of things: 1 record, 2 records.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
