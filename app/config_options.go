package app

import (
	"reflect"
	"slices"
	"strings"
)

// option is one thing that can be set: a field of [Config], described by its tags. The file, the
// environment, the flags, the checks, config.yaml and the flags' help all come from the tags.
type option struct {
	key      string // "server.port": the path in the file, and the flag's name; from the key tags
	env      string // the variable, from the env tag; if empty, derived from key; the derived one is always read too
	alias    string // an older name of the variable that is still read, from the alias tag
	fallback string // the default, written as in the environment, from the default tag
	doc      string // one line of purpose, with the unit if any, from the doc tag
	check    check  // what is wrong with a value, from the check tag; nil if nothing can be
	index    []int  // of the field
}

// prefix begins all our variables except those with an established name: DATABASE_URL, PORT,
// TWILIO_AUTH_TOKEN and the like.
const prefix = "NAIBER_"

// envName returns the variable that sets the option.
func (o *option) envName() string {
	if o.env != "" {
		return o.env
	}
	return o.derivedName()
}

// envNames returns all variables that set the option, in increasing order of precedence.
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

// options are all options in the order of config.yaml, optionByKey the same by key, and sections
// the parts of the file with their descriptions.
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

// optionsOf returns the options of a struct, whose keys begin with the section's. It also fills
// sections.
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
