// Package store is the persistent storage: the domain types and the operations on them, in
// PostgreSQL.
//
// It guarantees that each exported method is one transaction unless it takes a [Tx], that
// absence is [ErrNotFound] and never a zero value, and that events that may be reported
// twice are stored once. It knows nothing of telephony, models or personas. The SQL is in
// the folder sql; the code generated from it is an inner package that only store imports.
package store
