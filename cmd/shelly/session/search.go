package session

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/session"
)

type searchCmd struct {
	Text    []string `arg:"" help:"Words that the message contains, in this order; case does not matter."`
	Session string   `placeholder:"ID" help:"Only in this session."`
	flags.List
	flags.Place
}

// Help says where it searches.
func (searchCmd) Help() string {
	return "Searches all that is kept of what you, shelly and its tools have said. Of a long message it shows the part with the words; shelly session show has the whole. To see what the memory would recall, use shelly memory search."
}

// found is a message and where it was said.
type found struct {
	Session string `json:"session"`
	session.Archived
}

// foundBody is what --json prints.
type foundBody struct {
	Messages []found `json:"messages"`
}

// Run implements the subcommand (CLI-145).
func (c *searchCmd) Run(t *terminal.Terminal) error {
	if strings.TrimSpace(strings.Join(c.Text, " ")) == "" {
		return exit.Errorf(exit.Usage, "nothing to search for: give a text")
	}
	return use(&c.Place, func(r reader) error {
		list, err := c.find(r)
		if err != nil {
			return err
		}
		return listing.Print(t, c.JSON, foundBody{list}, list, c.print, "no message contains that; fewer words may find more")
	})
}

// want returns what is searched for, as it is compared.
func (c *searchCmd) want() string { return folded(strings.Join(c.Text, " ")) }

func (c *searchCmd) print(out io.Writer, list []found) error {
	for _, m := range list {
		if err := printMessage(out, terminal.Printable(m.Session)+"  ", m.Archived, excerpt(m.Message.Text, c.want())); err != nil {
			return err
		}
	}
	return nil
}

// find returns the newest messages with the words, in the order of time.
func (c *searchCmd) find(r reader) ([]found, error) {
	sessions, err := c.sessions(r)
	if err != nil {
		return nil, err
	}
	want, list := c.want(), []found{}
	for _, l := range sessions {
		own, err := c.within(r, l, want)
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(a.At, b.At) })
	if c.Limit > 0 {
		list = list[max(0, len(list)-c.Limit):]
	}
	return list, nil
}

// within returns the newest messages of a session with the words, and holds few more in memory. It
// reads up to the message that was the last one when the sessions were listed: to see that none
// follows takes another question, for each session.
func (c *searchCmd) within(r reader, l session.Listed, want string) (list []found, err error) {
	if l.Last == 0 {
		return nil, nil
	}
	err = r.each(l.ID, 0, func(m session.Archived) bool {
		if strings.Contains(folded(m.Message.Text), want) {
			if list = append(list, found{l.ID, m}); c.Limit > 0 && len(list) == 2*c.Limit {
				list = slices.Delete(list, 0, c.Limit)
			}
		}
		return m.Number < l.Last
	})
	return list, err
}

// sessions returns the sessions to search.
func (c *searchCmd) sessions(r reader) ([]session.Listed, error) {
	if c.Session != "" {
		l, err := r.find(c.Session)
		return []session.Listed{l}, err
	}
	return r.list()
}
