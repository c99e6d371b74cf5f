//go:build unix && !linux

package embedded

const mortal = false
