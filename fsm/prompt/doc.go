// Package prompt makes what a model call sends before the conversation: the system prompt
// (SKL-2) and the tools. Both follow from the configuration and the handle alone.
package prompt
