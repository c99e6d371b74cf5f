package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// defaultFile is read if no file is named and it exists.
const defaultFile = "config.yaml"

// LoadOptions are the sources of a configuration.
type LoadOptions struct {
	// Path is the file, which must exist. If it is empty, ./config.yaml is read
	// if it exists.
	Path string
	// Env looks up a variable; the default is os.LookupEnv. An empty variable
	// counts as unset: compose files create many of those.
	Env func(string) (string, bool)
	// Environ lists the variables, as os.Environ does; that is the default if
	// Env is nil. Variables that begin with our prefix and set no option are
	// mistakes.
	Environ []string
	// Flags are values by option key ("server.port"). Flags may be nil.
	Flags map[string]string
}

// Load reads the configuration: defaults, overridden by the file, overridden by
// the environment, overridden by flags.
//
// The error joins everything that is wrong, one line for each mistake, with the
// option and the source of its value; no line holds the value of a secret. The
// Config is complete even then, with defaults for values that could not be
// read.
func Load(from LoadOptions) (Config, error) {
	l := loader{cfg: Default()}
	l.file(from.Path)
	env, environ := from.Env, from.Environ
	if env == nil {
		env, environ = os.LookupEnv, os.Environ()
	}
	for _, o := range options {
		for _, name := range o.envNames() {
			if v, ok := env(name); ok && v != "" {
				l.set(o, v, name)
			}
		}
	}
	l.unknown(environ)
	for _, key := range slices.Sorted(maps.Keys(from.Flags)) {
		if o := optionByKey[key]; o != nil {
			l.set(o, from.Flags[key], "--"+key)
		} else {
			l.problems = append(l.problems, fmt.Errorf("--%s: there is no such option", key))
		}
	}
	l.check()
	l.tidy()
	return l.cfg, errors.Join(l.problems...)
}

// linked matches variables that Kubernetes and Docker set by themselves if a
// service is called naiber, such as NAIBER_SERVICE_HOST and
// NAIBER_PORT_3000_TCP.
var linked = regexp.MustCompile(`^NAIBER_(SERVICE_(HOST|PORT)|PORT)(_|$)`)

// unknown reports variables that begin with our prefix and set no option.
func (l *loader) unknown(environ []string) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		known := slices.ContainsFunc(options, func(o *option) bool { return slices.Contains(o.envNames(), name) })
		if strings.HasPrefix(name, prefix) && value != "" && !known && !linked.MatchString(name) {
			l.problems = append(l.problems, fmt.Errorf("%s: there is no such variable; config.yaml names them all", name))
		}
	}
}

type loader struct {
	cfg      Config
	problems []error
}

func (l *loader) file(path string) {
	named := path != ""
	if !named {
		path = defaultFile
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return
	}
	if err != nil {
		l.problems = append(l.problems, fmt.Errorf("read configuration: %w", err))
		return
	}
	name := filepath.Base(path)
	entries, err := readFile(name, data)
	if err != nil {
		l.problems = append(l.problems, err)
	}
	for _, e := range entries {
		o := optionByKey[e.key]
		source := fmt.Sprintf("%s:%d", name, e.line)
		if list, ok := o.field(&l.cfg).(*[]string); ok {
			*list, l.cfg.from[o.key] = e.values, source
			continue
		}
		l.set(o, e.values[0], source)
	}
}

// set parses a value. If it cannot be read, the old one stays.
func (l *loader) set(o *option, value, source string) {
	if err := assign(o.field(&l.cfg), value); err != nil {
		l.problems = append(l.problems, fmt.Errorf("%s (%s): %w", o.key, source, err))
		return
	}
	l.cfg.from[o.key] = source
}

// check checks each value by itself, once all are final.
func (l *loader) check() {
	for _, o := range options {
		if o.check == nil {
			continue
		}
		v := valueOf(o.field(&l.cfg))
		problem, name := o.check(v), o.key
		if problem == "" {
			continue
		}
		if !o.secret() {
			problem += ", is " + yamlValue(v)
		}
		if source := l.cfg.from[o.key]; source != "" {
			name += " (" + source + ")"
		}
		l.problems = append(l.problems, errors.New(name+": "+problem))
	}
}

// tidy removes the trailing slashes of addresses that paths are appended to.
func (l *loader) tidy() {
	for _, address := range []*string{
		&l.cfg.Server.PublicURL, &l.cfg.OpenAI.BaseURL, &l.cfg.Twilio.BaseURL, &l.cfg.ElevenLabs.BaseURL,
	} {
		*address = strings.TrimRight(*address, "/")
	}
}
