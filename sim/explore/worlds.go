package explore

import (
	"shelly/fsm"
	"shelly/fsm/profile"
)

// Bounds is a world that [Run] walks to the end: what may happen in it, and how
// often.
type Bounds struct {
	Name      string          `json:"name"`
	About     string          `json:"about"`
	Requests  int             `json:"requests"`   // user requests that may arrive
	Sessions  int             `json:"sessions"`   // sessions that they are of, in turn
	Events    int             `json:"events"`     // system events that may arrive
	Timeouts  int             `json:"timeouts"`   // deadlines that may pass; a wait before another try passes freely
	Crashes   int             `json:"crashes"`    // crashes, each followed by a boot; at most [CrashesMax]
	Signals   int             `json:"signals"`    // SIGTERMs
	Starts    int             `json:"starts"`     // boots after the machine has stopped
	Cancels   int             `json:"cancels"`    // requests to cancel
	StatesMax int             `json:"states_max"` // give up beyond this many unique states; 0: no bound
	Profile   string          `json:"profile"`
	Init      fsm.InitMode    `json:"init"`
	Switches  fsm.Switches    `json:"switches"`
	Limits    fsm.Limits      `json:"limits"`
	Effects   fsm.ToolEffects `json:"effects"`  // of the one tool
	Approve   bool            `json:"approve"`  // it needs a person's approval
	Probe     bool            `json:"probe"`    // it has a probe
	Grants    bool            `json:"grants"`   // an approval may be for the session, and be taken back; the tool may ask itself
	Builtins  []string        `json:"builtins"` // offered beside it
	NoTools   bool            `json:"no_tools"` // none at all
	Commands  bool            `json:"commands"` // every other request is /new
	Chat      bool            `json:"chat"`     // the requests are of a chat, which the events tell
	Reads     int             `json:"reads"`    // tokens that the model's server reads in a second; 0: that is not known
	Modest    bool            `json:"modest"`   // the model answers or calls; it neither fails, is cut nor asks for two

	DepthMax int         `json:"depth_max,omitempty"` // go no deeper; 0: no bound
	Enough   func() bool `json:"-"`                   // asked now and then: give up now; nil: never
	Case     *Case       `json:"-"`                   // whose world it is, but for the bounds; nil: the abstract one

	// Together runs do(0) to do(n-1) at the same time and returns when all have returned;
	// nil: one after another. What is found is the same (SIM-36). Workers is n.
	Together func(n int, do func(int)) `json:"-"`
	Workers  int                       `json:"-"`
}

// Worlds returns the explored worlds (SIM-8), the small one first. Each is walked to
// its end.
func Worlds() []Bounds {
	return []Bounds{
		SmallWorld(), initWorld(), turnWorld(), sessionsWorld(), personWorld(), spawnWorld(), poisonWorld(), compressWorld(), roundsWorld(), idleWorld(), consolidateWorld(),
		crashWorld(), shutdownWorld(), readsWorld(), probeWorld(), grantWorld(), postponeWorld(), saidWorld(), faultsWorld(), crowdWorld(),
	}
}

// BigWorlds returns worlds that take minutes.
func BigWorlds() []Bounds { return []Bounds{stormWorld()} }

// World returns a world by its name, or false.
func World(name string) (Bounds, bool) {
	for _, b := range append(Worlds(), BigWorlds()...) {
		if b.Name == name {
			return b, true
		}
	}
	return Bounds{}, false
}

// bounded is a world of a profile with little of everything.
func bounded(name, of, about string) Bounds {
	c, _ := profile.Named(of)
	l := c.Limits
	l.MaxToolRounds, l.MaxIterations, l.MaxCognitionRounds, l.MaxStoreAttempts = 1, 2, 1, 1
	l.MaxToolAttempts, l.MaxAnswerAttempts, l.MaxToolCalls, l.Backoff, l.Postpone = 1, 1, 2, nil, nil
	return Bounds{
		Name: name, About: about, Profile: of, Requests: 1, Sessions: 1,
		Init: fsm.InitOff, Switches: c.Switches, Limits: l, Effects: fsm.EffectsUnsafe,
	}
}

// SmallWorld is one request, one unsafe tool, one time-out, one crash and one
// shutdown, with a start after it.
func SmallWorld() Bounds {
	b := bounded("small", "shelly", "one request in profile shelly, with an unsafe tool, a time-out, a crash and a shutdown")
	b.Limits.MaxIterations, b.Limits.MaxToolCalls = 1000, 1000
	b.Limits.MaxCognitionRounds, b.Limits.MaxStoreAttempts = 2, 2
	b.Timeouts, b.Crashes, b.Signals, b.Starts = 1, 1, 1, 1
	return b
}

func initWorld() Bounds {
	b := bounded("init", "shelly", "an event beside the initial inference, with a repeatable tool, a time-out, a crash and a shutdown")
	b.Init, b.Effects = fsm.InitEveryStart, fsm.EffectsNone
	b.Requests, b.Events = 0, 1
	b.Timeouts, b.Crashes, b.Signals = 1, 1, 1
	return b
}

func turnWorld() Bounds {
	b := bounded("turn", "default", "one request with a session; model, tool and empty answers tried twice; a cancel, a time-out, a crash and a shutdown")
	b.Switches.Compress, b.Switches.Remember, b.Switches.NoCognition = false, fsm.RememberOff, true
	b.Limits.MaxToolAttempts, b.Limits.MaxAnswerAttempts, b.Limits.MaxStoreAttempts = 2, 2, 2
	b.Limits.Backoff = []fsm.Millis{fsm.Second}
	b.Timeouts, b.Crashes, b.Cancels, b.Signals, b.Starts = 1, 1, 1, 1, 1
	return b
}

func sessionsWorld() Bounds {
	b := bounded("sessions", "default", "three requests in two sessions, two at once, remembered when nobody waits; a cancel and a shutdown")
	b.Requests, b.Sessions = 3, 2
	b.Switches.Compress, b.Switches.NoCognition = false, true
	b.Switches.History = fsm.HistoryAnswers
	b.Limits.MaxActive, b.Reads = 2, 10
	b.Cancels, b.Signals = 1, 1
	b.Modest = true
	return b
}

func postponeWorld() Bounds {
	b := bounded("postpone", "default", "an event and the initial inference, which may wait until the model is in reach; a cancel, a crash and a shutdown")
	b.Requests, b.Events, b.Init = 0, 1, fsm.InitFirstStart
	b.Switches.Compress, b.Switches.Remember, b.Switches.NoCognition = false, fsm.RememberOff, true
	b.Limits.MaxActive, b.Limits.Postpone = 1, []fsm.Millis{fsm.Second}
	b.Crashes, b.Cancels, b.Signals, b.Starts = 1, 1, 1, 1
	return b
}

func saidWorld() Bounds {
	b := bounded("said", "default", "two requests of a chat and an event that tells the chat; a crash and a cancel")
	b.Requests, b.Events, b.Chat = 2, 1, true
	b.Switches.Compress, b.Switches.Remember, b.Switches.NoCognition = false, fsm.RememberOff, true
	b.Limits.MaxActive = 1
	b.Modest = true
	b.Crashes, b.Cancels = 1, 1
	return b
}

func personWorld() Bounds {
	b := bounded("person", "default", "two requests on one place, with a tool that a person approves and whose unknown outcome a person tells; a time-out, a cancel, a crash and a shutdown")
	b.Requests, b.Sessions = 2, 2
	b.Switches = fsm.Switches{Remember: fsm.RememberOff, Cancel: fsm.CancelImmediate, HoldUnknown: true}
	b.Limits.MaxActive = 1
	b.Approve, b.Modest = true, true
	b.Timeouts, b.Crashes, b.Cancels, b.Signals = 1, 1, 1, 1
	return b
}

func grantWorld() Bounds {
	b := bounded("grant", "default", "two requests of one session, one of them /new, with a tool that a person approves for the session or that asks itself; a time-out, a crash and a shutdown")
	b.Requests, b.Commands = 2, true
	b.Switches = fsm.Switches{Remember: fsm.RememberOff, NoCognition: true, Commands: true, Cancel: fsm.CancelImmediate}
	b.Limits.MaxActive, b.Limits.MaxToolAttempts, b.Limits.MaxToolRounds, b.Limits.MaxIterations = 1, 2, 2, 3
	b.Approve, b.Grants, b.Modest = true, true, true
	b.Timeouts, b.Crashes, b.Signals = 1, 1, 1
	return b
}

func spawnWorld() Bounds {
	b := bounded("spawn", "nanobot", "one request that may start a subagent, which reports to its session; a cancel, a time-out and a crash")
	b.Effects, b.Builtins = fsm.EffectsNone, []string{fsm.ToolSpawn}
	b.Limits.MaxSubagents, b.Limits.MaxIterations = 1, 2
	b.Switches.Overflow = fsm.OverflowKeep
	b.Modest = true
	b.Timeouts, b.Crashes, b.Cancels = 1, 1, 1
	return b
}

func poisonWorld() Bounds {
	b := bounded("poison", "shelly", "two requests and a crash, which no handle bears without a person who lets it go on; two signals")
	b.Requests, b.Sessions = 2, 2
	b.Switches = fsm.Switches{History: fsm.HistoryAll, Cancel: fsm.CancelImmediate}
	b.Limits.MaxCrashes, b.Limits.MaxActive = 1, 2
	b.Crashes, b.Signals = 1, 2
	b.NoTools = true
	b.Modest = true
	return b
}

// overBudget is a window that all prompts fit into, and a hundredth of which none does.
const overBudget = 8192

func compressWorld() Bounds {
	b := bounded("compress", "omniemployee", "one request whose conversation is compressed before the model is asked; a cancel, a time-out, a crash and a shutdown")
	b.Limits.ContextTokens, b.Limits.CompressPercent = overBudget, 1
	b.Limits.KeepMessages, b.Limits.MaxCompactions = 1, 2
	b.Effects = fsm.EffectsNone
	b.Timeouts, b.Crashes, b.Cancels, b.Signals, b.Starts = 1, 1, 1, 1, 1
	return b
}

func roundsWorld() Bounds {
	b := bounded("rounds", "omniemployee", "one request of two tool rounds, the first of which is summarized before the model is asked again; a crash")
	b.Limits.ContextTokens, b.Limits.CompressPercent = overBudget, 1
	b.Limits.KeepMessages, b.Limits.MaxCompactions = 1, 2
	b.Limits.MaxToolRounds, b.Limits.MaxIterations = 2, 3
	b.Effects = fsm.EffectsNone
	b.Crashes = 1
	return b
}

func idleWorld() Bounds {
	b := bounded("idle", "default", "two requests in two sessions, whose conversations are remembered and compressed while nobody waits; a crash and a shutdown")
	b.Requests, b.Sessions = 2, 2
	b.Limits.ContextTokens, b.Limits.CompressPercent = overBudget/2, 1
	b.Limits.KeepMessages, b.Limits.MaxIterations = 1, 1
	b.NoTools, b.Switches.NoCognition, b.Reads = true, true, 10
	b.Crashes, b.Signals = 1, 1
	return b
}

func consolidateWorld() Bounds {
	b := bounded("consolidate", "nanobot", "two requests, one of them /new, of a session whose history is consolidated; a cancel, a time-out, a crash and a shutdown")
	b.Requests, b.Commands = 2, true
	b.Limits.MaxHistory, b.Limits.MaxPending = 1, 1
	b.Limits.MaxIterations, b.NoTools, b.Switches.NoCognition = 1, true, false
	b.Timeouts, b.Crashes, b.Cancels, b.Signals, b.Starts = 1, 1, 1, 1, 1
	return b
}

func crashWorld() Bounds {
	b := bounded("crash", "shelly", "one request with an unsafe tool and a memory of its own, and two crashes, each of which may lose the unsynced tail")
	b.Limits.MaxToolAttempts, b.Limits.MaxStoreAttempts = 2, 2
	b.Crashes = 2
	return b
}

func shutdownWorld() Bounds {
	b := bounded("shutdown", "default", "two requests in two sessions, both at once; a crash, two signals, grace, farewell and a start")
	b.Requests, b.Sessions = 2, 2
	b.Switches.Compress, b.Switches.Remember, b.Switches.NoCognition = false, fsm.RememberOff, true
	b.Limits.MaxActive = 2
	b.Timeouts, b.Crashes, b.Signals, b.Starts = 1, 1, 2, 1
	b.Modest = true
	return b
}

func readsWorld() Bounds {
	b := bounded("reads", "default", "one request whose tool reads, so that two calls run together, each tried twice; a cancel, a time-out, a crash and a shutdown")
	b.Effects = fsm.EffectsNone
	b.Switches.Compress, b.Switches.Remember, b.Switches.NoCognition = false, fsm.RememberOff, true
	b.Limits.MaxToolAttempts, b.Limits.MaxToolCalls = 2, 3
	b.Timeouts, b.Crashes, b.Cancels, b.Signals, b.Starts = 1, 1, 1, 1, 1
	b.Modest = true
	return b
}

func probeWorld() Bounds {
	b := bounded("probe", "default", "one request whose unsafe tool has a probe and whose unknown outcome a person tells; a cancel, a time-out, two crashes and a shutdown")
	b.Switches = fsm.Switches{Remember: fsm.RememberOff, Cancel: fsm.CancelImmediate, HoldUnknown: true, NoCognition: true}
	b.Limits.MaxToolAttempts = 2
	b.Probe = true
	b.Timeouts, b.Crashes, b.Cancels, b.Signals, b.Starts = 1, 2, 1, 1, 1
	return b
}

func faultsWorld() Bounds {
	b := turnWorld()
	b.Name, b.About = "faults", "the world turn with two crashes and two time-outs"
	b.Crashes, b.Timeouts = 2, 2
	return b
}

func stormWorld() Bounds {
	b := turnWorld()
	b.Name, b.About = "storm", "the world turn with three crashes and three time-outs, and two cancels, shutdowns and starts"
	b.Crashes, b.Timeouts, b.Cancels, b.Signals, b.Starts = 3, 3, 2, 2, 2
	return b
}

func crowdWorld() Bounds {
	b := sessionsWorld()
	b.Name, b.About = "crowd", "the world sessions with two requests, and with a time-out, a crash and a start"
	b.Requests = 2
	b.Timeouts, b.Crashes, b.Starts = 1, 1, 1
	return b
}

// config is the configuration of every boot in the world.
func (b Bounds) config() fsm.Config {
	c := fsm.Config{
		Profile: b.Profile, Init: b.Init, Switches: b.Switches, Limits: b.Limits, Pace: fsm.Pace{Reads: b.Reads}, Edition: fsm.PresentEdition,
		Prompts: fsm.Prompts{
			Identity: "i", Question: "q", Init: "n", Farewell: "f", Summary: "s", Empty: "e", AtLimit: "l", AtLength: "c", Subagent: "a",
			Compress: "p", Consolidate: "j",
		},
	}
	if !b.NoTools {
		c.Tools = append(fsm.Builtins(b.Builtins...), fsm.ToolDecl{Name: "tool", Effects: b.Effects, Approve: b.Approve, Probe: b.Probe})
	}
	return c
}
