// Package transcript holds what an Ollama 0.17.4 server was asked and what it
// answered, so that the client is held to what a real server sends, and the mock
// server to what it would have sent. It is for tests.
//
// The models brain, brain-think, brain-notools and brain-embed were made for it
// (see package handmade for how). A file of the folder answers is the method and
// the path, the body of the request, the status line, the headers, a blank line and
// the body as it came.
package transcript
