package safety

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/internal/weights"
	"github.com/naiber/naiber/orchestration"
)

// guardFiles holds the rules for what models say, one file per language.
//
//go:embed guard/*.yaml guard/*.weights
var guardFiles embed.FS

// withheldKind is how sentences of one kind are withheld.
type withheldKind struct {
	drops bool // the rest of the reply is dropped too: it would go on from the sentence
	// excuses names the excuses that count for it, see [guardRules].
	excuses string
}

// withheldKinds holds the kinds of sentences that are not spoken, the gravest first.
var withheldKinds = []struct {
	name string
	withheldKind
}{
	{"secrets_asked", withheldKind{true, "negated declines story"}},
	{"dose", withheldKind{true, "negated declines told referred story asked"}},
	{"diagnosis", withheldKind{true, "negated declines told referred story asked"}},
	{"money", withheldKind{true, "negated declines told referred story asked"}},
	{"legal", withheldKind{true, "negated declines told referred story asked"}},
	{"promise", withheldKind{false, "negated declines told story asked"}},
	{"human", withheldKind{true, "negated told story asked"}},
	{"secret", withheldKind{false, "negated declines told story asked"}},
}

// guardRules holds what must not be said in one language, and the excuses. Phrases stand one a
// line, see package phrases.
type guardRules struct {
	phrases.Language `yaml:",inline"`

	Version string        `yaml:"version"`
	Common  phrases.Words `yaml:"common"` // small words by which the language is recognized
	// Withhold holds phrases by kind. Those of Firm count even in a question and after a denial.
	Withhold map[string]phrases.Table `yaml:"withhold"`
	Firm     map[string]phrases.Table `yaml:"firm"`

	Negated  phrases.Table            `yaml:"negated"`  // right before, in the same clause
	Declines phrases.Table            `yaml:"declines"` // before, in the same sentence: nAIber says that it cannot
	Told     phrases.Table            `yaml:"told"`     // in the same sentence: somebody else said it
	Referred phrases.Table            `yaml:"referred"` // before, in the same sentence: whom to ask
	Story    phrases.Table            `yaml:"story"`    // in the sentence, or in one before it in the reply
	Not      map[string]phrases.Table `yaml:"not"`      // by kind, in the same sentence
	Fine     map[string]phrases.Table `yaml:"fine"`     // by kind, overlapping the match

	// Instead holds what is said in place of a sentence, by kind.
	Instead map[string]string `yaml:"instead"`

	code    string
	index   *phrases.Index
	weights *weights.Weights // nil if none were learned
}

// How likely it must be by the learned weights that a sentence has to be withheld: if a phrase says
// so, and if none does.
const (
	likelyWithheld      = .35
	likelyWithheldAlone = .55
)

const (
	aWithheld = "withhold "
	aFirm     = "firm "
	aFine     = "fine "
)

var guards = phrases.MustLoad(guardFiles, "guard", codes, compileGuard)

func compileGuard(code string, g *guardRules) (err error) {
	tables := map[string]phrases.Table{
		"negated": g.Negated, "declines": g.Declines, "told": g.Told, "referred": g.Referred, "story": g.Story,
	}
	for label, by := range map[string]map[string]phrases.Table{aWithheld: g.Withhold, aFirm: g.Firm, aNot: g.Not, aFine: g.Fine} {
		for kind, t := range by {
			if kindOf(kind) == nil {
				return fmt.Errorf("no kind %q", kind)
			}
			tables[label+kind] = t
		}
	}
	for _, k := range withheldKinds {
		if g.Instead[k.name] == "" {
			return fmt.Errorf("nothing is said in place of %s", k.name)
		}
	}
	g.code = code
	if g.index, err = g.Index(tables); err != nil {
		return err
	}
	g.weights, err = weights.Open(guardFiles, "guard/"+code+".weights")
	return err
}

func kindOf(name string) *withheldKind {
	for i := range withheldKinds {
		if withheldKinds[i].name == name {
			return &withheldKinds[i].withheldKind
		}
	}
	return nil
}

// Guard keeps a persona's model from saying what no machine may say: diagnoses, doses, advice about
// law and money, promises that nAIber cannot keep, claims to be a human being, secrecy, and
// questions for PINs. A fixed sentence is said instead.
func Guard(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		g := &guarded{own: spokenTo(t)}
		done := s.Through(g.screen)
		err := next.Reply(ctx, t, s)
		done()
		return err
	})
}

// guarded is the state of one reply.
type guarded struct {
	own     string
	story   bool   // a story is being told or read out
	quoting bool   // a quotation is open
	dropped string // the kind for which the rest is dropped
	said    []string
}

// screen implements [orchestration.Screen].
func (g *guarded) screen(sentence string) (why, instead string) {
	if g.dropped != "" {
		return g.dropped, ""
	}
	kind := g.judge(sentence)
	if kind == "" {
		return "", ""
	}
	if kindOf(kind).drops {
		g.dropped = kind
	}
	if slices.Contains(g.said, kind) {
		return kind, ""
	}
	g.said = append(g.said, kind)
	return kind, guards[g.own].Instead[kind]
}

// judge returns the kind for which a sentence is withheld, or "".
func (g *guarded) judge(sentence string) (kind string) {
	words := english.Scan(unstopped.Replace(sentence))
	asked := asks(sentence)
	r := guards[g.spoken(words)]
	toks := r.Tokens(words)
	matches := r.All(r.index, toks)
	told := false
	for _, m := range matches {
		g.story = g.story || m.Label == "story"
		told = told || m.Label == "told"
	}
	kind = r.weigh(r.worst(matches, toks, asked, g.story, g.quoting), matches, toks, asked, g.story || g.quoting)
	if marks := strings.Count(sentence, `"`) + strings.Count(sentence, "“") + strings.Count(sentence, "”"); marks%2 == 1 {
		g.quoting = !g.quoting && told
	}
	return kind
}

// asks reports whether a sentence is a question.
func asks(sentence string) bool {
	return strings.HasSuffix(strings.TrimRight(sentence, " \"'”’)»"), "?")
}

// spoken returns the language of a sentence, by its small words: the person's own, unless another
// one has more of them.
func (g *guarded) spoken(words []english.Word) string {
	best, most := g.own, -1
	for _, code := range append([]string{g.own}, codes...) {
		n := 0
		for _, w := range words {
			if guards[code].Common[w.Text] {
				n++
			}
		}
		if n > most {
			best, most = code, n
		}
	}
	return best
}

// unstopped removes the stop from abbreviations, which end no sentence.
var unstopped = strings.NewReplacer("Dr.", "Dr", "Mr.", "Mr", "Mrs.", "Mrs", "Sr.", "Sr", "Sra.", "Sra", "Dra.", "Dra", "Ud.", "Ud", "a.m.", "am", "p.m.", "pm")

// features returns the features for the weights: the words, what the phrases found, and whether it
// is a question.
func (r *guardRules) features(kind string, matches []phrases.Match, toks []phrases.Token, asked bool) []weights.Feature {
	f := featuresOf(r.code, toks)
	for _, m := range matches {
		f.Add('M', m.Label)
	}
	if kind != "" {
		f.Add('L', kind)
		f.Add('L')
	}
	if asked {
		f.Add('?')
	}
	return f.All
}

// weigh returns the kind for which a sentence is withheld, or "": the kind by phrases if it is
// likely enough, or else a kind that is likely without them, unless the sentence is told in a story
// or quotation.
func (r *guardRules) weigh(kind string, matches []phrases.Match, toks []phrases.Token, asked, told bool) string {
	if r.weights == nil || len(toks) == 0 {
		return kind
	}
	likely := likelihoodOf(r.weights, r.features(kind, matches, toks, asked))
	switch {
	case kind != "" && likely.flag >= likelyWithheld:
		return kind
	case kind == "" && !told && len(toks) >= inTalk.words && likely.flag >= likelyWithheldAlone:
		return r.weights.Kinds[likely.kind]
	}
	return ""
}

// worst returns the gravest kind of matches without an excuse, or "".
func (r *guardRules) worst(matches []phrases.Match, toks []phrases.Token, asked, story, quoting bool) string {
	for _, k := range withheldKinds {
		for _, m := range matches {
			firm := m.Label == aFirm+k.name
			if (firm || m.Label == aWithheld+k.name) && !r.excused(&k.withheldKind, k.name, m, matches, toks, firm, asked, story, quoting) {
				return k.name
			}
		}
	}
	return ""
}

// excused reports whether an excuse holds for a match.
func (r *guardRules) excused(k *withheldKind, name string, m phrases.Match, matches []phrases.Match, toks []phrases.Token, firm, asked, story, quoting bool) bool {
	counts := func(excuse string) bool { return slices.Contains(strings.Fields(k.excuses), excuse) }
	if counts("asked") && asked && !firm || counts("story") && story || counts("told") && quoting {
		return true
	}
	return slices.ContainsFunc(matches, func(x phrases.Match) bool {
		switch x.Label {
		case "negated":
			return !firm && counts("negated") && x.From < m.From && x.To >= m.From-1 && x.To <= m.From+1 && toks[x.To-1].Clause() == toks[m.From].Clause()
		case "declines", "referred":
			return counts(x.Label) && x.From < m.From
		case "told":
			return counts("told")
		case aFine + name:
			return x.From <= m.From && m.From < x.To || m.From <= x.From && x.From < m.To && x.To <= m.To
		}
		return x.Label == aNot+name
	})
}
