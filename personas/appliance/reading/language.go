package reading

import (
	"embed"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
)

//go:embed words/*.yaml
var files embed.FS

// Codes holds the languages, English first.
var Codes = []string{"en", "es"}

// Goals holds what may be wanted, by the names of the tools.
var Goals = []string{"diagnose_repair", "install_instruction", "check_compatibility", goalSummary}

// goalSummary is the goal that by itself is no sign of an appliance: anything may be mailed.
const goalSummary = "email_summary"

var languages = phrases.MustLoad(files, "words", Codes, compile)

// language is what is heard in one language; words/en.yaml explains it.
type language struct {
	phrases.Language `yaml:",inline"`

	Goals      map[string]phrases.Table `yaml:"goals"`
	NotGoals   phrases.Table            `yaml:"not_goals"`
	Change     phrases.Table            `yaml:"change"`
	Correct    phrases.Table            `yaml:"correct"`
	Yes        phrases.Table            `yaml:"yes"`
	No         phrases.Table            `yaml:"no"`
	More       phrases.Table            `yaml:"more"`
	Leave      phrases.Table            `yaml:"leave"`
	Goodbye    phrases.Table            `yaml:"goodbye"`
	Thanks     phrases.Table            `yaml:"thanks"`
	Wait       phrases.Table            `yaml:"wait"`
	Trouble    phrases.Table            `yaml:"trouble"`
	NotTrouble phrases.Table            `yaml:"not_trouble"`
	Tells      []cue                    `yaml:"tells"`
	Settled    phrases.Table            `yaml:"settled"`
	Unsettled  phrases.Table            `yaml:"unsettled"`
	Harmless   phrases.Table            `yaml:"harmless"`
	Bygone     phrases.Table            `yaml:"bygone"`
	Foreign    phrases.Words            `yaml:"foreign"`
	Speaker    phrases.Words            `yaml:"speaker"`
	Past       phrases.Table            `yaml:"past"`
	Now        phrases.Table            `yaml:"now"`
	Denied     phrases.Table            `yaml:"denied"`
	Symptoms   []symptom                `yaml:"symptoms"`
	Danger     map[string]phrases.Table `yaml:"danger"`
	DangerOf   []cue                    `yaml:"danger_of"`
	DangerOver phrases.Table            `yaml:"danger_over"`
	NotDanger  phrases.Table            `yaml:"not_danger"`
	Ordinals   []phrases.Table          `yaml:"ordinals"`
	It         phrases.Words            `yaml:"it"`
	Handiwork  phrases.Words            `yaml:"handiwork"`

	Letters      map[string]string `yaml:"letters"`
	Spelling     phrases.Words     `yaml:"spelling"`
	DoubleLetter map[string]string `yaml:"double_letter"`
	Weak         phrases.Words     `yaml:"weak"`
	Numbers      map[string]int    `yaml:"numbers"`
	Joiner       string            `yaml:"joiner"`
	Double       map[string]int    `yaml:"double"`
	Plurals      []string          `yaml:"plurals"`
	Unsure       phrases.Table     `yaml:"unsure"`
	AsIn         phrases.Table     `yaml:"as_in"`
	Skip         phrases.Words     `yaml:"skip"`
	Stop         phrases.Words     `yaml:"stop"`
	Model        phrases.Words     `yaml:"model"`
	Part         phrases.Words     `yaml:"part"`
	Address      address           `yaml:"email"`

	kinds  []string // of danger, in order
	alerts phrases.Table
	nouns  map[string]bool
	// mentions holds what one of Tells needs.
	mentions phrases.Table
	wants    phrases.Table     // any goal but goalSummary
	letters  map[string]string // by their names
}

type symptom struct {
	Label string        `yaml:"label"`
	Say   string        `yaml:"say"`
	Heard phrases.Table `yaml:"heard"`
}

// address is how an e-mail address is spoken.
type address struct {
	At    phrases.Words     `yaml:"at"`
	Dot   phrases.Words     `yaml:"dot"`
	Marks map[string]string `yaml:"marks"`
	Stop  phrases.Words     `yaml:"stop"`
	Again phrases.Words     `yaml:"again"`
	Said  map[string]string `yaml:"said"`
	Aside []string          `yaml:"aside"`
}

func compile(_ string, l *language) error {
	tables := []*phrases.Table{
		&l.NotGoals, &l.Change, &l.Correct, &l.Yes, &l.No, &l.More, &l.Leave, &l.Goodbye, &l.Thanks, &l.Wait, &l.Trouble, &l.NotTrouble,
		&l.Past, &l.Now, &l.Denied, &l.NotDanger, &l.AsIn, &l.Unsure, &l.alerts, &l.Settled, &l.Unsettled, &l.Harmless, &l.Bygone, &l.DangerOver,
	}
	l.kinds = slices.Sorted(maps.Keys(l.Danger))
	for _, kind := range l.kinds {
		l.DangerOf = append(l.DangerOf, cue{Kind: kind, Says: l.Danger[kind]})
	}
	for _, c := range l.DangerOf {
		l.alerts = phrases.Join(l.alerts, c.Says)
	}
	for _, set := range []string{"noun", "part", "machine", "electric", "live", "flame"} {
		for noun := range strings.FieldsSeq(l.Sets[set]) {
			l.Sets[set] += " " + noun + "'s"
		}
	}
	faults := []phrases.Table{l.Trouble}
	for i := range l.Symptoms {
		tables, faults = append(tables, &l.Symptoms[i].Heard), append(faults, l.Symptoms[i].Heard)
	}
	l.Tells[0].Says = phrases.Join(append(faults, l.Tells[0].Says)...) // about any appliance
	for _, cues := range [][]cue{l.Tells, l.DangerOf} {
		for i := range cues {
			tables = append(tables, &cues[i].Of, &cues[i].Says)
		}
	}
	for i := range l.Ordinals {
		tables = append(tables, &l.Ordinals[i])
	}
	err := l.Compile(tables...)
	for _, c := range l.Tells {
		if c.Of.Empty() {
			c.Of = c.Says
		}
		l.mentions = phrases.Join(l.mentions, c.Of)
	}
	for name, t := range l.Goals {
		if name != goalSummary {
			l.wants = phrases.Join(l.wants, t)
		}
		err = errors.Join(err, l.Compile(&t))
		l.Goals[name] = t
	}
	err = errors.Join(err, l.Compile(&l.mentions, &l.wants))
	if err != nil {
		return err
	}
	l.nouns, l.letters = english.Set(l.Sets["noun"]), make(map[string]string)
	for letter, names := range l.Letters {
		for name := range strings.FieldsSeq(names) {
			l.letters[name] = strings.ToUpper(letter)
		}
	}
	return nil
}
