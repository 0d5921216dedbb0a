// Package access keeps the clients that may use the daemon besides the holder of its own token,
// each with a name, a token and rights (COM-86).
//
// They are in the file clients.json in the data folder, which only its owner may read. Only the
// hash of a token is kept, so that neither the file nor a backup of it lets anybody in.
//
//	clients, err := access.Open(data, access.Options{})
//	token, err := clients.Add("ci", access.Rights{access.Ask})   // shown only this once
//	c, alive, ok := clients.Find(token)                          // alive ends when it is revoked
package access
