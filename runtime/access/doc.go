// Package access keeps who may use the daemon beside the holder of its own token: clients,
// each with a name, a token and rights (COM-86).
//
// The file clients.json of the data folder has them, readable by its owner alone. Of a token
// only its hash is kept, so that neither the file nor a backup of it lets anybody in.
//
//	clients, err := access.Open(data, access.Options{})
//	token, err := clients.Add("ci", access.Rights{access.Ask})   // the one time that it is seen
//	c, alive, ok := clients.Find(token)                          // alive ends when it is revoked
package access
