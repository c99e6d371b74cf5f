// Package embedded provides the PostgreSQL that starts automatically when no database is
// configured: a private cluster in one folder, run from installed binaries if there are
// any, otherwise from downloaded ones.
//
// It guarantees:
//
//   - Loopback only, with a random password in a file that only the owner of
//     the folder can read. No Unix socket.
//   - One server per folder, shared by every process that needs it. The first
//     process starts it, later ones join, and the last to call [Cluster.Stop]
//     stops it. A command may run next to a server, and either may end first.
//   - After a killed process, a server that is still up is joined, and one that
//     is not is restarted and recovers.
//   - A server that dies while in use is restarted within seconds, on the same
//     port, by one of its users.
//   - For root, the server runs as an unprivileged user, since PostgreSQL
//     refuses to run as root.
//
// The folder holds:
//
//	cluster/      PostgreSQL's data directory
//	password      of the role "naiber"
//	postgres.log  the server's log, without statements and row values
//	gate          locked while a process starts, joins or stops the server
//	users         locked, shared, by each process that uses the server
//
// Two locks are needed, because "is anyone left?" and "start or stop it" must be one
// decision: the holder of the gate may request an exclusive lock on users, and gets it only
// if no one else is there. A lock ends with its process, however that ends. The package
// needs a Unix; it knows nothing of schemas or migrations.
package embedded
