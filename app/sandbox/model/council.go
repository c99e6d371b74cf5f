package model

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

//go:embed council.yaml
var councilYAML []byte

// A concern is something about a person that the voices of the care council look for in
// the record: the file council.yaml explains it.
type concern struct {
	Name, Labels, Open, Carers string
	About, Asks, Poor          pattern
	Rises                      bool
	Propose                    []proposal
}

// A proposal is something to be done, of a kind, and what for.
type proposal struct {
	Kind, To, Text, Question string
	Labels                   []string `yaml:"-"`
}

// A statement is what the record shows, and the labels of what shows it.
type statement struct {
	Text   string
	Labels []string
}

func (s statement) String() string { return s.Text + " " + cites(s.Labels) + "." }

// cites writes labels as a citation, of six at most.
func cites(labels []string) string {
	return "[" + strings.Join(labels[:min(len(labels), 6)], ", ") + "]"
}

// evidence is an entry of a record. An answer has what was asked.
type evidence struct{ Label, Day, Text, Asked, Value string }

// A finding is what a record shows of a concern, the weightiest first. It is calm where
// all is well, and somebody asked.
type finding struct {
	concern
	Shown []statement
	calm  bool
}

// A discussion is what a voice of the care council has before it.
type discussion struct {
	Who      string
	Evidence []evidence
	Carer    string // what a carer told
	First    bool   // no round went before

	question, earlier, said string
	asks                    bool     // the question is of this round
	before                  []string // labels that the Analyzer spoke of in earlier rounds
	findings                []finding
	steady                  statement // what is as one would wish
	told                    statement // by the person, of their life
	topic                   string    // of that
}

// Council reads the prompt of a voice of the care council.
func (r record) Council() *discussion {
	d := &discussion{}
	m := cue("council").FindStringSubmatch(plain.Replace(r.Text))
	if m == nil {
		return d
	}
	d.Who, d.question, d.earlier, d.First, d.said = m[1], cmp.Or(m[6], m[3]), m[4], m[5] == "1", m[7]
	if d.asks, d.before = m[6] != "", cue("label").FindAllString(cue("others").ReplaceAllString(d.earlier, ""), -1); d.asks && !strings.HasSuffix(m[6], "?") {
		d.Carer = bare(m[6])
	}
	day := ""
	for _, e := range theTalk().Cues["evidence"].find(m[2], -1) {
		day = cmp.Or(e["day"], day)
		found := evidence{Label: e["label"], Day: day, Text: e["text"]}
		if a := theTalk().Cues["answered"].find(found.Text, 1); strings.HasPrefix(found.Label, "A") && a != nil {
			found.Day, found.Asked, found.Value = a[0]["day"], a[0]["asked"], a[0]["value"]
		}
		if strings.HasPrefix(found.Label, "C") {
			who, text, _ := strings.Cut(found.Text, ": ")
			if found.Text = text; who == "nAIber" {
				continue
			}
			if told := statements(text, 5); len(told) > 0 && d.topic == "" && !badNews(text) {
				d.topic, d.told = r.Topic(told[0]), d.quote(found, told[0])
			}
		}
		if found.Label != "" {
			d.Evidence = append(d.Evidence, found)
		}
	}
	for _, c := range theTalk().Concerns {
		if shown, trouble := d.shown(c); len(shown) > 0 && (trouble || d.asked(c) > 0) {
			d.findings = append(d.findings, finding{c, shown, !trouble})
		}
	}
	slices.SortStableFunc(d.findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(b.Labels, a.Labels), cmp.Compare(d.asked(b.concern), d.asked(a.concern)))
	})
	return d
}

// bare is the first sentence of a text, without the marks at its end.
func bare(text string) string {
	return strings.TrimRight(append(english.Sentences(strings.ReplaceAll(text, `"`, "'")), "")[0], ".!?…; ")
}

func (d *discussion) fill(text string) string {
	return strings.NewReplacer("{who}", d.Who, "{topic}", d.topic).Replace(text)
}

func (d *discussion) quote(e evidence, sentence string) statement {
	return statement{"In the call of " + e.Day + ", " + d.Who + ` said: "` + bare(sentence) + `"`, []string{e.Label}}
}

// asked is how much a question has to do with a concern.
func (d *discussion) asked(c concern) int {
	if d.question == "" || c.Labels != "" {
		return 0
	}
	return len(c.About.FindAllString(d.question, -1))
}

// shown is what a record shows of a concern, and whether that is cause for it.
func (d *discussion) shown(c concern) (shown []statement, trouble bool) {
	var kinds [5][]statement // dangers, trends, answers, lines, memories
	worse := map[bool]string{false: "worse", true: "worse higher"}[c.Rises]
	var answers []evidence
	for _, e := range d.Evidence {
		at := strings.Index("DTACM", e.Label[:1])
		of, _, _ := strings.Cut(e.Text, ":") // of a trend
		switch {
		case c.Labels != "" && !strings.Contains(c.Labels, e.Label[:1]), at < 0:
		case e.Asked != "":
			if c.Asks.Regexp != nil && c.Asks.MatchString(e.Asked) {
				answers = append(answers, e)
				trouble = trouble || c.Poor.MatchString(e.Value)
			}
		case !c.About.MatchString(e.Text), at == 1 && !c.About.MatchString(of):
		case at == 0:
			kinds[at], trouble = append(kinds[at], statement{"Danger was told of in a call: " + strings.ReplaceAll(e.Text, "_", " "), []string{e.Label}}), true
		case at == 1:
			for _, s := range english.Sentences(e.Text) {
				if cue(worse).MatchString(s) {
					kinds[at], trouble = append(kinds[at], statement{of + ": " + lowerFirst(strings.TrimPrefix(bare(s), of+": ")), []string{e.Label}}), true
				}
			}
		case at == 3:
			for _, s := range english.Sentences(e.Text) {
				if bad := badNews(s) && !idle(s); c.About.MatchString(s) && (bad || d.asked(c) > 0) && !strings.HasSuffix(s, "?") {
					kinds[at], trouble = append(kinds[at], d.quote(e, s)), trouble || bad
				}
			}
		case at == 4:
			kinds[at] = append(kinds[at], statement{`It is remembered that "` + bare(e.Text) + `"`, []string{e.Label}})
		}
	}
	if len(answers) > 0 {
		kinds[2] = []statement{since(c, answers)}
		if !trouble && d.asked(c) == 0 {
			d.steady.Text += ", " + c.Name + " (" + spoken(answers[0].Value) + ")"
			d.steady.Labels = append(d.steady.Labels, answers[0].Label)
		}
	}
	return slices.Concat(kinds[:]...), trouble
}

// since tells the newest answer, and those before it.
func since(c concern, answers []evidence) statement {
	s := statement{"On " + answers[0].Day + " the answer on " + c.Name + " was " + spoken(answers[0].Value), []string{answers[0].Label}}
	var before []string
	for _, e := range answers[1:min(len(answers), 4)] {
		before, s.Labels = append(before, spoken(e.Value)), append(s.Labels, e.Label)
	}
	if len(before) > 0 {
		s.Text += ", after " + listed(before) + " before it"
	}
	return s
}

var answered = strings.NewReplacer("true", "yes", "false", "no", "_", " ")

func spoken(value string) string { return answered.Replace(value) }

// listed joins words as one says them.
func listed(words []string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " and " + words[n]
	}
	return strings.Join(words, "")
}

// Says is what the Analyzer says: what is asked, then of each concern what was not said
// before, and what is not known.
func (d *discussion) Says() []statement {
	var out []statement
	add := func(again bool, list ...statement) {
		i := slices.IndexFunc(list, func(s statement) bool {
			return again || !slices.ContainsFunc(s.Labels, func(l string) bool { return slices.Contains(d.before, l) })
		})
		if i >= 0 && len(list[i].Labels) > 0 && len(out) < 4 && !slices.ContainsFunc(out, func(s statement) bool { return s.Text == list[i].Text }) {
			out = append(out, list[i])
		}
	}
	add(false, d.answer())
	for _, f := range d.findings[:min(len(d.findings), 5)] {
		add(d.asks && d.asked(f.concern) > 0, f.Shown...)
	}
	if i := slices.IndexFunc(d.findings, func(f finding) bool { return !f.calm }); i >= 0 {
		f := d.findings[i]
		what := "It is not on record " + d.fill(f.Open)
		if len(out) == 0 {
			what = "Of " + f.Name + " the record shows nothing beyond what was said"
		}
		out = append(out, statement{what, f.Shown[0].Labels})
	}
	if len(d.steady.Labels) > 0 && (d.First || len(out) == 0) {
		out = append(out, statement{"As one would wish are " + listed(strings.Split(d.steady.Text[2:], ", ")), d.steady.Labels})
	}
	if len(out) < 3 {
		add(false, d.told)
	}
	return out
}

// answer is what was said or is remembered that has most in common with the question.
func (d *discussion) answer() (best statement) {
	most, wanted := 0, topicsIn(d.question)
	for _, e := range d.Evidence {
		for _, s := range english.Sentences(e.Text) {
			common := english.Common(wanted, topicsIn(s))
			if common <= most || e.Asked != "" || strings.HasSuffix(s, "?") {
				continue
			}
			switch e.Label[0] {
			case 'C':
				best, most = d.quote(e, s), common
			case 'M':
				best, most = statement{`It is remembered that "` + bare(s) + `"`, []string{e.Label}}, common
			}
		}
	}
	return best
}

// Agreed are the concerns that were spoken of, and the labels that they were spoken of by.
func (d *discussion) Agreed() []finding {
	spokenOf := cue("label").FindAllString(d.earlier+d.said, -1)
	var out []finding
	for _, f := range d.findings {
		var labels []string
		for _, s := range f.Shown {
			labels = append(labels, s.Labels...)
		}
		labels = slices.DeleteFunc(labels, func(l string) bool { return !slices.Contains(spokenOf, l) })
		f.Shown = []statement{{upperFirst(f.Name) + map[bool]string{true: "", false: " still"}[d.First] + " deserves attention", labels[:min(len(labels), 3)]}}
		if f.Open = d.fill(f.Open); len(labels) > 0 && !f.calm {
			out = append(out, f)
		}
	}
	return out
}

// Propose is what the Solver proposes: for each concern what was not proposed before.
func (d *discussion) Propose() []proposal {
	var out []proposal
	next := func(list []proposal, labels []string) {
		for _, p := range list {
			if p.Labels = labels; len(out) < 3 && !d.proposed(p, d.earlier) && (d.topic != "" || !strings.Contains(p.Text, "{topic}")) {
				p.To, p.Text = d.fill(p.To), d.fill(p.Text)
				out = append(out, p)
				return
			}
		}
	}
	agreed := d.Agreed()
	for _, f := range agreed {
		next(f.Propose, f.Shown[0].Labels)
	}
	switch {
	case len(d.Evidence) == 0:
		next(theTalk().Unknown.Propose, nil)
	case len(agreed) == 0:
		next(theTalk().Content.Propose[1:], d.steady.Labels)
		fallthrough
	case len(agreed) == 1:
		next(theTalk().Content.Propose[:1], d.told.Labels)
	}
	return out
}

// Proposed is what the Solver has proposed since a carer spoke last.
func (d *discussion) Proposed() []proposal {
	var all []proposal
	for _, c := range append(slices.Clone(theTalk().Concerns), theTalk().Content, theTalk().Unknown) {
		all = append(all, c.Propose...)
	}
	parts := strings.Split(d.earlier, "A carer said: ")
	since := parts[len(parts)-1] + d.said
	if d.asks {
		since = d.said
	}
	var out []proposal
	for _, p := range all {
		if p.Text = d.fill(p.Text); d.proposed(p, since) {
			out = append(out, p)
		}
	}
	return out
}

func (d *discussion) proposed(p proposal, in string) bool {
	return strings.Contains(english.Plain(in), english.Plain(d.fill(p.Text)))
}

// Ask is what only carers know of what was agreed on; empty where somebody asks already.
func (d *discussion) Ask() string {
	if d.question != "" {
		return ""
	}
	if len(d.Evidence) == 0 {
		return d.fill(theTalk().Unknown.Carers)
	}
	ask := ""
	for _, f := range d.Agreed() {
		ask = cmp.Or(ask, d.fill(f.Carers))
	}
	return ask
}

// Moderated is what the Moderator said last in a summary of rounds.
func (r record) Moderated() string {
	said := cue("moderated").FindAllStringSubmatch(r.Text, -1)
	if len(said) == 0 {
		return "Nothing was agreed on yet."
	}
	return said[len(said)-1][1]
}
