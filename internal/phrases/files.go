package phrases

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// MustLoad reads DIR/CODE.yaml for each language, strictly, and calls compile to complete it. It
// panics if that fails: the files are part of the program.
func MustLoad[T any](files fs.FS, dir string, codes []string, compile func(code string, l *T) error) map[string]*T {
	all := make(map[string]*T, len(codes))
	for _, code := range codes {
		name, l := dir+"/"+code+".yaml", new(T)
		raw, err := fs.ReadFile(files, name)
		if err == nil {
			err = yaml.UnmarshalWithOptions(raw, l, yaml.Strict())
		}
		if err == nil {
			err = compile(code, l)
		}
		if err != nil {
			panic(fmt.Sprintf("%s for %T: %v", name, l, err))
		}
		all[code] = l
	}
	return all
}

// Code returns the language in codes that a BCP 47 tag names, or the first one if it names none of
// them.
func Code(codes []string, tag string) string {
	if code, _, _ := strings.Cut(strings.ToLower(tag), "-"); slices.Contains(codes, code) {
		return code
	}
	return codes[0]
}
