package parts

import (
	"cmp"
	"context"
	_ "embed" // the words
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/internal/db"
)

// Match is a part with the symptoms, in the person's words, by which it was found.
type Match struct {
	Part
	Matched []string
}

// MatchParts returns the parts of a model that solve symptoms: first those with a symptom
// in exactly these words, then those with one that says the same in other words. Within
// both groups, parts that solve more of the symptoms come first. Quotes, case, punctuation
// and white space are ignored, and a repeated symptom counts once.
func (s *Store) MatchParts(ctx context.Context, model string, symptoms []string, limit int) ([]Match, error) {
	said := distinct(symptoms)
	if len(said) == 0 || limit < 1 {
		return []Match{}, nil
	}
	rows, err := s.db.Q.CatalogueSymptomsOf(ctx, s.db.Conn, Key(model))
	if err != nil {
		return nil, err
	}
	hits := s.known.rank(said, rows)
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
	for _, h := range hits { // leave out parts deleted since
		if i := slices.IndexFunc(found, func(c db.Catalogue) bool { return c.NumberKey == h.key }); i >= 0 {
			out = append(out, Match{partOf(found[i]), h.matched})
		}
	}
	return out, nil
}

// hit is a part found by its symptoms.
type hit struct {
	key     string
	matched []string
	exact   int     // how many of them word for word
	score   float64 // sum of the similarities
}

// rank returns the parts that solve any of the symptoms, best first.
func (k *known) rank(said []symptom, rows []db.CatalogueSymptomsOfRow) []hit {
	type pair struct {
		known string
		said  int
	}
	likeness := map[pair]float64{} // cached, since many parts share symptoms
	var hits []hit
	for _, r := range rows {
		h := hit{key: r.NumberKey}
		for i, mine := range said {
			best := 0.0
			for _, text := range r.Symptoms {
				of := pair{text, i}
				l, asked := likeness[of]
				if !asked {
					l = mine.like(k.symptom(text))
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

// symptom is a symptom in someone's words.
type symptom struct {
	text    string // the original words
	plain   string // in lower case, without punctuation
	clauses []clause
}

// clause is a part of a symptom with the trigrams of its stems.
type clause struct {
	english.Clause
	grams []string
}

// maxSymptom is the number of characters of a symptom that are read.
const maxSymptom = 500

func newSymptom(text string) symptom {
	s := symptom{text: text, plain: normal(english.Clip(text, maxSymptom))}
	for _, c := range english.Clauses(oneWord(s.plain)) {
		s.clauses = append(s.clauses, clause{c, textGrams(strings.Join(c.Words, " "))})
	}
	return s
}

// maxKnown is the maximum number of cached symptoms of the catalogue.
const maxKnown = 4096

// known caches parsed symptoms of the catalogue, since parsing takes longer than comparing,
// and models have most of theirs in common.
type known struct {
	mu   sync.Mutex // guards read
	read map[string]symptom
}

func (k *known) symptom(text string) symptom {
	k.mu.Lock()
	s, found := k.read[text]
	k.mu.Unlock()
	if found {
		return s
	}
	s = newSymptom(text)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.read) >= maxKnown || k.read == nil {
		k.read = map[string]symptom{}
	}
	k.read[text] = s
	return s
}

// distinct returns the symptoms that have any words, without duplicates.
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
	return s.plain == o.plain || len(s.clauses) > 0 && slices.EqualFunc(s.clauses, o.clauses, func(a, b clause) bool {
		return a.Sense == b.Sense && slices.Equal(a.Words, b.Words)
	})
}

var quotes = strings.NewReplacer("‘", "'", "’", "'", "‛", "'", "ʼ", "'", "`", "'", "´", "'", "“", `"`, "”", `"`)

// normal returns a text in lower case with straight quotes, single spaces and no
// punctuation.
func normal(text string) string { return english.Plain(quotes.Replace(text)) }

//go:embed words.txt
var words string

// others matches expressions with a synonym, and alias maps each to the word used for it.
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

// oneWord replaces contractions and synonyms in a plain text by one form.
func oneWord(plain string) string {
	return others.ReplaceAllStringFunc(long.Replace(plain), func(s string) string { return alias[s] })
}

// weights holds the weights of words that say little because they name the thing that has
// the symptom; words that say nothing weigh 0. All other words weigh 1.
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
	// enough is the share of the words of one clause that must be in the other.
	enough = .5
	// enoughGrams is the minimum similarity of trigrams for words that differ, as by a
	// typing or hearing error.
	enoughGrams = .45
)

// like returns the similarity of two symptoms: 0 for none, up to 1 for the same words, and
// exactly for the same wording.
func (s symptom) like(known symptom) float64 {
	if s.plain == known.plain {
		return exactly
	}
	best := 0.0
	for _, a := range s.clauses {
		for _, b := range known.clauses {
			if !contrary(sense(a, b), sense(b, a)) {
				best = max(best, overlap(a, b))
			}
		}
	}
	return best
}

// sense returns the sense of a clause. A word that can be affirmed without "not", as in "it
// stops", affirms itself if the other clause is about it.
func sense(of, other clause) english.Sense {
	if of.Sense == english.Open && english.Common(of.Leans, other.Words) > 0 {
		return english.Affirmed
	}
	return of.Sense
}

// contrary reports whether one sense affirms what the other denies.
func contrary(a, b english.Sense) bool {
	denied := func(s english.Sense) bool { return s == english.Denied || s == english.Ended }
	return a == english.Affirmed && denied(b) || denied(a) && b == english.Affirmed
}

// overlap returns the share of words that two clauses have in common, or 0 if it is too
// small. What was said may contain more words than the catalogue, or fewer.
func overlap(said, known clause) float64 {
	common, ofSaid, ofKnown := 0.0, 0.0, 0.0
	for _, w := range said.Words {
		ofSaid += weight(w)
		if english.Has(known.Words, w) {
			common += weight(w)
		}
	}
	for _, w := range known.Words {
		ofKnown += weight(w)
	}
	if common > 0 && (common >= enough*ofSaid || common >= ofKnown) {
		return 2 * common / (ofSaid + ofKnown)
	}
	if l := similarity(said.grams, known.grams); l >= enoughGrams {
		return l * enough
	}
	return 0
}

// similarity returns the share of the trigrams of two texts that both have. The trigrams
// must be sorted.
func similarity(a, b []string) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := strings.Compare(a[i], b[j]); {
		case c == 0:
			common, i, j = common+1, i+1, j+1
		case c < 0:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}

// textGrams returns the sorted trigrams of a text, its words padded as in PostgreSQL's
// pg_trgm.
func textGrams(text string) []string {
	var out []string
	for w := range strings.FieldsSeq(text) {
		out = append(out, grams("  "+w+" ")...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
