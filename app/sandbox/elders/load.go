package elders

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	_ "time/tzdata" // the zones must be there on machines that have none

	"github.com/goccy/go-yaml"
)

// What the elders are, what brings up their subjects, and what they know of health
// checks. Tests read the files and say what is wrong with them.
//
//go:embed people/*.yaml cues.yaml check.yaml
var files embed.FS

// What brings up which subject, and what all elders know of health checks.
var (
	theCues  = sync.OnceValue(embedded[[]subject]("cues.yaml"))
	theCheck = sync.OnceValue(embedded[healthCheck]("check.yaml"))
)

// embedded returns what decodes a file that this package cannot be without.
func embedded[T any](name string) func() T {
	return func() T {
		v, err := read[T](name)
		if err != nil {
			panic("elders: " + err.Error())
		}
		return v
	}
}

// read decodes one of the files. An unknown key is a mistake, as is a repeated one.
func read[T any](name string) (v T, err error) {
	data, err := files.ReadFile(name)
	if err == nil {
		err = yaml.UnmarshalWithOptions(data, &v, yaml.Strict())
	}
	if err != nil {
		return v, fmt.Errorf("read %s: %w", name, err)
	}
	return v, nil
}

// Load reads all elders: those who are put into the database first, in their
// order, and then the others by name.
func Load() ([]Elder, error) {
	people, err := files.ReadDir("people")
	if err != nil {
		return nil, fmt.Errorf("list elders: %w", err)
	}
	var all []Elder
	for _, f := range people {
		e, err := read[Elder]("people/" + f.Name())
		if err != nil {
			return nil, err
		}
		e.ID = strings.TrimSuffix(f.Name(), ".yaml")
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Elder) int {
		return cmp.Or(cmp.Compare(cmp.Or(a.Seeded, len(all)), cmp.Or(b.Seeded, len(all))), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Find returns the elder with an id, as in "margaret".
func Find(all []Elder, id string) (e Elder, ok bool) {
	i := slices.IndexFunc(all, func(e Elder) bool { return strings.EqualFold(e.ID, id) })
	if i < 0 {
		return e, false
	}
	return all[i], true
}
