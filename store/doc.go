// Package store is what outlives the process: the domain types and the verbs on
// them, kept in PostgreSQL.
//
// It promises that each exported method is one transaction unless it takes a
// [Tx], that absence is [ErrNotFound] and never a zero value, and that what may
// be told twice is kept once. It knows nothing of telephony, models or
// personas. The SQL is in the folder sql; the code generated from it is an inner
// package that only store imports.
package store
