package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// skewWarn is more than the clock of a synchronized machine should be off.
	skewWarn = 30 * time.Second
	// skewFail is the skew beyond which signed requests are taken for replays.
	skewFail = 5 * time.Minute

	// minSecret is the least length of a secret of ours, in bytes.
	minSecret = 16
	// minDistinct is how many different bytes a secret must have. 32 random hexadecimal digits
	// have fewer once in 10¹² times.
	minDistinct = 6
)

// Clock returns a check that compares this machine's clock with that of the first address that
// answers with a date. Signatures are valid for a few minutes only.
func Clock(client *http.Client, addresses ...string) Check {
	return Check{Name: "clock", Run: func(ctx context.Context) Finding {
		for _, address := range addresses {
			began := time.Now()
			got, err := ask(ctx, client, http.MethodHead, address, nil, "")
			if err != nil {
				continue
			}
			took := time.Since(began)
			date, err := http.ParseTime(got.header.Get("Date"))
			if err != nil {
				continue
			}
			// The header is truncated to whole seconds, and was written between request and
			// answer.
			return judgeClock(began.Add(took / 2).Sub(date.Add(time.Second / 2)))
		}
		return skip("nobody told the time")
	}}
}

func judgeClock(off time.Duration) Finding {
	const fix = "Let the clock be set by NTP: timedatectl set-ntp true"
	way := "fast"
	if off < 0 {
		off, way = -off, "slow"
	}
	detail := fmt.Sprintf("%s %s", off.Round(time.Second), way)
	switch {
	case off > skewFail:
		return fail(detail+": signed requests are taken for replays", fix)
	case off > skewWarn:
		return warn(detail, fix)
	case off < 2*time.Second: // the precision of the comparison
		return ok("right")
	}
	return ok(detail)
}

// TimeZones returns a check that the named time zones are known, and some others, since quiet
// hours are in local time.
func TimeZones(names ...string) Check {
	return Check{Name: "time zones", Run: func(context.Context) Finding {
		for _, name := range append([]string{"Europe/Lisbon", "America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe"}, names...) {
			if _, err := time.LoadLocation(name); err != nil {
				return fail(name+" is not known here", "Install the package tzdata, or set ZONEINFO to its zoneinfo.zip.")
			}
		}
		return ok("known")
	}}
}

// DataDir returns a check that files can be stored in dir. A dir that does not exist yet is fine
// if it can be created.
func DataDir(dir string) Check {
	return Check{Name: "data folder", Run: func(context.Context) Finding {
		const fix = "Set NAIBER_DATA_DIR to a folder that the user who runs naiber may write to."
		if dir == "" {
			return fail("NAIBER_DATA_DIR is empty", fix)
		}
		dir, err := filepath.Abs(dir)
		if err != nil {
			return fail(reason(err), fix)
		}
		place, err := existing(dir)
		if err != nil {
			return fail(reason(err), fix)
		}
		f, err := os.CreateTemp(place, ".naiber-doctor-*")
		if err != nil {
			return fail(dir+" cannot be written to: "+reason(err), fix)
		}
		_, err = f.WriteString("nAIber looks whether it can write here.\n")
		err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
		switch {
		case err != nil:
			return fail(dir+" cannot be written to: "+reason(err), fix)
		case place != dir:
			return ok(dir + " will be created")
		}
		return ok(dir + " can be written to")
	}}
}

// existing returns dir, or the nearest folder above it that exists.
func existing(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			return dir, nil
		case err == nil:
			return "", fmt.Errorf("%s is not a folder", dir)
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

// NamedSecret is a secret that guards one of our own endpoints.
type NamedSecret struct {
	Name, Value string
	// Required means that the endpoint must be open; without a secret that is not required, the
	// endpoint stays closed.
	Required bool
}

// Secrets returns a check that the secrets of our own endpoints are set, hard to guess, and all
// different: each opens one endpoint only.
func Secrets(all ...NamedSecret) Check {
	return Check{Name: "secrets", Run: func(context.Context) Finding {
		var wrong []string
		named := map[string]string{}
		for _, s := range all {
			switch weakness := s.weakness(); {
			case s.Value == "" && s.Required:
				wrong = append(wrong, s.Name+" is not set")
			case s.Value == "":
			case named[s.Value] != "":
				wrong = append(wrong, s.Name+" is the same as "+named[s.Value])
			case weakness != "":
				wrong = append(wrong, s.Name+" "+weakness)
			}
			if named[s.Value] == "" {
				named[s.Value] = s.Name
			}
		}
		if len(wrong) > 0 {
			return fail(strings.Join(wrong, "; "), "Make each with: openssl rand -hex 32")
		}
		return ok("long enough, and each another")
	}}
}

// weakness returns why the secret is easy to guess, or "".
func (s NamedSecret) weakness() string {
	distinct := map[byte]bool{}
	for i := range len(s.Value) {
		distinct[s.Value[i]] = true
	}
	low := strings.ToLower(s.Value)
	switch {
	case len(s.Value) < minSecret:
		return fmt.Sprintf("has fewer than %d characters", minSecret)
	case len(distinct) < minDistinct:
		return "repeats a few characters"
	case strings.Contains(low, "changeme"), strings.Contains(low, "change-me"), strings.HasPrefix(low, "example"), strings.Contains(low, "password"):
		return "is a placeholder"
	}
	return ""
}
