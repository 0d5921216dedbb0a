// Package described puts a conversation into the form in which a model that has no tool
// calls of its own is asked (BRN-16): the tools in the system prompt, the results as
// messages of the user.
//
//	messages = described.Conversation(ask.Messages(), tools) // sent with no tools
//
// The client of a real server sends this form, and the simulator has it rendered, so that
// what such a prompt costs is the same for both (SIM-20). The machine itself never sees it.
package described
