package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"shelly/fsm"
	"shelly/sim"
)

// Cost is what the model calls of a case have cost on its server (SCN-55).
type Cost struct {
	Name   string
	Failed int // replies that are errors
	sim.Usage
	FirstWord fsm.Millis // the longest wait for the first word of an answer
	Reply     fsm.Millis // the longest wait for a reply
}

// Costs writes a table of costs: pretty, markdown or json.
func Costs(w io.Writer, form string, costs []Cost) error {
	switch form {
	case "json":
		return costsJSON(w, costs)
	case "markdown":
		return costsMarkdown(w, costs)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, strings.Join(costTitles(), "\t"))
	for _, c := range costs {
		fmt.Fprintln(t, strings.Join(c.cells(), "\t"))
	}
	return t.Flush()
}

func costTitles() []string {
	return []string{"CALLS", "SENT", "READ", "LEAST", "BY DOCUMENT", "READ/LEAST", "READ/DOCUMENT", "WRITTEN", "FIRST WORD", "REPLY", "ERRORS", "  CASE"}
}

func (c *Cost) cells() []string {
	return []string{
		fmt.Sprint(c.Calls), fmt.Sprint(c.Sent), fmt.Sprint(c.Read), fmt.Sprint(c.Least), fmt.Sprint(c.Ordered), ratio(c.Ratio()), ratio(c.OrderedRatio()), fmt.Sprint(c.Written),
		wholeSeconds(c.FirstWord), wholeSeconds(c.Reply), fmt.Sprint(c.Failed), "  " + c.Name,
	}
}

func costsMarkdown(w io.Writer, costs []Cost) error {
	_, err := fmt.Fprintln(w, "| case | calls | sent | read | least | by document | read / least | read / by document | written | first word | reply | errors |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, c := range costs {
		cells := c.cells()
		if err == nil {
			_, err = fmt.Fprintln(w, "| "+strings.ReplaceAll(c.Name, "|", "&#124;")+" | "+strings.Join(cells[:len(cells)-1], " | ")+" |")
		}
	}
	return err
}

// costJSON is one line of JSON a case. Times are in milliseconds.
type costJSON struct {
	Case      string `json:"case"`
	Calls     int    `json:"calls"`
	Sent      int    `json:"sent"`
	Read      int    `json:"read"`
	Least     int    `json:"least"`
	Ordered   int    `json:"by_document"`
	Written   int    `json:"written"`
	FirstWord int    `json:"first_word_ms"`
	Reply     int    `json:"reply_ms"`
	Errors    int    `json:"errors"`
}

func costsJSON(w io.Writer, costs []Cost) error {
	enc := json.NewEncoder(w)
	for _, c := range costs {
		if err := enc.Encode(costJSON{c.Name, c.Calls, c.Sent, c.Read, c.Least, c.Ordered, c.Written, int(c.FirstWord), int(c.Reply), c.Failed}); err != nil {
			return err
		}
	}
	return nil
}

// ratio is a number of hundredths as a decimal.
func ratio(hundredths int) string { return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100) }

// wholeSeconds is a time in whole seconds, rounded up.
func wholeSeconds(t fsm.Millis) string { return fmt.Sprintf("%d s", (t+fsm.Second-1)/fsm.Second) }
