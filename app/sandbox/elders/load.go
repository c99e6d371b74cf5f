package elders

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the zones must be there on machines that have none

	"github.com/goccy/go-yaml"
)

//go:embed people/*.yaml
var people embed.FS

//go:embed cues.yaml
var cuesYAML []byte

// Load reads all elders: those who are put into the database first, in their
// order, and then the others by name. It returns every mistake that it finds,
// joined, each with the elder's id.
func Load() ([]Elder, error) { return loadFrom(people) }

// Find returns the elder with an id, as in "margaret".
func Find(all []Elder, id string) (Elder, bool) {
	i := slices.IndexFunc(all, func(e Elder) bool { return strings.EqualFold(e.ID, id) })
	if i < 0 {
		return Elder{}, false
	}
	return all[i], true
}

func loadFrom(files fs.FS) ([]Elder, error) {
	names, err := fs.Glob(files, "people/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list elders: %w", err)
	}
	if _, err := theCues(); err != nil {
		return nil, err
	}
	var all []Elder
	var problems []error
	phones := map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			problems = append(problems, fmt.Errorf("read elder: %w", err))
			continue
		}
		id := strings.TrimSuffix(path.Base(name), ".yaml")
		e, err := parseElder(id, data)
		if err == nil && phones[e.Phone] != "" {
			err = fmt.Errorf("elder %s: phone is that of %s", id, phones[e.Phone])
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		phones[e.Phone] = id
		all = append(all, e)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	slices.SortFunc(all, byPlace)
	return all, nil
}

func byPlace(a, b Elder) int {
	last := func(n int) int {
		if n == 0 {
			return len(b.ID) + len(a.ID) + 1<<20
		}
		return n
	}
	return cmp.Or(cmp.Compare(last(a.Seeded), last(b.Seeded)), cmp.Compare(a.ID, b.ID))
}

// parseElder reads one file. An unknown key is a mistake, as is a repeated one.
func parseElder(id string, data []byte) (Elder, error) {
	var e Elder
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&e); err != nil {
		return Elder{}, fmt.Errorf("elder %s: %w", id, err)
	}
	e.ID = id
	if err := e.check(); err != nil {
		return Elder{}, err
	}
	return e, nil
}

var (
	fictionalPhone = regexp.MustCompile(`^\+1555\d{7}$`)
	clockTime      = regexp.MustCompile(`^(?:[01]\d|2[0-3]):[0-5]\d$`)
)

// check returns all that is wrong with an elder.
func (e Elder) check() error {
	var problems []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			problems = append(problems, fmt.Errorf("elder %s: "+format, append([]any{e.ID}, args...)...))
		}
	}
	for _, f := range []struct{ key, value string }{
		{"name", e.Name}, {"preferredName", e.PreferredName}, {"language", e.Language}, {"notes", e.Notes}, {"address", e.Address},
	} {
		wrong(strings.TrimSpace(f.value) == "", "%s is missing", f.key)
	}
	wrong(!fictionalPhone.MatchString(e.Phone), "phone %q is not of the form +1555…", e.Phone)
	_, err := time.LoadLocation(e.Timezone)
	wrong(e.Timezone == "" || err != nil, "timezone %q is not known", e.Timezone)
	wrong(!slices.Contains(Manners(), e.Manner), "manner %q is not known", e.Manner)
	wrong(len(e.Contacts) == 0, "contacts are missing")
	for _, c := range e.Contacts {
		wrong(c.Name == "" || !fictionalPhone.MatchString(c.Phone) || c.Priority < 1, "contact %q needs a name, a phone of the form +1555… and a priority from 1", c.Name)
	}
	wrong(!e.Consent.Calls || e.Consent.Source == "", "consent for calls, with its source, is missing")
	if q := e.QuietHours; q != nil {
		wrong(!clockTime.MatchString(q.Start) || !clockTime.MatchString(q.End), "quietHours must be clock times such as 20:00")
	}
	wrong(e.Turns.Min < 4 || e.Turns.Max > 8 || e.Turns.Min > e.Turns.Max, "turns must lie between 4 and 8")
	wrong(!e.Thinking.sound(), "thinking must be a span of time")
	wrong(!e.Pause.sound() || (e.Manner == Slow && e.Pause.Max == 0), "pause must be a span of time, and is needed by those who are slow")
	wrong(!e.Odds.sound(), "ring: odds must lie between 0 and 1 and leave room for an answer, and pickUp must be a span of time")
	wrong(e.Odds.Machine > 0 && e.Odds.Greeting == "", "ring: greeting is missing")
	for _, p := range e.History {
		wrong(p.DaysAgo < 1 || p.CallType == "" || p.Summary == "", "history needs daysAgo from 1, callType and summary")
		wrong(p.CallType == "health_check", "history has a health check: it belongs in checks, with its answers")
	}
	problems = append(problems, e.checkLines()...)
	problems = append(problems, e.checkCheck()...)
	return errors.Join(problems...)
}

func (e Elder) checkLines() []error {
	var problems []error
	lists := map[string][]string{
		"hello": e.Lines.Hello, "opening": e.Lines.Opening, "quirks": e.Lines.Quirks,
		"news": e.Lines.News, "fillers": e.Lines.Fillers, "goodbye": e.Lines.Goodbye,
	}
	for _, subject := range slices.Sorted(maps.Keys(e.Answers)) {
		list := e.Answers[subject]
		lists["answers."+subject] = list
		if !knownSubject(subject) {
			problems = append(problems, fmt.Errorf("elder %s: no cues lead to answers.%s", e.ID, subject))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		list := lists[key]
		if len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			problems = append(problems, fmt.Errorf("elder %s: %s is empty or has an empty line", e.ID, key))
		}
	}
	for _, line := range e.Lines.Goodbye {
		if !takesLeave(line) {
			problems = append(problems, fmt.Errorf("elder %s: goodbye %q does not take leave", e.ID, line))
		}
	}
	return problems
}

func (d Duration) sound() bool { return d.Min >= 0 && d.Max >= d.Min && d.Max <= time.Minute }

func (o Odds) sound() bool {
	each := func(p float64) bool { return p >= 0 && p <= 1 }
	return each(o.Busy) && each(o.NoAnswer) && each(o.Machine) && o.Busy+o.NoAnswer+o.Machine < 1 && o.PickUp.sound() && o.PickUp.Max > 0
}

// A subjectCues is what brings up one subject.
type subjectCues struct {
	Subject string   `yaml:"subject"`
	Cues    []string `yaml:"cues"`
}

var theCues = sync.OnceValues(func() ([]subjectCues, error) { return parseCues(cuesYAML) })

func parseCues(data []byte) ([]subjectCues, error) {
	var list []subjectCues
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&list); err != nil {
		return nil, fmt.Errorf("read cues: %w", err)
	}
	for _, c := range list {
		for _, cue := range c.Cues {
			if cue != plainText(cue) {
				return nil, fmt.Errorf("read cues: %q of %s is not in lower case without marks", cue, c.Subject)
			}
		}
	}
	return list, nil
}

func knownSubject(name string) bool {
	cues, err := theCues()
	return err == nil && slices.ContainsFunc(cues, func(c subjectCues) bool { return c.Subject == name })
}
