package phrases

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// MustLoad reads DIR/CODE.yaml for each language, strictly, and has compile finish it. It panics where
// that fails: the files are part of the program.
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

// Code returns which of some languages a BCP 47 tag means, the first where it is none of them.
func Code(codes []string, tag string) string {
	if code, _, _ := strings.Cut(strings.ToLower(tag), "-"); slices.Contains(codes, code) {
		return code
	}
	return codes[0]
}
