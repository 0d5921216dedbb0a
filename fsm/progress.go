package fsm

// Stage is how far a model call has come.
type Stage string

// The stages, in their order: the model is being loaded, the server has the call and reads
// its prompt once it comes to it, the first token is written.
const (
	StageLoading  Stage = "loading"
	StageAccepted Stage = "accepted"
	StageWriting  Stage = "writing"
)

// ProgressAfter is how long a call has gone on before its progress is told: most calls are
// over by then.
const ProgressAfter = 2 * Second

// BrainProgress says that a model call has come to a stage. At most one comes for each
// stage of a call, and none before ProgressAfter; one that the call has left by then is
// not told (INF-50).
type BrainProgress struct {
	Call  CallID `json:"call"`
	Stage Stage  `json:"stage"`
}

func (BrainProgress) kind() factKind { return factBrainProgress }

// Beyond reports whether a stage comes after another; any comes after none.
func (s Stage) Beyond(other Stage) bool { return s.order() > other.order() }

func (s Stage) order() int {
	switch s {
	case StageLoading:
		return 1
	case StageAccepted:
		return 2
	case StageWriting:
		return 3
	default:
		return 0
	}
}
