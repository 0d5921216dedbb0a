package format

import (
	"reflect"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim/server"
	"shelly/sim/strict"
)

// Server is what the models run on (SIM-20, SCN-55): laptop, or a map. What the map leaves out
// takes no time and has no bounds.
type Server struct {
	Laptop bool
	Reads  *Speed   `key:"reads"`         // tokens of a prompt a second, such as 25/s
	Writes *Speed   `key:"writes"`        // tokens of an answer a second, such as 8/s
	Slots  *Count   `key:"slots"`         // how many calls of one model are served at a time; 1 unless given
	Window *Count   `key:"window"`        // tokens of prompt and answer together
	Loads  Duration `key:"loads"`         // how long a model takes to load
	Models *Count   `key:"loaded_models"` // how many models stay loaded
	Keeps  Duration `key:"keep_alive"`    // how long a model stays loaded that nobody asks
}

// Speeds are those of a server from some time on. What it serves by then goes on as it began.
type Speeds struct {
	Reads  *Speed `key:"reads"`  // tokens of a prompt a second; as before unless given
	Writes *Speed `key:"writes"` // tokens of an answer a second; as before unless given
}

func (v *Server) Read(d *strict.Decoder, n *strict.Node, path string) {
	switch {
	case n.Scalar() && n.Value == laptopServer:
		v.Laptop = true
	case n.Kind == strict.MapKind:
		d.Object(n, v, path)
	default:
		d.Add(n, path, "wants "+laptopServer+" or a map of "+strings.Join(strict.Keys(reflect.TypeFor[Server]()), ", ")+"; found "+n.String())
	}
}

const laptopServer = "laptop"

// Config is the server as the simulator and the mock have it; nil without one.
func (v *Server) Config() *server.Config {
	if v == nil {
		return nil
	}
	c := server.Laptop()
	if !v.Laptop {
		c = server.Config{
			Reads: v.Reads.Or(0), Writes: v.Writes.Or(0), Slots: v.Slots.Or(1), Window: v.Window.Or(0),
			Loads: fsm.Millis(v.Loads), Models: v.Models.Or(0), Keeps: fsm.Millis(v.Keeps),
		}
	}
	return &c
}

// Speed is a number of tokens a second, written as 25/s.
type Speed int

// Or is the speed, or another where it is not given.
func (v *Speed) Or(other int) int {
	if v == nil {
		return other
	}
	return int(*v)
}

func (v *Speed) Read(d *strict.Decoder, n *strict.Node, path string) {
	digits, ok := strings.CutSuffix(n.Value, "/s")
	number, err := strconv.Atoi(digits)
	if n.Kind != strict.TextKind || !ok || err != nil || number < 1 || number > speedMax {
		d.Add(n, path, "wants tokens a second such as 25/s, not "+n.String())
		return
	}
	*v = Speed(number)
}

const speedMax = 9_999_999
