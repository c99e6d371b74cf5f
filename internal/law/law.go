// Package law provides what must be disclosed at the beginning of a telephone call, and at which
// hours it may be placed, by the place where the person is. Its rules are data with their sources,
// in law.yaml. They are a reading of the law for the purpose of nAIber's texts, and not legal
// advice.
package law

import (
	_ "embed" // the rules are a file
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/nyaruka/phonenumbers"
)

// Rule holds what must be disclosed in a place, and when people may be phoned there. If the place
// is not known, the strictest disclosure applies.
type Rule struct {
	// Place is the place of the rule: "US-CA", "DE", "US" if the state is not known, or empty.
	Place string `yaml:"-"`
	// Full means that every call, not only the first, must disclose in full that a computer speaks
	// and what is kept.
	Full bool `yaml:"full"`
	// Ask means that recording needs the consent of everybody on the line, who must therefore be
	// told how to refuse.
	Ask bool `yaml:"ask"`
	// OptOutKey means that the key that ends all calls must be named.
	OptOutKey bool `yaml:"optOutKey"`
	// RepeatHours is after how many hours a conversation must repeat the disclosure; 0: never.
	RepeatHours int `yaml:"repeatHours"`
	// Hours are when calls may be placed; nil: no such law is known.
	Hours *Hours `yaml:"hours"`
	// Why names the law, and Source where it is found.
	Why    []string `yaml:"why"`
	Source []string `yaml:"source"`
	// Verified is when the rule was last compared with its source; empty: not yet.
	Verified string `yaml:"verified"`
}

type state struct {
	Rule `yaml:",inline"`

	Name string `yaml:"name"`
}

type country struct {
	Rule `yaml:",inline"`

	Name   string           `yaml:"name"`
	Group  string           `yaml:"group"` // the group whose rule applies as well
	States map[string]state `yaml:"states"`
}

//go:embed law.yaml
var lawYAML []byte

var book = func() (all struct {
	Groups    map[string]Rule    `yaml:"groups"`
	Countries map[string]country `yaml:"countries"`
},
) {
	if err := yaml.UnmarshalWithOptions(lawYAML, &all, yaml.Strict()); err != nil {
		panic("law: law.yaml: " + err.Error())
	}
	for code, c := range all.Countries {
		if _, known := all.Groups[c.Group]; !known && c.Group != "" {
			panic(fmt.Sprintf("law: law.yaml: %s is in no known group %q", code, c.Group))
		}
	}
	return all
}()

// with returns the requirements of r and other combined.
func (r Rule) with(other Rule) Rule {
	r.Full, r.Ask, r.OptOutKey = r.Full || other.Full, r.Ask || other.Ask, r.OptOutKey || other.OptOutKey
	if r.RepeatHours == 0 || other.RepeatHours > 0 && other.RepeatHours < r.RepeatHours {
		r.RepeatHours = other.RepeatHours
	}
	r.Hours = r.Hours.with(other.Hours)
	r.Why, r.Source = slices.Concat(r.Why, other.Why), slices.Concat(r.Source, other.Source)
	r.Verified = ""
	return r
}

// Of returns the rule for a telephone in E.164 and the state or province where its owner lives. If
// region is empty, it is taken from the number if possible. If something is not known, the
// strictest of the possible rules applies.
func Of(phone, region string) Rule {
	n, err := phonenumbers.Parse(phone, "")
	if err != nil {
		return strictest()
	}
	code := phonenumbers.GetRegionCodeForNumber(n)
	c, known := book.Countries[code]
	if !known {
		return strictest()
	}
	r := book.Groups[c.Group].with(c.Rule)
	r.Place = code
	if len(c.States) == 0 {
		return r
	}
	if region == "" {
		region = c.stateOf(n)
	}
	if region == "" {
		for _, s := range c.States {
			r = r.with(s.Rule)
		}
		return r
	}
	r = r.with(c.States[region].Rule) // a region that is not listed adds nothing to the country's rule
	r.Place = code + "-" + region
	return r
}

// stateOf returns the state in which a number was issued, or "".
func (c country) stateOf(n *phonenumbers.PhoneNumber) string {
	place, err := phonenumbers.GetGeocodingForNumber(n, "en")
	if err != nil {
		return ""
	}
	for code, s := range c.States {
		if place == s.Name {
			return code
		}
	}
	// "San Francisco, CA", or "United States" if the number does not show more.
	if i := strings.LastIndex(place, ", "); i >= 0 && len(place)-i == len(", CA") {
		return place[i+2:]
	}
	return ""
}

// strictest returns the requirements of all rules combined, without hours: a superfluous disclosure
// does no harm, but a day without any calls does.
func strictest() (r Rule) {
	for _, g := range book.Groups {
		r = r.with(g)
	}
	for _, c := range book.Countries {
		r = r.with(c.Rule)
		for _, s := range c.States {
			r = r.with(s.Rule)
		}
	}
	r.Hours = nil
	return r
}

// Repeat returns after how long a conversation must repeat the disclosure; 0: never.
func (r Rule) Repeat() time.Duration { return time.Duration(r.RepeatHours) * time.Hour }
