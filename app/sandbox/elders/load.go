package elders

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	_ "time/tzdata" // the zones must be there on machines that have none

	"github.com/goccy/go-yaml"
)

// files holds the elders, the cues of their subjects, and what they know of checks. Tests
// validate the files.
//
//go:embed people/*.yaml cues.yaml check.yaml cognition.yaml cues.es.yaml check.es.yaml
var files embed.FS

// An ear holds how nAIber is understood in one language: the cues of subjects, and what all
// elders know of checks.
type ear struct {
	cues      []subject
	check     healthCheck
	cognitive cognitiveCheck // empty: nobody knows of any in this language
}

// ears returns the ears by language; use [earOf] to find one.
var ears = sync.OnceValue(func() map[string]ear {
	all := map[string]ear{}
	for language, ending := range map[string]string{"en": ".yaml", "es": ".es.yaml"} {
		cues, err := read[[]subject]("cues" + ending)
		check, errCheck := read[healthCheck]("check" + ending)
		if err := errors.Join(err, errCheck); err != nil {
			panic("elders: " + err.Error()) // the files are embedded
		}
		all[language] = ear{cues: cues, check: check}
	}
	english, err := read[cognitiveCheck]("cognition.yaml")
	if err != nil {
		panic("elders: " + err.Error())
	}
	e := all["en"]
	e.cognitive = english
	all["en"] = e
	return all
})

// earOf returns the ear for a language tag, by default the English one.
func earOf(language string) ear {
	code, _, _ := strings.Cut(strings.ToLower(language), "-")
	if e, ok := ears()[code]; ok {
		return e
	}
	return ears()["en"]
}

// read decodes one of the files. Unknown and repeated keys are errors.
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

// Load returns all elders: those who are added to the database first, in their order, and then
// the others by id.
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
