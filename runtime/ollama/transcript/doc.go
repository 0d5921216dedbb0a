// Package transcript holds requests to an Ollama 0.17.4 server with its answers, so that tests
// check the client against what a real server sends, and the mock server against what a real one
// would have sent. It is for tests.
//
// The models brain, brain-think, brain-notools and brain-embed were made for it (by package
// handmade). A file in the folder answers consists of method and path, the request body, the status
// line, the headers, a blank line and the response body as it came.
package transcript
