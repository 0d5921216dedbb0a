// Package heard says what the client makes of what a model's server sends, before the machine
// reads it: thinking apart from the text (BRN-6), and arguments out of the strings that some
// servers wrap them in (BRN-5). The client of the daemon and the model of a script hear alike.
package heard
