// Package replay asks a model the questions that a journal has recorded: it is `shelly request
// replay --model`. What a question is and how two decisions compare is decided in
// sim/history/regression; this package has the model, the file of answers and the terminal.
//
//	answers, err := replay.Open(file)   // what earlier runs were answered
//	w := &replay.Work{Answers: answers, …}
//	plan := w.Plan(questions, model, 1) // what is there, and what is left to ask
//	err = w.Ask(ctx, plan)              // each answer is in the file before the next is asked for
//	report := …                         // from what the file has
//
// No tool is run, and nothing is written but the file of answers.
package replay
