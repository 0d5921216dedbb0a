package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// faultProofs names, for each fault of the matrix, the test or scenario that checks shelly's
// behaviour: a file of the project, and after a colon a test in it.
func faultProofs() map[string][]string {
	const points = "cmd/shelly/kill_test.go:TestKilledAtANamedPointNothingIsLostOrDoneTwice"
	return map[string][]string{
		"f001": {"cmd/shelly/killmoment_test.go:TestJRN9KilledAroundTheCommitARequestIsKeptOrUnknown", points},
		"f002": {"cmd/shelly/killmoment_test.go:TestJRN9KilledAroundTheCommitARequestIsKeptOrUnknown", points},
		"f003": {"cmd/shelly/killmoment_test.go:TestJRN5KilledBeforeTheModelIsAskedARequestGoesOnByItself", points},
		"f007": {points, "cmd/shelly/crash_test.go:TestKilledWhileAToolRunsTheRequestFinishesOnce"},
		"f010": {points},
		"f014": {points},
		"f021": {points, "runtime/store/everyfault_test.go:TestJRN12ACrashAtAnyOperationLosesNothingAcknowledged"},
		"f023": {"runtime/store/everyfault_test.go:TestJRN12ACrashAtAnyOperationLosesNothingAcknowledged"},
		"f031": {"cmd/shelly/full_test.go:TestJRN14ADiskThatOthersFill", "runtime/store/ballast_test.go:TestJRN23WhicheverWriteFindsTheDiskFull"},
		"f032": {"runtime/store/ballast_test.go:TestJRN23AFullDiskTakesTheBallast"},
		"f033": {"cmd/shelly/killfault_test.go:TestFaultOutOfFileDescriptors"},
		"f034": {"cmd/shelly/killfault_test.go:TestFaultADataFolderThatCannotBeUsed"},
		"f035": {"runtime/store/readfault_test.go:TestJRN11WhicheverReadFailsRecoveryIsRefusedAndNothingIsLost"},
		"f039": {"cmd/shelly/killfault_test.go:TestFaultAProcessThatIsSuspendedSendsNothingTwice"},
		"f040": {"runtime/ollama/chat_test.go:TestBRN7NoServerIsUnreachable", "scenarios/default/back-off.scenario.yaml"},
		"f046": {"runtime/ollama/chat_test.go:TestINF6BrokenStreamsAreTyped"},
		"f047": {"runtime/ollama/garbage_test.go:TestBRN11APageIsGarbageAndItsTypeIsNamed"},
		"f049": {"runtime/ollama/chat_test.go:TestBRN7RecordedErrorsAreTyped"},
		"f051": {"cmd/shelly/killfault_test.go:TestFaultABusyModelIsWaitedFor"},
		"f055": {"runtime/ollama/garbage_test.go:TestBRN11APackedAnswerIsNotUnpacked"},
		"f057": {"scenarios/model/slow-load.scenario.yaml", "runtime/ollama/deadline_test.go:TestBRN8DeadlinesAreTyped"},
		"f058": {"fsm/machine/journal_test.go:TestJRN7WhatNobodyWaitsForChangesNothingButACounter", "scenarios/model/stream-cancelled.scenario.yaml"},
		"f059": {"cmd/shelly/killfault_test.go:TestFaultTheModelRestartsWithinAToolLoop"},
		"f061": {"cmd/shelly/killrelay_test.go:TestFaultDatagramsThatAreLostOrDoubled"},
		"f062": {"cmd/shelly/killrelay_test.go:TestFaultDatagramsThatAreLostOrDoubled"},
		"f067": {"runtime/tool/runner_test.go:TestTOL2PanicInAToolIsAFailedResult", "runtime/daemon/harden_test.go:TestAPanicIsAFailedCall"},
		"f069": {"runtime/tool/exec_test.go:TestGivingUpKillsTheWholeGroup", "runtime/daemon/harden_test.go:TestACallThatDoesNotEndIsLeftBehind"},
		"f071": {"cmd/shelly/killfault_test.go:TestFaultASessionInAToolHoldsNobodyUp"},
		"f072": {"cmd/shelly/killmoment_test.go:TestHND36ARequestThatKillsTheDaemonIsPutAside"},
		"f073": {"cmd/shelly/testdata/script/signals.txtar"},
	}
}

// faultMatrix returns the ids of all faults of the matrix.
const faultMatrix = `f001 f002 f003 f007 f010 f014 f021 f023 f031 f032 f033 f034 f035 f039 f040 f046
	f047 f049 f051 f055 f057 f058 f059 f061 f062 f067 f069 f071 f072 f073`

func TestEachFaultOfTheMatrixHasATest(t *testing.T) {
	proofs := faultProofs()
	for _, id := range strings.Fields(faultMatrix) {
		if len(proofs[id]) == 0 {
			t.Errorf("%s has no test", id)
		}
		for _, proof := range proofs[id] {
			file, name, _ := strings.Cut(proof, ":")
			text, err := os.ReadFile(filepath.Join("..", "..", file))
			if err != nil || name != "" && !strings.Contains(string(text), "func "+name+"(") {
				t.Errorf("%s: there is no %s", id, proof)
			}
		}
		delete(proofs, id)
	}
	for id := range proofs { // order-free: each is reported by itself
		t.Errorf("%s is not a fault of the matrix", id)
	}
}
