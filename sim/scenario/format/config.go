package format

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Config overrides single settings of a profile. Its keys are
//
//	init                     when the initial inference runs: every_start, first_start or off
//	max_tool_rounds, …       each limit of [fsm.Limits] by its name, durations as 300s, backoff as a list of them
//	history, compress, …     each switch of [fsm.Switches] by its name: true, false or a word
//	temperature, max_tokens  of each model call; a temperature of 0 is exactly 0
//	prompts                  the texts of the profile that are said to the model, by name, and the sections of its system prompt
//	tools                    the names of the tools that are declared; the profile's and all stubs unless given
//	heartbeat                what is done without anybody's asking
//	approve                  who decides about the calls of a tool, by its name, whatever its entries say: always a person, or never
type Config struct {
	init    fsm.InitMode
	Tools   []string
	Approve strict.ByName[string]
	beat    *Heartbeat
	given   []override
}

// approveWords are the words of approve.
func approveWords() []string { return []string{"always", "never"} }

// override sets one setting.
type override struct {
	group  string // "limits", "switches", "options", "prompts"; empty: init or tools
	name   string
	index  int
	number int64 // of a limit or option
	truth  bool
	text   string // of a word or prompt
	steps  []fsm.Millis
	parts  []fsm.Section
}

// PromptPart is a section of the system prompt.
type PromptPart struct {
	Title string `key:"title,required"`                                            // stands above it
	Text  string `key:"text"`                                                      // stands before what of adds
	Of    string `key:"of" enum:"tools,always_skills,skills,loaded_skills,memory"` // what it shows of the machine's state
}

// switchWords are the words of a switch; the first stands for its zero value.
func switchWords(of reflect.StructField) []string {
	if words := of.Tag.Get("of"); words != "" {
		return strings.Split(words, "|")
	}
	return nil
}

// configGroups are the structs whose fields are keys of config.
func configGroups(c *fsm.Config) []namedStruct {
	return []namedStruct{
		{"limits", reflect.ValueOf(&c.Limits).Elem()},
		{"switches", reflect.ValueOf(&c.Switches).Elem()},
		{"options", reflect.ValueOf(&c.Options).Elem()},
	}
}

// SwitchDefault is the word of a switch that has words and is not set; empty for one
// that has none.
func SwitchDefault(name string) string {
	for _, f := range jsonFields(reflect.TypeFor[fsm.Switches]()) {
		if words := switchWords(f); jsonName(f) == name && words != nil {
			return words[0]
		}
	}
	return ""
}

type namedStruct struct {
	name  string
	value reflect.Value
}

// configKeys are the keys of config in their order.
func configKeys() []string {
	keys := []string{"init"}
	for _, g := range configGroups(&fsm.Config{}) {
		keys = append(keys, jsonNames(g.value.Type())...)
	}
	return append(keys, "prompts", "tools", "heartbeat", "approve")
}

// jsonNames are the names of a struct's fields in the wire form.
func jsonNames(t reflect.Type) []string {
	var list []string
	for _, f := range jsonFields(t) {
		list = append(list, jsonName(f))
	}
	return list
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// jsonFields are a struct's fields in the wire form, those of what it embeds in its place.
func jsonFields(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
}

func (v *Config) Read(d *strict.Decoder, n *strict.Node, path string) {
	switch {
	case n.Kind != strict.MapKind:
		d.Add(n, path, "wants a map of "+strings.Join(configKeys(), ", ")+"; found "+n.String())
		return
	case len(n.Content) == 0:
		d.Add(n, path, "is empty; the keys here are: "+strings.Join(configKeys(), ", "))
		return
	}
	d.Members(n, path, func(key, item *strict.Node, at string) {
		if item = d.Enter(item, at); item == nil {
			return
		}
		defer d.Leave()
		if item.Kind == strict.NullKind {
			d.Add(item, at, strict.Absent(item))
			return
		}
		v.readKey(d, key, item, at)
	})
}

func (v *Config) readKey(d *strict.Decoder, key, n *strict.Node, path string) {
	switch key.Value {
	case "init":
		v.init = fsm.InitMode(d.Word(n, path, []string{string(fsm.InitEveryStart), string(fsm.InitFirstStart), string(fsm.InitOff)}))
		return
	case "tools":
		v.Tools = []string{}
		d.List(n, &v.Tools, path)
		return
	case "approve":
		v.Approve.Read(d, n, path)
		for _, a := range v.Approve {
			if !slices.Contains(approveWords(), a.Value) {
				d.Add(n, strict.Member(path, a.Name), wording.Unknown("word", a.Value, approveWords()))
			}
		}
		return
	case "heartbeat":
		v.beat = &Heartbeat{}
		d.Value(n, v.beat, path)
		return
	case "prompts":
		v.readPrompts(d, n, path)
		return
	}
	for _, g := range configGroups(&fsm.Config{}) {
		if i := slices.Index(jsonNames(g.value.Type()), key.Value); i >= 0 {
			o := override{group: g.name, name: key.Value, index: i}
			o.read(d, n, g.value.Type().Field(i), path)
			v.given = append(v.given, o)
			return
		}
	}
	d.Add(key, path, unknownSetting(key.Value))
}

// unknownSetting says what is wrong with a key that config does not have. The daemon's
// configuration has the same settings under the same names, but in sections.
func unknownSetting(key string) string {
	section, name, dotted := strings.Cut(key, ".")
	switch {
	case !slices.Contains([]string{"limits", "switches", "brain"}, section):
		return wording.Unknown("key", key, configKeys())
	case dotted && slices.Contains(configKeys(), name):
		return "has no section " + section + " in a scenario; write " + name
	default:
		return "has no section " + section + " in a scenario; write its settings here, as config: {max_queue: 8}"
	}
}

// read reads what a field is overridden with. Its bounds are those of the daemon's configuration.
func (o *override) read(d *strict.Decoder, n *strict.Node, of reflect.StructField, path string) {
	known, within := len(d.Problems), bounds(of.Tag)
	check := func(n *strict.Node, path string, number int64, read func(string) (int64, error)) {
		if wrong := within.Wrong(number, wording.Word(n.Value), read); wrong != "" && len(d.Problems) == known {
			d.Add(n, path, wrong)
		}
	}
	switch t := of.Type; {
	case o.name == "temperature":
		o.number = thousandths(d, n, path)
		check(n, path, max(o.number, 0), func(bound string) (int64, error) { return strconv.ParseInt(bound+"000", 10, 64) })
	case t == reflect.TypeFor[fsm.Millis]():
		var length limitTime
		length.Read(d, n, path)
		o.number = int64(length.Duration)
		check(n, path, o.number, millis)
	case t == reflect.TypeFor[[]fsm.Millis]():
		var steps []limitTime
		d.List(n, &steps, path)
		for i, s := range steps {
			o.steps = append(o.steps, fsm.Millis(s.Duration))
			check(n.Content[i], strict.Element(path, i), int64(s.Duration), millis)
		}
	case t.Kind() == reflect.Int:
		number, _ := d.Number(n, path)
		o.number = int64(number)
		check(n, path, o.number, func(bound string) (int64, error) { return strconv.ParseInt(bound, 10, 64) })
	case t.Kind() == reflect.Bool:
		o.truth = d.Truth(n, path)
	default:
		words := switchWords(of)
		if o.text = d.Word(n, path, words); o.text == words[0] {
			o.text = ""
		}
	}
}

// bounds are those of a setting: the daemon's, or from less where the field's tag says so.
func bounds(tag reflect.StructTag) strict.Range {
	r := strict.RangeOf(tag)
	r.Min = cmp.Or(tag.Get("scenario"), r.Min)
	return r
}

// limitTime is a limit that is a time: a length such as 60s, which is never 0.
type limitTime struct{ Duration }

// millis reads a bound of a time.
func millis(bound string) (int64, error) {
	length, err := time.ParseDuration(bound)
	return length.Milliseconds(), err
}

// thousandths reads a decimal such as 0.7 with at most three places. Exactly 0 is
// -1, since 0 is the model's own.
func thousandths(d *strict.Decoder, n *strict.Node, path string) int64 {
	if n.Kind != strict.IntKind && n.Kind != strict.FloatKind {
		d.Add(n, path, "wants a number such as 0.7, not "+n.String())
		return 0
	}
	whole, part, _ := strings.Cut(n.Value, ".")
	number, err := strconv.ParseUint(whole+(part + "000")[:max(3, len(part))], 10, 31)
	switch {
	case err != nil && whole != "" && strings.Trim(whole+part, "0123456789") == "":
		d.Add(n, path, "the number "+wording.Word(n.Value)+" is too large")
	case err != nil || whole == "":
		d.Add(n, path, "write the number "+wording.Word(n.Value)+" in plain decimal, at least 0")
	case len(part) > 3:
		d.Add(n, path, "the number "+wording.Word(n.Value)+" has more than three decimals")
	case number == 0:
		return -1
	}
	return int64(number)
}

func (v *Config) readPrompts(d *strict.Decoder, n *strict.Node, path string) {
	t := reflect.TypeFor[fsm.Prompts]()
	known := jsonNames(t)
	if n.Kind != strict.MapKind || len(n.Content) == 0 {
		d.Add(n, path, "wants a map of "+strings.Join(known, ", ")+"; found "+n.String())
		return
	}
	d.Members(n, path, func(key, item *strict.Node, at string) {
		i := slices.Index(known, key.Value)
		o := override{group: "prompts", name: key.Value, index: i}
		switch {
		case i < 0:
			d.Add(key, at, wording.Unknown("key", key.Value, known))
			return
		case t.Field(i).Type.Kind() == reflect.Slice:
			var parts []PromptPart
			d.Value(item, &parts, at)
			for _, p := range parts {
				o.parts = append(o.parts, fsm.Section{Title: p.Title, Text: p.Text, Of: fsm.Content(p.Of)})
			}
		default:
			problems := len(d.Problems)
			d.Value(item, &o.text, at)
			if len(d.Problems) > problems {
				break
			}
			if err := fsm.CheckPrompt(o.text); err != nil {
				d.Add(item, at, err.Error())
			} else if strings.TrimSpace(o.text) == "" && t.Field(i).Tag.Get("empty") != "ok" {
				d.Add(item, at, "is empty")
			}
		}
		v.given = append(v.given, o)
	})
}

// HasPrompt reports whether a text of the profile has another in its place.
func (v *Config) HasPrompt(name string) bool {
	return v != nil && slices.ContainsFunc(v.given, func(o override) bool { return o.group == "prompts" && o.name == name })
}

// Apply returns c with what is given in place of its own.
func (v *Config) Apply(c fsm.Config) fsm.Config {
	if v == nil {
		return c
	}
	if v.init != "" {
		c.Init = v.init
	}
	if v.beat != nil {
		c.Heartbeat = v.beat.setting()
	}
	groups := append(configGroups(&c), namedStruct{"prompts", reflect.ValueOf(&c.Prompts).Elem()})
	for _, o := range v.given {
		i := slices.IndexFunc(groups, func(g namedStruct) bool { return g.name == o.group })
		o.set(groups[i].value.Field(o.index))
	}
	return c
}

func (o *override) set(field reflect.Value) {
	switch field.Kind() {
	case reflect.Slice:
		if o.group == "prompts" {
			field.Set(reflect.ValueOf(o.parts))
		} else {
			field.Set(reflect.ValueOf(o.steps))
		}
	case reflect.Bool:
		field.SetBool(o.truth)
	case reflect.String:
		field.SetString(o.text)
	default:
		field.SetInt(o.number)
	}
}

// Names are the tools that the configuration declares; nil: those of o.
func (v *Config) Names(o []string) []string {
	if v == nil || v.Tools == nil {
		return o
	}
	return v.Tools
}
