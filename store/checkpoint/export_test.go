package checkpoint

import "time"

// Patient makes s wait for Redis for as long as a busy machine takes.
func Patient(s *Store) { s.redis.timeout = 20 * time.Second }
