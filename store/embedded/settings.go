package embedded

import "strconv"

// maxWALSize limits the write-ahead log between checkpoints, and thereby how long recovery
// after a crash takes.
const maxWALSize = "256MB"

// serverArgs returns the server's command-line arguments. Settings are passed there, not in
// a file, which keeps them the same for new and old clusters.
func serverArgs(cfg Config, h home, port int) []string {
	settings := [][2]string{
		{"listen_addresses", "127.0.0.1"},
		{"port", strconv.Itoa(port)},
		{"unix_socket_directories", ""},
		{"timezone", "UTC"},
		{"log_timezone", "UTC"},
		// For a small machine that also runs nAIber.
		{"shared_buffers", "64MB"},
		{"max_wal_size", maxWALSize},
		{"jit", "off"},
		// Parallel queries need shared memory, of which containers have 64 MB.
		{"max_parallel_workers_per_gather", "0"},
		{"max_wal_senders", "0"}, // no replicas
		// Statements and row values are personal data, and are not logged.
		{"log_statement", "none"},
		{"log_min_error_statement", "panic"},
		{"log_error_verbosity", "terse"},
	}
	if cfg.Fast {
		settings = append(settings, [][2]string{
			{"fsync", "off"},
			{"synchronous_commit", "off"},
			{"full_page_writes", "off"},
			{"wal_level", "minimal"},
			{"max_connections", "200"}, // parallel tests, one pool each
		}...)
	} else {
		settings = append(settings, [2]string{"max_connections", "50"})
	}
	args := []string{"-D", h.cluster()}
	for _, s := range settings {
		args = append(args, "-c", s[0]+"="+s[1])
	}
	return args
}
