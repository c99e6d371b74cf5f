// Package embedded is the PostgreSQL that comes up by itself when no database
// is configured: a private cluster in one folder, started from the installed
// binaries where there are any, else from fetched ones.
//
// It promises:
//
//   - Loopback only, with a random password in a file that only the owner of
//     the folder can read. No Unix socket.
//   - One server per folder, shared by every process that asks for it. The
//     first to come starts it, later ones join, the last to [Cluster.Stop]
//     stops it. So a command may run alongside a server, and either may end first.
//   - What a killed process leaves behind is taken over: a server that is still
//     up is joined, one that is not is started again and recovers.
//   - A server that dies while it is used is started again within seconds, on the
//     same port, by one of those who use it.
//   - Run as root, the server runs as an unprivileged user, since PostgreSQL
//     refuses root.
//
// The folder holds:
//
//	cluster/      PostgreSQL's data directory
//	password      of the role "naiber"
//	postgres.log  what the server says; statements and row values are left out
//	gate          locked while a process starts, joins or stops the server
//	users         locked, shared, by each process that uses the server
//
// Two locks, because "is anyone left?" and "start or stop it" must be one
// decision: whoever holds the gate may ask for users exclusively, and gets it
// only when nobody else is there. A lock dies with its process, however that
// ends. The package needs a Unix; it knows nothing of schemas or migrations.
package embedded
