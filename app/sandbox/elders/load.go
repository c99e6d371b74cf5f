package elders

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"path"
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

// readFile decodes one of the files. An unknown key is a mistake, as is a repeated one.
func readFile(name string, v any) error {
	data, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(v); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// Load reads all elders: those who are put into the database first, in their
// order, and then the others by name.
func Load() ([]Elder, error) {
	people, err := files.ReadDir("people")
	if err != nil {
		return nil, fmt.Errorf("list elders: %w", err)
	}
	all := make([]Elder, len(people))
	for i, f := range people {
		if err := readFile("people/"+f.Name(), &all[i]); err != nil {
			return nil, err
		}
		all[i].ID = strings.TrimSuffix(f.Name(), path.Ext(f.Name()))
	}
	slices.SortFunc(all, func(a, b Elder) int {
		return cmp.Or(cmp.Compare(cmp.Or(a.Seeded, len(all)), cmp.Or(b.Seeded, len(all))), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Find returns the elder with an id, as in "margaret".
func Find(all []Elder, id string) (Elder, bool) {
	i := slices.IndexFunc(all, func(e Elder) bool { return strings.EqualFold(e.ID, id) })
	if i < 0 {
		return Elder{}, false
	}
	return all[i], true
}

var theCues = sync.OnceValue(func() (list []subject) {
	mustRead("cues.yaml", &list)
	return list
})

// mustRead decodes a file that this package cannot be without.
func mustRead(name string, v any) {
	if err := readFile(name, v); err != nil {
		panic("elders: " + err.Error())
	}
}
