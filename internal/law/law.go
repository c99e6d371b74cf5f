// Package law says what has to be disclosed at the beginning of a telephone call, and at
// which hours it may be placed, by the place where the person is. Its rules are data, law.yaml, with their sources. They are a
// reading of the law for the purpose of nAIber's texts, and no legal advice.
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

// Rule is what has to be disclosed somewhere, and when one may be phoned there. Where nothing
// is known, the disclosure is the strictest there is.
type Rule struct {
	// Place is what the rule is for: "US-CA", "DE", "US" where the state is not known, or empty.
	Place string `yaml:"-"`
	// Full: every call discloses in full that a computer speaks and what is kept, not only the first.
	Full bool `yaml:"full"`
	// Ask: recording needs the yes of all who are on the line, so they are told how to say no.
	Ask bool `yaml:"ask"`
	// OptOutKey: the key is named that ends all calls.
	OptOutKey bool `yaml:"optOutKey"`
	// RepeatHours is after how long a conversation repeats the disclosure; 0: never.
	RepeatHours int `yaml:"repeatHours"`
	// Hours are when calls may be placed; nil: no law is known that says so.
	Hours *Hours `yaml:"hours"`
	// Why is the law, and where it is found.
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
	Group  string           `yaml:"group"` // whose rule holds as well
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

// with returns what r and other ask for together.
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

// Of returns the rule for a telephone in E.164 and the state or province where its owner
// lives, which may be empty: then the number says, if it can. What is not known is the
// strictest of what it may be.
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
	r = r.with(c.States[region].Rule) // one that is not listed adds nothing to the country's
	r.Place = code + "-" + region
	return r
}

// stateOf returns the state that a number was given out in, or nothing.
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
	// "San Francisco, CA"; "United States", where the number says no more.
	if i := strings.LastIndex(place, ", "); i >= 0 && len(place)-i == len(", CA") {
		return place[i+2:]
	}
	return ""
}

// strictest is what all rules ask for together. It has no hours: a word too much does no
// harm, a day on which nobody is phoned does.
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

// Repeat is after how long a conversation repeats the disclosure; 0: never.
func (r Rule) Repeat() time.Duration { return time.Duration(r.RepeatHours) * time.Hour }
