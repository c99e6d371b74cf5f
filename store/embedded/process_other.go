//go:build unix && !linux

package embedded

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// serves reports whether the process is a PostgreSQL. Without /proc it is unknown of which
// cluster; the process id in this cluster's lock file must do, and connecting to it proves
// the rest.
func serves(pid int, _ string) bool { return strings.Contains(ask(pid, "comm="), "postgres") }

// zombie reports whether the process has ended but was not reaped.
func zombie(pid int) bool { return strings.HasPrefix(ask(pid, "stat="), "Z") }

func ask(pid int, column string) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-o", column, "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// startMortal starts a server. Only Linux can make it die with us; elsewhere the next start
// joins it.
func startMortal(cmd *exec.Cmd) (letGo func(), err error) {
	return func() {}, cmd.Start()
}
