package regression

import (
	"cmp"
	"slices"
)

// Totals adds the cases up.
type Totals struct {
	Answers  int            `json:"answers"`  // of the model
	Same     int            `json:"same"`     // those that decide the same
	Classes  []Count        `json:"classes"`  // of the answers, each class that there is
	Requests int            `json:"requests"` // that asked; a handle that came of none counts as one
	Parted   int            `json:"parted"`   // those with a difference
	First    []Count        `json:"first,omitempty"`
	Tools    []Confusion    `json:"tools"` // which tools instead of which
	Purposes []Share        `json:"purposes"`
	Sessions []Share        `json:"sessions"`
	Alike    *Quantile      `json:"alike,omitempty"` // of texts, percent of words
	Spent    []Distribution `json:"spent"`           // of what is held against, then of the model
}

// Count is how many answers are of a class.
type Count struct {
	Class   Class `json:"class"`
	Answers int   `json:"answers"`
}

// Confusion is how often some tools were called where others had been. Tools are names
// in order; a verdict in brackets stands for no tool.
type Confusion struct {
	Against string `json:"against"`
	Now     string `json:"now"`
	Answers int    `json:"answers"`
}

// Share is how many answers of a group decide the same.
type Share struct {
	Name    string `json:"name"`
	Answers int    `json:"answers"`
	Same    int    `json:"same"`
}

// Quantile is the middle and the end of many values.
type Quantile struct {
	Median int64 `json:"median"`
	P95    int64 `json:"p95"`
}

// Distribution is what the answers of one side took.
type Distribution struct {
	Model  string   `json:"model"` // recorded, or a name
	Prompt Quantile `json:"prompt_tokens"`
	Answer Quantile `json:"answer_tokens"`
	Took   Quantile `json:"took_ms"`
}

// Percent returns the share of the answers that decide the same, rounded down; 100
// where there is no answer.
func (t Totals) Percent() int {
	if t.Answers == 0 {
		return 100
	}
	return 100 * t.Same / t.Answers
}

// AtLeast reports whether the share of the answers that decide the same is at least a
// number of percent.
func (t Totals) AtLeast(percent int) bool { return 100*t.Same >= percent*t.Answers }

// Total fills in Totals and what is first in each request.
func (r *Report) Total() {
	slices.SortStableFunc(r.Cases, func(a, b Case) int { return cmp.Compare(a.Record, b.Record) })
	t := Totals{Tools: []Confusion{}, Purposes: []Share{}, Sessions: []Share{}}
	classes, first := map[Class]int{}, map[Class]int{}
	asked, parted := map[[3]string]bool{}, map[[3]string]bool{}
	var before, now []Spent
	var alike []int64
	for i := range r.Cases {
		c := &r.Cases[i]
		asked[c.asker()] = true
		if c.First = c.Differs() && !parted[c.asker()]; c.First {
			parted[c.asker()] = true
			first[c.Class]++
		}
		before = append(before, c.before)
		for _, run := range c.Runs {
			t.Answers++
			classes[run.Class]++
			t.Tools = confuse(t.Tools, c.Against.tools(), run.Decision.tools())
			now = append(now, run.Spent)
			if run.Alike != nil {
				alike = append(alike, int64(*run.Alike))
			}
		}
		t.Purposes = share(t.Purposes, string(c.Purpose), len(c.Runs), c.Same)
		t.Sessions = share(t.Sessions, c.Session, len(c.Runs), c.Same)
	}
	t.Same, t.Requests, t.Parted = classes[Same], len(asked), len(parted)
	t.Classes, t.First = counts(classes), counts(first)
	slices.SortStableFunc(t.Tools, func(a, b Confusion) int { return cmp.Compare(b.Answers, a.Answers) })
	if len(alike) > 0 {
		q := quantile(alike)
		t.Alike = &q
	}
	held := "recorded"
	if r.Against != nil {
		held = r.Against.Name
	}
	t.Spent = []Distribution{distribution(held, before), distribution(r.Model.Name, now)}
	r.Totals = t
}

func counts(of map[Class]int) []Count {
	list := []Count{}
	for _, class := range Classes() {
		if of[class] > 0 {
			list = append(list, Count{class, of[class]})
		}
	}
	return list
}

// confuse counts one answer.
func confuse(list []Confusion, against, now string) []Confusion {
	i := slices.IndexFunc(list, func(c Confusion) bool { return c.Against == against && c.Now == now })
	if i < 0 {
		return append(list, Confusion{against, now, 1})
	}
	list[i].Answers++
	return list
}

func share(list []Share, name string, answers, same int) []Share {
	i := slices.IndexFunc(list, func(s Share) bool { return s.Name == name })
	if i < 0 {
		i, list = len(list), append(list, Share{Name: name})
	}
	list[i].Answers += answers
	list[i].Same += same
	return list
}

func distribution(model string, spent []Spent) Distribution {
	var prompt, answer, took []int64
	for _, s := range spent {
		prompt, answer, took = append(prompt, int64(s.Prompt)), append(answer, int64(s.Answer)), append(took, int64(s.Took))
	}
	return Distribution{Model: model, Prompt: quantile(prompt), Answer: quantile(answer), Took: quantile(took)}
}

// quantile takes the value at or above the share, as the nearest rank does.
func quantile(values []int64) Quantile {
	if len(values) == 0 {
		return Quantile{}
	}
	list := slices.Sorted(slices.Values(values))
	rank := func(percent int) int64 { return list[max((len(list)*percent+99)/100, 1)-1] }
	return Quantile{Median: rank(50), P95: rank(95)}
}
