package format

import (
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Heartbeat is what is done without anybody's asking. Its hours are those of clock.zone,
// and its bounds those of the daemon's events.heartbeat.
type Heartbeat struct {
	Every   Duration `key:"every,required" min:"1m" max:"168h"` // between two beats
	Quiet   Hours    `key:"quiet"`                              // hours in which there is none, as 22:00-08:00
	Do      string   `key:"do"`                                 // what is done at each beat
	Channel string   `key:"channel"`                            // the channel it reports to; cli unless given
	Chat    string   `key:"chat"`                               // the chat in it; direct unless given
	Idle    Duration `key:"idle" max:"8760h"`                   // how long nobody has written before a greeting; nobody is greeted unless given
	PerDay  *Count   `key:"per_day" max:"24"`                   // greetings a day at most; 2 unless given
	Chance  *Count   `key:"chance" max:"100"`                   // of each beat that could be a greeting, in hundredths; 100 unless given
}

// Heartbeat is that of the configuration, or nil.
func (v *Config) Heartbeat() *Heartbeat { return v.beat }

// setting is the heartbeat as the machine has it.
func (v *Heartbeat) setting() fsm.Heartbeat {
	to := fsm.Origin{Channel: v.Channel, Chat: v.Chat}
	if to == (fsm.Origin{}) {
		to = fsm.Origin{Channel: "cli", Chat: "direct"}
	}
	h := fsm.Heartbeat{Every: fsm.Millis(v.Every), Quiet: fsm.Quiet(v.Quiet), Do: v.Do, To: to}
	if v.Idle > 0 {
		h.Greet = fsm.Greeting{Idle: fsm.Millis(v.Idle), PerDay: v.PerDay.Or(2), Chance: fsm.Share(v.Chance.Or(100))}
	}
	return h
}

// Hours are hours of the day such as 22:00-08:00.
type Hours fsm.Quiet

// Read implements [strict.Reader].
func (v *Hours) Read(d *strict.Decoder, n *strict.Node, path string) {
	hours, ok := fsm.ParseQuiet(n.Value)
	if !n.Scalar() || !ok {
		d.Add(n, path, "wants hours such as 22:00-08:00, not "+wording.Quote(n.Value))
	}
	*v = Hours(hours)
}
