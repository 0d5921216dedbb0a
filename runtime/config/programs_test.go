package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/runtime/config"
)

const programs = `tools:
  custom:
    weather:
      command: [python3, tools/weather.py]
      description: The weather of a place.
      schema:
        type: object
        properties:
          place: {type: string, maxLength: 80}
          days: {type: integer, minimum: 1, default: 2}
        required: [place]
      effects: none
      timeout: 5s
      network: true
      env: {KEY: "${WEATHER_KEY}"}
    lamp: {command: [./lamp], description: Switches the lamp., probe: [./lamp, --was]}
  mcp:
    files: {command: [npx, server-filesystem, .], env: {DEBUG: "1"}, tools: [read_text]}
    notes:
      url: https://notes.example/mcp
      headers: {Authorization: "Bearer ${NOTES_TOKEN}"}
      allow_addresses: [10.0.0.0/8]
      timeout: 90s
`

// An IPv6 address before a port has brackets, alone and in a list (TOL-71).
func TestTOL71AddressesWithBracketsAreItems(t *testing.T) {
	for text, want := range map[string]int{`["[::1]:8888", 10.0.0.1]`: 2, `["[::1]", "[fd00::1]:80"]`: 2} { // order-free
		w := newWorld(t)
		w.File = w.write("c.yaml", "tools: {web: {allow: true, allow_addresses: "+text+"}}\n")
		c := w.load()
		if got := c.Tools.Web.AllowAddresses; len(got) != want || !strings.HasPrefix(got[0], "[::1]") {
			t.Errorf("%s is %q", text, got)
		}
		if again := reloaded(t, c.Print()); again.Print() != c.Print() {
			t.Errorf("printed, loaded and printed again:\n%s", again.Print())
		}
	}
	for text, want := range map[string]string{"[::1]:8888": "[::1]:8888", "[[::1]:8888]": "[::1]:8888", "[a, b]": "a b", "a": "a"} { // order-free
		w := newWorld(t)
		w.Overrides = append(w.Overrides, config.Override{Flag: "--set", Key: "tools.web.allow_addresses", Value: text})
		if got := strings.Join(w.load().Tools.Web.AllowAddresses, " "); got != want {
			t.Errorf("%s is %q", text, got)
		}
	}
}

func TestTOL80ToolsThatAreProgramsAreRead(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", programs)
	c := w.load()
	weather, _ := c.Tools.Custom.Get("weather")
	if got := weather.Schema.JSON(); got != `{"type":"object","properties":{"place":{"type":"string","maxLength":80},"days":{"type":"integer","minimum":1,"default":2}},"required":["place"]}` {
		t.Errorf("the schema is %s", got)
	}
	if key, _ := weather.Env.Get("KEY"); weather.Effects != "none" || weather.Timeout.Or(time.Hour) != 5*time.Second || !weather.Network || key != "${WEATHER_KEY}" {
		t.Errorf("weather is %+v", weather)
	}
	lamp, _ := c.Tools.Custom.Get("lamp")
	if diff := cmp.Diff([]string{"./lamp", "--was"}, lamp.Probe); diff != "" || lamp.Timeout.Or(time.Minute) != time.Minute || lamp.Schema.JSON() != "" {
		t.Errorf("lamp is %+v", lamp)
	}
	files, _ := c.Tools.MCP.Get("files")
	notes, _ := c.Tools.MCP.Get("notes")
	if authorization, _ := notes.Headers.Get("Authorization"); len(files.Command) != 3 || files.Tools[0] != "read_text" || notes.URL == "" || authorization != "Bearer ${NOTES_TOKEN}" {
		t.Errorf("the servers are %+v and %+v", files, notes)
	}
	if again := reloaded(t, c.Print()); again.Print() != c.Print() {
		t.Errorf("printed, loaded and printed again:\n%s\nand first:\n%s", again.Print(), c.Print())
	}
}

func reloaded(t *testing.T, text string) config.Config {
	t.Helper()
	w := newWorld(t)
	w.File = w.write("c.yaml", text)
	return w.load()
}

func TestTOL80AMapOfToolsIsOneValueOutsideAFile(t *testing.T) {
	w := newWorld(t)
	w.Environ = append(w.Environ, `SHELLY_TOOLS_CUSTOM={"lamp": {"command": ["./lamp"], "description": "Switches."}}`)
	w.Overrides = []config.Override{{Flag: "--set", Key: "tools.mcp", Value: `{files: {command: [npx, files]}}`}}
	c := w.load()
	if lamp, ok := c.Tools.Custom.Get("lamp"); !ok || lamp.Command[0] != "./lamp" {
		t.Errorf("custom is %+v", c.Tools.Custom)
	}
	for _, s := range c.Explain() {
		if s.Key == "tools.mcp" && s.Value != `{"files":{"command":["npx","files"]}}` {
			t.Errorf("mcp is explained as %s", s.Value)
		}
	}
	w.Overrides[0].Value = `{files: {comand: [x]}}`
	if err := w.complaint(); !strings.Contains(err, "flag --set: tools.mcp: files.comand: unknown key comand; did you mean command?") {
		t.Error(err)
	}
}

func TestTOL80WhatIsWrongWithAToolIsNamed(t *testing.T) {
	complains(t, "tools", []wrong{
		{"custom: {a: {command: [x]}}", "c.yaml:2:15: tools.custom.a: the key description is missing"},
		{"custom: {a: {command: [x], description: d, comand: [y]}}", "tools.custom.a.comand: unknown key comand; did you mean command?"},
		{"custom: {a: {command: [], description: d}}", "tools.custom.a.command: names no program"},
		{"custom: {a: {command: x, description: d}}", "tools.custom.a.command: wants a list"},
		{"custom: {a b: {command: [x], description: d}}", "a name is of letters"},
		{"custom: {a: {command: [x], description: d, effects: nothing}}", "none, idempotent, unsafe"},
		{"custom: {a: {command: [x], description: d, timeout: 5}}", `tools.custom.a.timeout: wants a duration such as 60s or 5m, not "5"`},
		{"custom: {a: {command: [x], description: d, timeout: 48h}}", "the most is 24h"},
		{"custom: {a: {command: [x], description: d, schema: {type: string}}}", "tools.custom.a.schema: must be that of an object"},
		{"custom: {a: {command: [x], description: d, schema: {type: object, properties: 3}}}", "tools.custom.a.schema: is not a JSON schema"},
		{"custom: {a: {command: [x], description: d, schema: text}}", "tools.custom.a.schema: wants a JSON schema"},
		{"custom: [a]", "tools.custom: wants a map by name"},
	})
}

func TestTOL90WhatIsWrongWithAServerIsNamed(t *testing.T) {
	complains(t, "tools", []wrong{
		{"mcp: {a: {}}", "tools.mcp.a: is empty"},
		{"mcp: {a: {network: true}}", "tools.mcp.a: wants either command or url"},
		{"mcp: {a: {command: [x], url: http://h}}", "tools.mcp.a: wants either command or url"},
		{"mcp: {a: {url: ftp://h}}", "tools.mcp.a.url: wants an address"},
		{"mcp: {a: {url: http://h, env: {A: b}}}", "env and network go with command"},
		{"mcp: {a: {command: [x], headers: {A: b}}}", "headers and allow_addresses go with url"},
		{"mcp: {a: {url: \"https://a.example\", headers: {X-A: b, \"Api Key\": b}}}", "tools.mcp.a.headers: \"Api Key\" is no name of a header"},
		{"mcp: {a: {url: http://h, allow_addresses: [1.2.3]}}", "tools.mcp.a.allow_addresses: \"1.2.3\" is neither"},
		{"mcp: {this-name-is-too-long-for-one: {command: [x]}}", "the most is 24"},
	})
}

func TestTOL76WhatIsWrongWithTheWebIsNamed(t *testing.T) {
	complains(t, "tools", []wrong{
		{"web: {allow_addresses: [10.0.0.1/8]}", "tools.web.allow_addresses: 10.0.0.1/8 has bits beyond its length; write 10.0.0.0/8"},
		{"web: {search: {kind: searxng}}", "searxng needs tools.web.search.url"},
	})
}
