package parts

import (
	"cmp"
	"context"
	_ "embed" // the words
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/internal/db"
)

// Match is a part and the symptoms, in the person's words, that it was found by.
type Match struct {
	Part
	Matched []string
}

// MatchParts returns the parts of a model that solve symptoms: first those with a
// symptom of just these words, then those with one that says the same in others. Within
// both, parts that solve more of the symptoms come first. Quotes, case, marks and white
// space make no difference, and a symptom that is said twice counts once.
func (s *Store) MatchParts(ctx context.Context, model string, symptoms []string, limit int) ([]Match, error) {
	said := distinct(symptoms)
	if len(said) == 0 || limit < 1 {
		return []Match{}, nil
	}
	rows, err := s.db.Q.CatalogueSymptomsOf(ctx, s.db.Conn, Key(model))
	if err != nil {
		return nil, err
	}
	hits := rank(said, rows)
	hits = hits[:min(limit, len(hits))]
	if len(hits) == 0 {
		return []Match{}, nil
	}
	keys := make([]string, len(hits))
	for i, h := range hits {
		keys[i] = h.key
	}
	found, err := s.db.Q.CataloguePartsOf(ctx, s.db.Conn, db.CataloguePartsOfParams{ModelKey: Key(model), NumberKeys: keys})
	if err != nil {
		return nil, err
	}
	out := make([]Match, 0, len(hits))
	for _, h := range hits { // one that has gone since is left out
		if i := slices.IndexFunc(found, func(c db.Catalogue) bool { return c.NumberKey == h.key }); i >= 0 {
			out = append(out, Match{partOf(found[i]), h.matched})
		}
	}
	return out, nil
}

// hit is a part that was found.
type hit struct {
	key     string
	matched []string
	exact   int     // how many of them word for word
	score   float64 // how well in all
}

// rank returns the parts that solve any of the symptoms, the best first.
func rank(said []symptom, rows []db.CatalogueSymptomsOfRow) []hit {
	type pair struct {
		known string
		said  int
	}
	known := map[string]symptom{}  // that the model has
	likeness := map[pair]float64{} // asked once, for many parts solve the same
	var hits []hit
	for _, r := range rows {
		h := hit{key: r.NumberKey}
		for i, mine := range said {
			best := 0.0
			for _, text := range r.Symptoms {
				of := pair{text, i}
				l, asked := likeness[of]
				if !asked {
					k, read := known[text]
					if !read {
						k = newSymptom(text)
						known[text] = k
					}
					l = mine.like(k)
					likeness[of] = l
				}
				best = max(best, l)
			}
			if best > 0 {
				h.matched = append(h.matched, mine.text)
				h.score += best
			}
			if best == exactly {
				h.exact++
			}
		}
		if len(h.matched) > 0 {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(min(b.exact, 1), min(a.exact, 1)), len(b.matched)-len(a.matched), b.exact-a.exact,
			cmp.Compare(b.score, a.score), strings.Compare(a.key, b.key))
	})
	return hits
}

// symptom is one as somebody words it.
type symptom struct {
	text    string // as it was said
	plain   string // in lower case, without marks
	clauses []english.Clause
}

// maxSymptom is how much of what somebody says of a symptom is read.
const maxSymptom = 500

func newSymptom(text string) symptom {
	plain := normal(english.Clip(text, maxSymptom))
	return symptom{text, plain, english.Clauses(oneWord(plain))}
}

// distinct returns the symptoms that say anything, each once.
func distinct(symptoms []string) []symptom {
	var out []symptom
	for _, text := range symptoms {
		s := newSymptom(text)
		if s.plain != "" && !slices.ContainsFunc(out, s.same) {
			out = append(out, s)
		}
	}
	return out
}

// same reports whether two symptoms say the same: "won't start" and "it will not start".
func (s symptom) same(o symptom) bool {
	return s.plain == o.plain || len(s.clauses) > 0 && slices.EqualFunc(s.clauses, o.clauses, func(a, b english.Clause) bool {
		return a.Sense == b.Sense && slices.Equal(a.Words, b.Words)
	})
}

var quotes = strings.NewReplacer("‘", "'", "’", "'", "‛", "'", "ʼ", "'", "`", "'", "´", "'", "“", `"`, "”", `"`)

// normal is a text in lower case with straight quotes, single spaces and no marks.
func normal(text string) string { return english.Plain(quotes.Replace(text)) }

//go:embed words.txt
var words string

// others finds what is said in other words, and alias has the one word for each.
var others, alias = func() (*regexp.Regexp, map[string]string) {
	var all []string
	alias := map[string]string{}
	for line := range strings.Lines(words) {
		word, ways, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for way := range strings.SplitSeq(ways, ", ") {
			alias[way] = word
			all = append(all, regexp.QuoteMeta(way))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`\b(?:` + strings.Join(all, "|") + `)\b`), alias
}()

var long = strings.NewReplacer("won't", "will not", "can't", "can not", "cannot", "can not", "n't", " not")

// oneWord has a plain text say the same things in the same words.
func oneWord(plain string) string {
	return others.ReplaceAllStringFunc(long.Replace(plain), func(s string) string { return alias[s] })
}

// weights are of words that name what the symptom is of, and so tell little; those
// that tell nothing weigh nothing. The others weigh 1.
var weights = func() map[string]float64 {
	out := map[string]float64{}
	for weight, words := range map[float64]string{
		0:  "dishwasher washer dryer fridge freezer oven machine appliance unit thing kestrel properly well correctly completely anymore longer",
		.5: "water door dishes clothes laundry food light button cycle drum lid drawer",
	} {
		for w := range english.Set(words) {
			out[english.Stem(w)] = weight
		}
	}
	return out
}()

func weight(stem string) float64 {
	if w, listed := weights[stem]; listed {
		return w
	}
	return 1
}

const (
	exactly = 2.0
	// enough is how much of the words of the one has to be in the other.
	enough = .5
	// enoughGrams is how alike the words have to be, letter by letter, where they are
	// not the same: a slip of the pen, or of the ear.
	enoughGrams = .45
)

// like returns how alike two symptoms are: 0 for not at all, up to 1 for the same
// words, and exactly for the same wording.
func (s symptom) like(known symptom) float64 {
	if s.plain == known.plain {
		return exactly
	}
	best := 0.0
	for _, a := range s.clauses {
		for _, b := range known.clauses {
			if !contrary(sense(a, b), sense(b, a)) {
				best = max(best, overlap(a.Words, b.Words))
			}
		}
	}
	return best
}

// sense returns whether a clause says that something is so. A word that may be told
// with or without a "not" says so itself where the other clause is of it: "it stops".
func sense(of, other english.Clause) english.Sense {
	if of.Sense == english.Open && english.Common(of.Leans, other.Words) > 0 {
		return english.Affirmed
	}
	return of.Sense
}

// contrary reports whether one says that something is so and the other that it is not.
func contrary(a, b english.Sense) bool {
	denied := func(s english.Sense) bool { return s == english.Denied || s == english.Ended }
	return a == english.Affirmed && denied(b) || denied(a) && b == english.Affirmed
}

// overlap returns how much two lists of stems have in common, or 0 where it is too
// little. What was said may say more than the catalogue, and less.
func overlap(said, known []string) float64 {
	common, ofSaid, ofKnown := 0.0, 0.0, 0.0
	for _, w := range said {
		ofSaid += weight(w)
		if english.Has(known, w) {
			common += weight(w)
		}
	}
	for _, w := range known {
		ofKnown += weight(w)
	}
	if common > 0 && (common >= enough*ofSaid || common >= ofKnown) {
		return 2 * common / (ofSaid + ofKnown)
	}
	if l := similarity(strings.Join(said, " "), strings.Join(known, " ")); l >= enoughGrams {
		return l * enough
	}
	return 0
}

// similarity is the share of the trigrams of two texts that both have, words being
// padded as PostgreSQL's pg_trgm does.
func similarity(a, b string) float64 {
	x, y := textGrams(a), textGrams(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	common := 0
	for g := range x {
		if y[g] {
			common++
		}
	}
	return float64(common) / math.Max(1, float64(len(x)+len(y)-common))
}

func textGrams(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		for _, g := range grams("  " + w + " ") {
			out[g] = true
		}
	}
	return out
}
