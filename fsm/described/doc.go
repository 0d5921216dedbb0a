// Package described puts a conversation into the form for a model without native tool calls
// (BRN-16): the tools in the system prompt, the results as messages of the user.
//
//	messages = described.Conversation(ask.Messages(), tools) // sent with no tools
//
// The client of a real server sends this form, and the simulator has it rendered, so that
// what such a prompt costs is the same for both (SIM-20). The machine itself never sees it.
package described
