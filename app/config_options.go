package app

import (
	"reflect"
	"slices"
	"strings"
)

// option is one thing that can be set: a field of [Config], described by its tags.
// The file, the environment, the flags, the checks, config.yaml and the flags' help
// all come from them.
type option struct {
	key      string // "server.port": the path in the file, and the flag's name; of the tags key
	env      string // of the tag env, the variable; empty: derived from key, which is always read too
	alias    string // of the tag alias, an older name of the variable, still read
	fallback string // of the tag default, as one would write it in the environment
	doc      string // of the tag doc, one line of why; with its unit, where it has one
	check    check  // of the tag check, what is wrong with a value; nil: nothing can be
	index    []int  // of the field
}

// prefix begins every variable of ours but those that keep a name which others
// know: DATABASE_URL, PORT, TWILIO_AUTH_TOKEN and the like.
const prefix = "NAIBER_"

// envName is the variable that sets the option.
func (o *option) envName() string {
	if o.env != "" {
		return o.env
	}
	return o.derivedName()
}

// envNames are all variables that set the option, the one that wins last.
func (o *option) envNames() []string {
	names := []string{o.derivedName(), o.envName()}
	if o.alias != "" {
		names = append([]string{o.alias}, names...)
	}
	return slices.Compact(names)
}

func (o *option) derivedName() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(o.key, ".", "_"))
}

// field returns a pointer to the option's value in c.
func (o *option) field(c *Config) any {
	return reflect.ValueOf(c).Elem().FieldByIndex(o.index).Addr().Interface()
}

// secret reports whether the value must not be shown.
func (o *option) secret() bool {
	_, ok := o.field(&Config{}).(*Secret)
	return ok
}

// options are all options in the order of config.yaml, optionByKey the same by their
// keys, and sections the parts of the file with what they are about.
var (
	sections    = map[string]string{}
	options     = optionsOf(reflect.TypeFor[Config](), "", nil)
	optionByKey = func() map[string]*option {
		m := make(map[string]*option, len(options))
		for _, o := range options {
			m[o.key] = o
		}
		return m
	}()
)

// optionsOf reads the options of a struct, whose keys begin with a section's.
func optionsOf(t reflect.Type, section string, index []int) []*option {
	var out []*option
	for _, f := range reflect.VisibleFields(t) {
		key, tagged := f.Tag.Lookup("key")
		if !tagged {
			continue
		}
		at := slices.Concat(index, f.Index)
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[Secret]() {
			sections[key] = f.Tag.Get("doc")
			out = append(out, optionsOf(f.Type, key+".", at)...)
			continue
		}
		out = append(out, &option{
			key: section + key, env: f.Tag.Get("env"), alias: f.Tag.Get("alias"), fallback: f.Tag.Get("default"),
			doc: f.Tag.Get("doc"), check: checkOf(f.Tag.Get("check")), index: at,
		})
	}
	return out
}
