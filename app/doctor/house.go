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
	// skewWarn is more than a machine that asks for the time should be off.
	skewWarn = 30 * time.Second
	// skewFail is where signed requests begin to be taken for replays.
	skewFail = 5 * time.Minute

	// minSecret is how long a secret of ours must be, in bytes.
	minSecret = 16
	// minDistinct is how many different bytes a secret must have. 32 random
	// hexadecimal digits have fewer once in 10¹² times.
	minDistinct = 6
)

// Clock compares this machine's clock with that of the first of the addresses
// that tells the time. Signatures are good for a few minutes only.
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
			// The header is cut to whole seconds, and was written in between.
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
	case off < 2*time.Second: // no finer than it was told
		return ok("right")
	}
	return ok(detail)
}

// TimeZones checks that the rules of time zones are there, and of the named ones
// besides some of our own: quiet hours are local.
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

// DataDir checks that files can be kept in dir. One that does not exist yet is
// fine where it can be created.
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

// NamedSecret is a key to one of our own doors.
type NamedSecret struct {
	Name, Value string
	// Required says that its door must be opened; an empty one that is not
	// required keeps its door shut.
	Required bool
}

// Secrets checks that the keys to our own doors are there, hard to guess, and
// each another: a key opens one door only.
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

// weakness says why the secret is easy to guess, or nothing.
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
