package safety

import (
	_ "embed" // the crisis lines
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/nyaruka/phonenumbers"
)

// Numbers holds the numbers that reach an ambulance, by the country's two letters. A country in
// which 112 works has 112: every mobile telephone dials it, and all of the European Union answers
// it. Each was compared on [NumbersVerified] with the emergency numbers in libphonenumber's
// metadata; a country for which the metadata has none of the numbers here is left out.
var Numbers = countries(map[string]string{
	"112": "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GE GR HR HU IE IN IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SK TR UA VA XK ZA",
	"911": "AR BS BB BM BZ CA CL CR DO EC JM MX PA PH PR PY SV US UY VE VI",
	"999": "BD GB GG HK IM JE KE MY",
	"000": "AU", "111": "NZ", "119": "JP KR", "101": "IL", "123": "CO", "192": "BR", "995": "SG", "120": "CN", "998": "AE", "124": "BA", "118": "SM",
})

// NumbersVerified is the day on which [Numbers] was last compared with its source.
const NumbersVerified = "2026-11-23"

func countries(by map[string]string) map[string]string {
	all := make(map[string]string)
	for number, list := range by {
		for country := range strings.FieldsSeq(list) {
			all[country] = number
		}
	}
	return all
}

// crisisLines holds lines for people in despair, by the country's two letters, each with the day on
// which it was looked up.
//
//go:embed crisis.yaml
var crisisLines []byte

// CrisisLines holds the crisis lines by the country's two letters.
var CrisisLines = mustLoadLines()

// CrisisLine is a crisis line.
type CrisisLine struct {
	Number   string `yaml:"number"` // digits
	Name     string `yaml:"name"`
	Verified string `yaml:"verified"` // the day, as 2006-01-02
}

func mustLoadLines() (all map[string]CrisisLine) {
	if err := yaml.UnmarshalWithOptions(crisisLines, &all, yaml.Strict()); err != nil {
		panic("personas/safety: crisis lines: " + err.Error()) // the file is part of the program
	}
	return all
}

// Number returns the emergency number of the country of a telephone number, or "".
func (w *Rules) Number(phone string) string {
	country := CountryOf(phone)
	if number, ok := w.cfg.Numbers[country]; ok {
		return number
	}
	return Numbers[country]
}

// CrisisLine returns the number of a crisis line in the country of a telephone number, or "".
func (w *Rules) CrisisLine(phone string) string {
	country := CountryOf(phone)
	if number, ok := w.cfg.CrisisLines[country]; ok {
		return number
	}
	return CrisisLines[country].Number
}

// CountryOf returns the two letters of the country of a telephone number, or "".
func CountryOf(phone string) string {
	n, err := phonenumbers.Parse(phone, "")
	if err != nil {
		return ""
	}
	country := phonenumbers.GetRegionCodeForNumber(n)
	if country == "" || country == "ZZ" { // the area code is unknown, but the country is clear
		country = phonenumbers.GetRegionCodeForCountryCode(int(n.GetCountryCode()))
	}
	return country
}
