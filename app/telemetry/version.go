package telemetry

import (
	"runtime/debug"
	"strings"
)

// release is set by the linker for released binaries:
// -ldflags "-X github.com/naiber/naiber/app/telemetry.release=v1.2.3".
var release string

// Version returns the release, or else what the Go tool recorded: the module's version, or the
// commit, with "+changes" if the files differed from it, or "devel".
func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	// The commit says more than the pseudo-version of an unreleased commit.
	if v := info.Main.Version; v != "" && v != "(devel)" && !strings.HasPrefix(v, "v0.0.0-") {
		return v
	}
	var commit, changes string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if commit == "" {
		return "devel"
	}
	return commit + changes
}
