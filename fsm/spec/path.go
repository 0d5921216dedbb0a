package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// moment is one fact of the example that renderPath plays. The fields are the fact's in its
// wire form (JRN-15), without its time and without the call that it answers, which is the
// last call that the machine made.
type moment struct {
	what   string // for a person
	kind   string
	answer bool // it answers a call
	fields map[string]any
}

// example is a request that needs everything once: the memory, a tool, its session, and
// an entry of memory for what came of it.
func example() ([]moment, error) {
	config, ok := profile.Named("default")
	if !ok {
		return nil, fmt.Errorf("there is no profile default")
	}
	config.Init = fsm.InitOff
	config.Tools = append(config.Tools, fsm.ToolDecl{Name: "read_file", Effects: fsm.EffectsNone})
	type object = map[string]any
	return []moment{
		{"the process starts", "boot", false, object{"config": config}},
		{"a client asks", "requested", false, object{"request": object{"channel": "cli", "id": "r1"}, "text": "Is backup.sh still what we agreed on?"}},
		{"its session is loaded", "session_loaded", true, object{"session": object{"version": 1}}},
		{"the model needs to know more", "brain_answered", true, object{"stop": "end_turn", "text": "NEED: what was agreed on backup.sh"}},
		{"the memory has it", "recalled", true, object{"entries": []object{{"id": "h1", "summary": "backup.sh copies /srv every night."}}}},
		{"the model calls a tool", "brain_answered", true, object{"stop": "tool_use", "calls": []object{{"id": "a", "name": "read_file", "args": `{"path": "backup.sh"}`}}}},
		{"the tool returns", "tool_answered", true, object{"text": "rsync -a /srv /mnt/backup"}},
		{"the model answers", "brain_answered", true, object{"stop": "end_turn", "text": "Yes: it still copies /srv."}},
		{"the turn is saved", "session_saved", true, object{"session": object{"version": 2}}},
		{"the model sums the turn up", "brain_answered", true, object{"stop": "end_turn", "text": "backup.sh is as agreed."}},
		{"the summary has a vector", "embedded", true, object{"vector": []byte{0, 0, 128, 63}, "model": "m"}},
		{"the entry is stored", "stored", true, nil},
	}, nil
}

// stage is what one fact of the example does.
type stage struct {
	what    string
	input   string // its kind
	moves   []state.Move
	effects []string
}

// play steps the example through a machine. A fact that moves nothing is an error: the
// example is then out of date with the tables.
func play() ([]stage, error) {
	facts, err := example()
	if err != nil {
		return nil, err
	}
	m := machine.New()
	var stages []stage
	call := uint64(0)
	for i, f := range facts {
		wire := map[string]any{"kind": f.kind, "at": 1000 * (i + 1)}
		maps.Copy(wire, f.fields)
		if f.answer {
			wire["call"] = call
		}
		data, err := json.Marshal(wire)
		if err != nil {
			return nil, fmt.Errorf("example, %s: %w", f.what, err)
		}
		in, err := fsm.UnmarshalInput(data)
		if err != nil {
			return nil, fmt.Errorf("example, %s: %w", f.what, err)
		}
		s := stage{what: f.what, input: f.kind}
		for _, e := range m.Step(in) {
			words, asked, err := tell(e)
			if err != nil {
				return nil, fmt.Errorf("example, %s: %w", f.what, err)
			}
			if asked != 0 {
				call = asked
			}
			if words != "" && !slices.Contains(s.effects, words) {
				s.effects = append(s.effects, words)
			}
		}
		if s.moves = slices.Clone(m.Moves()); len(s.moves) == 0 {
			return nil, fmt.Errorf("example, %s: the machine takes no transition", f.what)
		}
		stages = append(stages, s)
	}
	return stages, nil
}

// tell returns an effect's kind with what it is for, and the call that it makes, or 0.
// Timers are not described.
func tell(e fsm.Effect) (string, uint64, error) {
	data, err := fsm.MarshalEffect(e)
	if err != nil {
		return "", 0, err
	}
	var wire struct {
		Call    uint64 `json:"call"`
		Purpose string `json:"purpose"`
	}
	kind := fsm.EffectKind(e)
	if kind == "set_timer" || kind == "clear_timer" {
		return "", 0, nil
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return "", 0, err
	}
	words := "`" + kind + "`"
	if kind == "ask_brain" && wire.Purpose != "" {
		words += " (" + wire.Purpose + ")"
	}
	return words, wire.Call, nil
}

// renderPath returns the example's way through the three tables: a picture, each fact
// with the rows that it takes, and the states that it does not meet.
func renderPath() (string, error) {
	stages, err := play()
	if err != nil {
		return "", err
	}
	rows := [][]string{{"", "what happens", "input", "transitions", "rules", "effects"}}
	for i, s := range stages {
		row := []string{strconv.Itoa(i + 1), s.what, "`" + s.input + "`", "", "", strings.Join(s.effects, ", ")}
		var moves, rules []string
		for _, m := range s.moves {
			moves = append(moves, fmt.Sprintf("%s %s → %s", m.Table, m.From, m.To))
			if rule := ruleOf(m); !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
		row[3], row[4] = strings.Join(moves, "; "), strings.Join(rules, ", ")
		rows = append(rows, row)
	}
	return "```mermaid\n" + lanes(stages) + "```\n\n" + grid(rows) + "\n" + elsewhere(stages), nil
}

// ruleOf returns the rule of the row that a move took.
func ruleOf(m state.Move) string {
	for _, t := range state.Tables() {
		for _, r := range t.Rows {
			if t.Name == m.Table && r.From == m.From && r.On == m.On {
				return r.Rule
			}
		}
	}
	return "none"
}

// lanes draws the moves of the example in Mermaid, a lane for each table; an arrow has
// the numbers of the facts that take it.
func lanes(stages []stage) string {
	type arrow struct {
		table    string
		from, to fsm.State
	}
	var arrows []arrow
	numbers := map[arrow][]string{}
	for i, s := range stages {
		for _, m := range s.moves {
			a := arrow{m.Table, m.From, m.To}
			if numbers[a] == nil {
				arrows = append(arrows, a)
			}
			numbers[a] = append(numbers[a], strconv.Itoa(i+1))
		}
	}
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for _, t := range state.Tables() {
		fmt.Fprintf(&b, "    subgraph %s\n        direction LR\n", t.Name)
		drawn := map[fsm.State]bool{}
		node := func(s fsm.State) string {
			id := t.Name + "_" + string(s)
			if drawn[s] {
				return id
			}
			drawn[s] = true
			return id + "([" + string(s) + "])"
		}
		for _, a := range arrows {
			if a.table == t.Name {
				from, to := node(a.from), node(a.to)
				fmt.Fprintf(&b, "        %s -->|%s| %s\n", from, strings.Join(numbers[a], ", "), to)
			}
		}
		b.WriteString("    end\n")
	}
	return b.String()
}

// elsewhere names the states of each table that the example does not meet.
func elsewhere(stages []stage) string {
	var b strings.Builder
	b.WriteString("States that this request does not meet:")
	for i, t := range state.Tables() {
		met := map[fsm.State]bool{}
		for _, s := range stages {
			for _, m := range s.moves {
				if m.Table == t.Name {
					met[m.From], met[m.To] = true, true
				}
			}
		}
		var left []fsm.State
		for _, r := range t.Rows {
			for _, s := range []fsm.State{r.From, r.To} {
				if !met[s] && !slices.Contains(left, s) {
					left = append(left, s)
				}
			}
		}
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " of the %s %s", t.Name, quoteAll(left))
	}
	return b.String() + ".\n"
}
