package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

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

// A point is a statement on one piece of evidence, of the kind that its label begins
// with: a danger, a trend, an answer, a call or a memory.
type point struct {
	statement
	kind, day string
	on        string // what the patterns of concerns are tried on; of an answer the question
	bad       bool
}

// A finding is what a record shows of a concern. Nothing of it is open where all is well,
// and somebody asked.
type finding struct {
	concern
	Shown []statement
}

// A discussion is what a voice of the care council has before it.
type discussion struct {
	Who      string
	Evidence int    // how much there is
	Carer    string // what a carer told
	First    bool   // no round went before

	question, earlier, said string
	asks                    bool     // the question is of this round
	before                  []string // labels that the Analyzer spoke of in earlier rounds
	points                  []point
	findings                []finding // the weightiest first
	well, wellBy            []string  // what is as one would wish, and the labels of that
	told                    statement // by the person, of their life
	topic                   string    // of that
}

// Council reads the prompt of a voice of the care council.
func (r record) Council() *discussion {
	d := &discussion{}
	for _, m := range cue("council").find(plain.Replace(r.Text), 1) {
		d.Who, d.earlier, d.First, d.said = m["who"], m["earlier"], m["round"] == "1", m["said"]
		d.question, d.asks = cmp.Or(m["carer"], m["question"]), m["carer"] != ""
		if d.asks && !strings.HasSuffix(d.question, "?") {
			d.Carer = bare(d.question)
		}
		d.before = cue("label").FindAllString(cue("others").ReplaceAllString(d.earlier, ""), -1)
		day := ""
		for _, e := range cue("evidence").find(cue("others").ReplaceAllString(m["record"], ""), -1) {
			if day = cmp.Or(e["day"], day); e["label"] != "" {
				d.read(r, e["label"], day, e["text"])
			}
		}
	}
	slices.SortStableFunc(d.points, func(a, b point) int { return strings.Index("DTACM", a.kind) - strings.Index("DTACM", b.kind) })
	for _, c := range theTalk().Concerns {
		shown, trouble := d.shown(c)
		if c.Open = d.fill(c.Open); !trouble {
			c.Open = ""
		}
		if len(shown) > 0 && (trouble || d.asked(c) > 0) {
			d.findings = append(d.findings, finding{c, shown})
		}
	}
	slices.SortStableFunc(d.findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(b.Labels, a.Labels), cmp.Compare(d.asked(b.concern), d.asked(a.concern)))
	})
	return d
}

// read takes a piece of evidence apart.
func (d *discussion) read(r record, label, day, text string) {
	add := func(says, on string, bad bool) {
		d.points = append(d.points, point{statement{says, []string{label}}, label[:1], day, on, bad})
	}
	d.Evidence++
	who, said, _ := strings.Cut(text, ": ")
	switch label[:1] {
	case "D":
		add("Danger was told of in a call: "+strings.ReplaceAll(text, "_", " "), text, true)
	case "T":
		for _, s := range english.Sentences(said) {
			add(who+": "+lowerFirst(bare(s)), who, true)
		}
	case "A":
		for _, a := range cue("answered").find(text, 1) {
			day = a["day"]
			add(spoken.Replace(a["value"]), a["asked"], false)
		}
	case "C":
		quote := func(s string) string { return "In the call of " + day + ", " + d.Who + ` said: "` + bare(s) + `"` }
		for _, s := range english.Sentences(said) {
			add(quote(s), s, badNews(s) && !idle(s))
		}
		if told := statements(said, 5); len(told) > 0 && d.topic == "" && !badNews(said) {
			d.topic, d.told = r.Topic(told[0]), statement{quote(told[0]), []string{label}}
		}
	case "M":
		for _, s := range english.Sentences(text) {
			add(`It is remembered that "`+bare(s)+`"`, s, false)
		}
	}
}

// spoken says the values of answers as one does.
var spoken = strings.NewReplacer("true", "yes", "false", "no", "_", " ")

// bare returns the first sentence of a text, without the marks at its end.
func bare(text string) string {
	return strings.TrimRight(append(english.Sentences(strings.ReplaceAll(text, `"`, "'")), "")[0], ".!?…; ")
}

func (d *discussion) fill(text string) string {
	return strings.NewReplacer("{who}", d.Who, "{topic}", cmp.Or(d.topic, "{topic}")).Replace(text)
}

// asked returns how much a question has to do with a concern.
func (d *discussion) asked(c concern) int {
	if c.Labels != "" {
		return 0
	}
	return len(c.About.FindAllString(d.question, -1))
}

// shown returns what a record shows of a concern, and whether that is cause for it.
func (d *discussion) shown(c concern) (shown []statement, trouble bool) {
	worse := cue(map[bool]string{false: "worse", true: "worse higher"}[c.Rises])
	asked := d.asked(c) > 0
	var answers []point
	at := 0 // where answers go
	for _, p := range d.points {
		switch {
		case c.Labels != "" && !strings.Contains(c.Labels, p.kind), p.kind == "C" && (!p.bad && !asked || strings.HasSuffix(p.on, "?")):
		case p.kind == "A" && c.Asks.Regexp != nil && c.Asks.MatchString(p.on):
			answers, at = append(answers, p), len(shown)
			trouble = trouble || c.Poor.MatchString(p.Text)
		case p.kind != "A" && c.About.MatchString(p.on) && (p.kind != "T" || worse.MatchString(p.Text)):
			shown, trouble = append(shown, p.statement), trouble || p.bad
		}
	}
	if len(answers) > 0 {
		shown = slices.Insert(shown, at, since(c, answers))
	}
	if len(answers) > 0 && !trouble && !asked {
		d.well, d.wellBy = append(d.well, c.Name+" ("+answers[0].Text+")"), append(d.wellBy, answers[0].Labels...)
	}
	return shown, trouble
}

// since returns a statement on the newest answer, and on three at most before it.
func since(c concern, answers []point) statement {
	var values, labels []string
	for _, p := range answers[:min(len(answers), 4)] {
		values, labels = append(values, p.Text), append(labels, p.Labels...)
	}
	text := "On " + answers[0].day + " the answer on " + c.Name + " was " + values[0]
	if len(values) > 1 {
		text += ", after " + listed(values[1:]) + " before it"
	}
	return statement{text, labels}
}

// listed joins words as one says them.
func listed(words []string) string {
	last := len(words) - 1
	return strings.TrimPrefix(strings.Join(words[:last], ", ")+" and "+words[last], " and ")
}

// Says returns what the Analyzer says: what is asked, then of each concern what was not
// said before, and what is not known.
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
	if i := slices.IndexFunc(d.findings, func(f finding) bool { return f.Open != "" }); i >= 0 {
		f := d.findings[i]
		what := "It is not on record " + f.Open
		if len(out) == 0 {
			what = "Of " + f.Name + " the record shows nothing beyond what was said"
		}
		out = append(out, statement{what, f.Shown[0].Labels})
	}
	if len(d.well) > 0 && (d.First || len(out) == 0) {
		out = append(out, statement{"As one would wish are " + listed(d.well), d.wellBy})
	}
	if len(out) < 3 {
		add(false, d.told)
	}
	return out
}

// answer returns what was said or is remembered that has most in common with the question.
func (d *discussion) answer() (best statement) {
	most, wanted := 0, topicsIn(d.question)
	for _, p := range d.points {
		common := english.Common(wanted, topicsIn(p.on))
		if common > most && (p.kind == "C" || p.kind == "M") && !strings.HasSuffix(p.on, "?") {
			best, most = p.statement, common
		}
	}
	return best
}

// Agreed returns the concerns that were spoken of, with the labels that they were spoken
// of by.
func (d *discussion) Agreed() []finding {
	spokenOf := cue("label").FindAllString(d.earlier+d.said, -1)
	still := map[bool]string{true: "", false: " still"}[d.First]
	var out []finding
	for _, f := range d.findings {
		var labels []string
		for _, s := range f.Shown {
			labels = append(labels, s.Labels...)
		}
		labels = slices.DeleteFunc(labels, func(l string) bool { return !slices.Contains(spokenOf, l) })
		f.Shown = []statement{{upperFirst(f.Name) + still + " deserves attention", labels[:min(len(labels), 3)]}}
		if len(labels) > 0 && f.Open != "" {
			out = append(out, f)
		}
	}
	return out
}

// proposals returns what can be proposed for a concern that was said already, or was not.
// To come back to a topic takes one.
func (d *discussion) proposals(c concern, said string, already bool) []proposal {
	var out []proposal
	for _, p := range c.Propose {
		p.To, p.Text = d.fill(p.To), d.fill(p.Text)
		if english.Holds(english.Plain(said), english.Plain(p.Text)) == already && !strings.Contains(p.Text, "{topic}") {
			out = append(out, p)
		}
	}
	return out
}

// Propose returns what the Solver proposes: for each concern what was not proposed before.
func (d *discussion) Propose() []proposal {
	var out []proposal
	next := func(c concern, labels []string) {
		if list := d.proposals(c, d.earlier, false); len(list) > 0 && len(out) < 3 {
			list[0].Labels = labels
			out = append(out, list[0])
		}
	}
	agreed := d.Agreed()
	for _, f := range agreed {
		next(f.concern, f.Shown[0].Labels)
	}
	switch {
	case d.Evidence == 0:
		next(theTalk().Unknown, nil)
	case len(agreed) == 0:
		next(theTalk().Content, d.wellBy)
		fallthrough
	case len(agreed) == 1:
		next(theTalk().Chat, d.told.Labels)
	}
	return out
}

// Proposed returns what the Solver has proposed since a carer spoke last.
func (d *discussion) Proposed() []proposal {
	parts := strings.Split(d.earlier, "A carer said: ")
	said := parts[len(parts)-1] + d.said
	if d.asks {
		said = d.said
	}
	var out []proposal
	for _, c := range append(slices.Clone(theTalk().Concerns), theTalk().Chat, theTalk().Content, theTalk().Unknown) {
		out = append(out, d.proposals(c, said, true)...)
	}
	return out
}

// Ask returns what only carers know of what was agreed on; "" where somebody asks already.
func (d *discussion) Ask() string {
	agreed := d.Agreed()
	if d.Evidence == 0 {
		agreed = []finding{{concern: theTalk().Unknown}}
	}
	for _, f := range agreed {
		if d.question == "" && f.Carers != "" {
			return d.fill(f.Carers)
		}
	}
	return ""
}
