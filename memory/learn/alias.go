package learn

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

var (
	// relations are words that name somebody by what they are to another. Two who
	// are called so are not therefore the same.
	relations = english.Set(`son daughter husband wife brother sister mother father mum mom dad grandson granddaughter grandchild
		grandmother grandfather niece nephew cousin aunt uncle friend neighbour neighbor doctor dentist nurse carer dog cat bird
		partner boss pharmacist gardener cleaner priest vicar in law`)
	// alone are relations that one has once.
	alone = english.Set("husband wife mother father mum mom dad")
)

// relational reports whether an alias names nobody by a name of their own.
func relational(alias string) bool {
	for w := range strings.FieldsSeq(alias) {
		if !relations[w] && !relations[strings.TrimSuffix(w, "s")] && w != "best" && w != "next" && w != "door" && w != "youngest" && w != "eldest" && w != "oldest" {
			return false
		}
	}
	return true
}

// sameName reports whether two lists of aliases are of one. A name of one's own
// decides: the same, the short form of the other, or the first of its words.
// What somebody is to the person decides only where there can be but one, or
// where a model says so (asserted) and no name speaks against it.
func sameName(have, fresh []string, asserted bool) bool {
	named := func(list []string) (out []string) {
		for _, a := range list {
			if !relational(a) {
				out = append(out, a)
			}
		}
		return out
	}
	x, y := named(have), named(fresh)
	for _, a := range x {
		for _, b := range y {
			if sameProper(a, b) {
				return true
			}
		}
	}
	if len(x) > 0 && len(y) > 0 {
		return false
	}
	for _, a := range have {
		if relational(a) && slices.Contains(fresh, a) && (asserted || alone[a]) {
			return true
		}
	}
	return asserted && (len(x) == 0 || len(y) == 0)
}

// sameProper reports whether two proper names can be of one: "tom" and "thomas",
// "susan" and "susan miller".
func sameProper(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) == 0 || len(y) == 0 || full(x[0]) != full(y[0]) {
		return false
	}
	if len(x) > 1 && len(y) > 1 {
		return slices.Equal(x[1:], y[1:])
	}
	return true
}

// full is the long form of a first name, where it is a short one.
func full(name string) string {
	if long := shortForms[name]; long != "" {
		return long
	}
	return name
}

// shortForms of first names in English. Where one is short for several, it is
// not here: to take two people for one is worse than one for two.
var shortForms = map[string]string{
	"tom": "thomas", "tommy": "thomas", "thom": "thomas", "bill": "william", "billy": "william", "willy": "william",
	"bob": "robert", "bobby": "robert", "rob": "robert", "dick": "richard", "rick": "richard", "jim": "james", "jimmy": "james", "jamie": "james",
	"joe": "joseph", "joey": "joseph", "mike": "michael", "mick": "michael", "mickey": "michael", "dave": "david", "davy": "david",
	"dan": "daniel", "danny": "daniel", "ben": "benjamin", "benny": "benjamin", "sue": "susan", "susie": "susan", "suzie": "susan",
	"liz": "elizabeth", "lizzie": "elizabeth", "betty": "elizabeth", "beth": "elizabeth", "kate": "katherine", "katie": "katherine",
	"kathy": "katherine", "maggie": "margaret", "peggy": "margaret", "meg": "margaret", "jen": "jennifer", "jenny": "jennifer",
	"debbie": "deborah", "deb": "deborah", "barb": "barbara", "pam": "pamela", "becky": "rebecca", "vicky": "victoria", "cathy": "catherine",
	"andy": "andrew", "drew": "andrew", "greg": "gregory", "jeff": "jeffrey", "ken": "kenneth", "larry": "lawrence", "matt": "matthew",
	"nick": "nicholas", "pete": "peter", "phil": "philip", "ron": "ronald", "steve": "stephen",
	"eddie": "edward", "tim": "timothy", "walt": "walter", "charlie": "charles", "chuck": "charles",
	"hal": "harold", "fred": "frederick", "freddie": "frederick", "johnny": "john", "dot": "dorothy", "dottie": "dorothy",
	"ellie": "eleanor", "nell": "eleanor", "gwen": "gwendolyn", "patty": "patricia", "trish": "patricia", "abby": "abigail", "angie": "angela",
	"cindy": "cynthia", "connie": "constance", "millie": "mildred", "winnie": "winifred",
}
