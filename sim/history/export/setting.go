package export

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/sim/scenario/format"
)

// setting adds the profile and what the configuration has that the profile has not. The
// initial inference stays off: the request came after it. Tools that were added later are
// stubs too.
func (r *Record) setting(o *object, added []fsm.ToolDecl) {
	c := &r.From.Config
	own, ok := profile.Named(c.Profile)
	if !ok {
		own, _ = profile.Named(format.DefaultProfile)
	}
	o.put("profile", own.Profile)
	about := aboutOf(own.Prompts, c.Prompts)
	o.object("about", aboutKeys(about))
	if len(c.Zones) > 0 && !c.Zones[0].IsUTC() {
		o.object("clock", object{{"zone", zoneKeys(&c.Zones[0], r.start())}})
	}
	own.Prompts = own.Prompts.Fill(about)
	config := differences(c, &own)
	if len(r.Handles) == 0 { // a command may tell of it; beside any other request it would beat
		config.object("heartbeat", heartbeatKeys(&c.Heartbeat))
	}
	if names := toolNames(c.Tools, func(fsm.ToolDecl) bool { return true }); !slices.Equal(names, r.toolsByDefault(own, added)) {
		config.put("tools", names)
	}
	o.object("config", config)
}

// differences is what of the limits, switches, options and prompts one configuration has and
// another has not.
func differences(c, of *fsm.Config) (config object) {
	differing(&config, reflect.ValueOf(c.Limits), reflect.ValueOf(of.Limits))
	differing(&config, reflect.ValueOf(c.Switches), reflect.ValueOf(of.Switches))
	differing(&config, reflect.ValueOf(c.Options), reflect.ValueOf(of.Options))
	var prompts object
	differing(&prompts, reflect.ValueOf(c.Prompts), reflect.ValueOf(of.Prompts))
	config.object("prompts", prompts)
	return config
}

// unsaid is a configuration without what [differences] tells, and without tools and grants.
func unsaid(c fsm.Config) fsm.Config {
	c.Limits, c.Switches, c.Options, c.Prompts, c.Tools, c.Grants = fsm.Limits{}, fsm.Switches{}, fsm.Options{}, fsm.Prompts{}, nil, nil
	return c
}

// heartbeatKeys is a heartbeat; nothing where there is none.
func heartbeatKeys(h *fsm.Heartbeat) (o object) {
	if h.Every == 0 {
		return nil
	}
	o.put("every", span(h.Every))
	if h.Quiet.From != h.Quiet.Until {
		o.put("quiet", h.Quiet.String())
	}
	o.text("do", h.Do)
	o.text("channel", h.To.Channel)
	o.text("chat", h.To.Chat)
	if g := h.Greet; g.Idle > 0 {
		o.put("idle", span(g.Idle))
		o.put("per_day", g.PerDay)
		o.put("chance", int(g.Chance))
	}
	return o
}

// zoneKeys is a zone as it was at the time of the request.
func zoneKeys(z *fsm.Zone, at fsm.Millis) object {
	return object{{"name", z.Name}, {"offset", z.OffsetText(at)}}
}

// toolsByDefault are the tools that are declared where config.tools does not say: the
// profile's builtin ones, then the stubs.
func (r *Record) toolsByDefault(profile fsm.Config, added []fsm.ToolDecl) []string {
	names := toolNames(profile.Tools, func(t fsm.ToolDecl) bool { return t.Builtin })
	return append(names, toolNames(slices.Concat(r.From.Config.Tools, added), func(t fsm.ToolDecl) bool { return !t.Builtin })...)
}

func toolNames(tools []fsm.ToolDecl, which func(fsm.ToolDecl) bool) []string {
	names := []string{}
	for _, t := range tools {
		if which(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// differing adds the fields of a struct that differ from those of another, by their
// names in the journal.
func differing(o *object, is, from reflect.Value) {
	for i := range is.NumField() {
		if reflect.DeepEqual(is.Field(i).Interface(), from.Field(i).Interface()) {
			continue
		}
		name, _, _ := strings.Cut(is.Type().Field(i).Tag.Get("json"), ",")
		o.put(name, settingValue(name, is.Field(i)))
	}
}

// settingValue is a setting as a scenario writes it.
func settingValue(name string, v reflect.Value) any {
	switch v := v.Interface().(type) {
	case fsm.Millis:
		return span(v)
	case []fsm.Millis:
		steps := []string{}
		for _, d := range v {
			steps = append(steps, span(d))
		}
		return steps
	case []fsm.Section:
		parts := []any{}
		for _, s := range v {
			part := object{{"title", s.Title}}
			part.text("text", s.Text)
			part.text("of", string(s.Of))
			parts = append(parts, part)
		}
		return parts
	case int:
		if name == "temperature" {
			return temperature(v)
		}
		return v
	case bool, string:
		return v
	case fsm.Share:
		return int(v)
	}
	if word := v.String(); word != "" { // of a switch
		return word
	}
	return format.SwitchDefault(name)
}

// temperature is in thousandths, below 0 for exactly 0; a scenario has a decimal.
func temperature(thousandths int) any {
	return jsonNumber(strconv.Itoa(max(thousandths, 0)/1000) + strings.TrimRight("."+strconv.Itoa(1000 + max(thousandths, 0)%1000)[1:], "0."))
}

// jsonNumber is a number as it is written.
type jsonNumber string

// MarshalJSON implements [json.Marshaler].
func (n jsonNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// aboutOf finds out what the texts of a profile speak of, from the same texts filled
// in. What is not found is as a scenario has it.
func aboutOf(templates, filled fsm.Prompts) fsm.About {
	about := fsm.About{Name: "shelly", User: "the user", Workspace: "/workspace", System: "linux (simulated)"}
	words := []struct {
		name string
		to   *string
	}{{"{name}", &about.Name}, {"{user}", &about.User}, {"{persona}", &about.Persona}, {"{workspace}", &about.Workspace}, {"{system}", &about.System}}
	found := map[string]bool{} // only looked up
	for _, pair := range textPairs(templates, filled) {
		shape, order := regexp.QuoteMeta(pair[0]), []int{}
		for at := 0; at < len(pair[0]); at++ {
			for i, w := range words {
				if strings.HasPrefix(pair[0][at:], w.name) {
					order = append(order, i)
				}
			}
		}
		for _, w := range words {
			shape = strings.ReplaceAll(shape, regexp.QuoteMeta(w.name), "(.*?)")
		}
		got := regexp.MustCompile(`(?s)^` + shape + `$`).FindStringSubmatch(pair[1])
		for n, i := range order {
			if w := words[i]; got != nil && !found[w.name] {
				*w.to, found[w.name] = got[n+1], true
			}
		}
	}
	return about
}

// textPairs are the texts of prompts and the same of others.
func textPairs(a, b fsm.Prompts) [][2]string {
	var pairs [][2]string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if x.Field(i).Kind() == reflect.String {
			pairs = append(pairs, [2]string{x.Field(i).String(), y.Field(i).String()})
		}
	}
	for i := range min(len(a.Sections), len(b.Sections)) {
		pairs = append(pairs, [2]string{a.Sections[i].Text, b.Sections[i].Text})
	}
	return pairs
}

func aboutKeys(a fsm.About) object {
	var o object
	for _, w := range []struct{ key, value, usual string }{
		{"name", a.Name, "shelly"}, {"user", a.User, "the user"}, {"persona", a.Persona, ""},
		{"workspace", a.Workspace, "/workspace"}, {"system", a.System, "linux (simulated)"},
	} {
		if w.value != w.usual {
			o.text(w.key, w.value)
		}
	}
	return o
}
