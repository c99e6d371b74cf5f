package appliance

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/personas/appliance/reading"
)

//go:embed words/*.yaml prompts/*.txt
var files embed.FS

var prompts = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(files, "prompts/*.txt"))

// execute returns a prompt from its template. It panics if that fails; tests check that it does
// not.
func execute(name string, data any) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, data); err != nil {
		panic("appliance: prompt " + name + ": " + err.Error()) // it is part of the program
	}
	return b.String()
}

// words holds what is said, by language and name. A name that ends in ".phone" replaces the other
// when said aloud.
var words = func() map[string]map[string]string {
	all := make(map[string]map[string]string)
	for _, code := range reading.Codes {
		raw, err := files.ReadFile("words/" + code + ".yaml")
		var texts map[string]string
		if err == nil {
			err = yaml.UnmarshalWithOptions(raw, &texts, yaml.Strict())
		}
		if err != nil {
			panic(fmt.Sprintf("appliance: words of %s: %v", code, err)) // the files are part of the program
		}
		all[code] = texts
	}
	return all
}()

// say returns the text of a name. fill holds pairs of a key and the text for its {key}.
func say(language string, phone bool, name string, fill ...string) string {
	texts := words[reading.Code(language)]
	text, ok := texts[name+".phone"]
	if !phone || !ok {
		text = texts[name]
	}
	for pair := range slices.Chunk(fill, 2) {
		text = strings.ReplaceAll(text, "{"+pair[0]+"}", pair[1])
	}
	return text
}

// spell returns a number as it is read aloud: letters and digits separated by commas.
func spell(language, number string) string {
	digits := strings.Fields(words[reading.Code(language)]["digits"])
	var out []string
	for _, r := range strings.ToUpper(number) {
		switch {
		case r >= '0' && r <= '9':
			out = append(out, digits[r-'0'])
		case r >= 'A' && r <= 'Z':
			out = append(out, string(r))
		}
	}
	return strings.Join(out, ", ")
}

// spellAddress returns an e-mail address as it is read aloud: the part before the "at" letter by
// letter, and the rest in words.
func spellAddress(language, address string) string {
	w := words[reading.Code(language)]
	local, domain, _ := strings.Cut(address, "@")
	var out []string
	for _, r := range local {
		switch name := w["mark."+string(r)]; {
		case name != "":
			out = append(out, name)
		case r >= '0' && r <= '9':
			out = append(out, strings.Fields(w["digits"])[r-'0'])
		default:
			out = append(out, strings.ToUpper(string(r)))
		}
	}
	aloud := strings.NewReplacer(".", " "+w["mark.."]+" ", "-", " "+w["mark.-"]+" ").Replace(domain)
	return strings.Join(out, ", ") + ", " + w["mark.@"] + " " + aloud
}

// list joins texts by commas and a last word: "a, b or c".
func list(texts []string, last string) string {
	if n := len(texts); n > 1 {
		return strings.Join(texts[:n-1], ", ") + " " + last + " " + texts[n-1]
	}
	return strings.Join(texts, "")
}

// price returns what a part costs, as it is written or said, or "" if that is not known.
func price(language string, phone bool, cents int64) string {
	switch {
	case cents <= 0:
		return ""
	case phone && cents%100 == 0:
		return say(language, phone, "price_whole", "dollars", strconv.FormatInt(cents/100, 10))
	case phone && cents%100 < 10:
		return say(language, phone, "price_cents", "dollars", strconv.FormatInt(cents/100, 10), "cents", strconv.FormatInt(cents%100, 10))
	}
	return say(language, phone, "price", "dollars", strconv.FormatInt(cents/100, 10), "cents", fmt.Sprintf("%02d", cents%100))
}
