package wishes

import (
	"embed"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/phrases"
)

// files holds the languages, one file each. What is heard and what is said are data.
//
//go:embed words/*.yaml
var files embed.FS

var codes = []string{"en", "es"}

var languages = phrases.MustLoad(files, "words", codes, compile)

// language holds what is heard and said in one language, as its file has it.
type language struct {
	phrases.Language `yaml:",inline"`

	Hears   map[string]phrases.Table `yaml:"hears"` // by label, see the constants
	Hours   map[string]int           `yaml:"hours"`
	Minutes map[string]int           `yaml:"minutes"`
	Before  phrases.Words            `yaml:"before"` // words that put the minutes before the hour
	Texts   texts                    `yaml:"texts"`

	index *phrases.Index
}

// texts holds what is said. {what} is the change, worded by the texts from NotDays on.
type texts struct {
	Ask      string `yaml:"ask"`
	Done     string `yaml:"done"`
	Left     string `yaml:"left"`      // nothing was changed
	NotKept  string `yaml:"not_kept"`  // it could not be stored
	Noted    string `yaml:"noted"`     // a human being is told
	AsItIs   string `yaml:"as_it_is"`  // nothing needs to be changed
	Full     string `yaml:"full"`      // no more calls today, but one tomorrow
	TooLate  string `yaml:"too_late"`  // {from} and {to} are the quiet hours
	AskWhen  string `yaml:"ask_when"`  // asks which time would suit
	Until    string `yaml:"until"`     // goodbye until then
	And      string `yaml:"and"`       // joins the last two of a list
	From     string `yaml:"from"`      // {what} holds from now on
	NotDays  string `yaml:"not_days"`  // {days}
	OnlyDays string `yaml:"only_days"` // {days}
	Between  string `yaml:"between"`   // {from}, {to}

	Every map[string]string `yaml:"every"` // {days}
	Pause map[string]string `yaml:"pause"` // {day}
	Once  map[string]string `yaml:"once"`  // {from}, {to}
	End   map[string]string `yaml:"end"`

	Day    map[string]string `yaml:"day"`   // one weekday
	Days   map[string]string `yaml:"days"`  // weekdays that recur
	Hours  []string          `yaml:"hours"` // in words, from twelve on
	Clock  map[string]string `yaml:"clock"` // by the minutes, {h} is the hour and {next} the next one
	Parts  map[string]string `yaml:"parts"` // of the day: {time}
	Minute string            `yaml:"minute"`
}

func compile(_ string, l *language) (err error) {
	l.index, err = l.Index(l.Hears)
	return err
}

// languageOf returns the language of a tag, or English if it is not known.
func languageOf(tag string) *language { return languages[phrases.Code(codes, tag)] }

// fill replaces {names} in a text by their values.
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// clockWords returns a time such as "13:30" as people say it.
func (x *texts) clockWords(at string) string {
	t, err := time.Parse("15:04", at)
	if err != nil {
		return at
	}
	part := "evening"
	switch h := t.Hour(); {
	case h < 12:
		part = "morning"
	case h < 18:
		part = "afternoon"
	}
	minute := t.Format("04")
	text, ok := x.Clock[minute]
	if !ok {
		text = fill(x.Minute, "m", strings.TrimPrefix(minute, "0"))
	}
	return fill(x.Parts[part], "time", fill(text, "h", x.Hours[t.Hour()%12], "next", x.Hours[(t.Hour()+1)%12]))
}

// join returns a list in words.
func (x *texts) join(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + x.And + " " + list[len(list)-1]
}

func (x *texts) days(list []string) string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = x.Days[d]
	}
	return x.join(names)
}
