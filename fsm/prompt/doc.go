// Package prompt is what a model call is sent before the conversation: the system prompt
// (SKL-2) and the tools. Both follow from the configuration and the handle alone.
package prompt
