package app_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/people"
)

// How a person's check comes to its end.
const (
	endsWell   = "well"   // every question is put
	endsStop   = "stop"   // the person wants to stop
	endsHangUp = "hangup" // the person is gone
)

// patient is somebody who answers a health check by a script, and watches what is
// asked.
type patient struct {
	c      *clinic
	t      *testing.T
	cat    *catalogue
	person people.Person
	n      int
	seed   uint64
	client *http.Client

	ending string
	breaks bool // the line breaks where the process dies in mid-turn, and they call back
	calls  []*line
	atTurn func() // called after each reply that was heard
	atEnd  func() // called when all was said, before the call ends

	truth   map[string]reply // what is to be on record, as far as it was said
	earlier map[string]reply // what was taken back
	settled map[string]bool  // the answer was given, and the reply to it was heard
	sent    []string         // questions that the words under way answer
	did     map[string]bool  // what happens but once
	exiting string           // "stop" or "stay": what is said to whether to stop
	asked   []string
	calm    int // replies that were no reply of the persona's
}

const calmSentence = "I'm sorry, I didn't quite catch that. Could you say it again for me?"

func (c *clinic) newPatient(t *testing.T, cat *catalogue, client *http.Client, seed uint64, n int) *patient {
	t.Helper()
	p := &patient{
		c: c, t: t, cat: cat, n: n, seed: seed, client: client, ending: endsWell,
		truth: map[string]reply{}, earlier: map[string]reply{}, settled: map[string]bool{}, did: map[string]bool{},
	}
	who := people.Person{
		Name: fmt.Sprintf("Person Number%d", n), PreferredName: "Margaret", Phone: newPhone(), Timezone: "Canada/Newfoundland", Language: "en",
		QuietHours: &people.QuietHours{Start: "00:00", End: "00:00"},
	}
	if n%3 == 0 {
		who.PreferredName = downFor
	}
	who.Conditions = [][]string{nil, {"heart failure"}, {"COPD"}, {"arthritis"}, {"heart failure", "COPD"}}[n%5]
	switch n % 10 {
	case 4:
		p.ending = endsStop
	case 7:
		p.ending = endsHangUp
	case 1, 2, 9:
		p.breaks = true
	}
	p.person = c.patient(who)
	return p
}

// play holds the whole check, with as many calls as it takes.
func (p *patient) play() error {
	for {
		err := p.conversation()
		if errors.Is(err, errBroken) {
			p.breaks = false
		} else if p.atEnd != nil {
			p.atEnd()
		}
		if end := p.calls[len(p.calls)-1].status("completed"); end != nil {
			return end
		}
		if !errors.Is(err, errBroken) {
			return err
		}
	}
}

// conversation is one call.
func (p *patient) conversation() error {
	l, err := p.c.ring(p.t, p.client, p.person)
	if err != nil {
		return err
	}
	p.calls = append(p.calls, l)
	words, sent := "Yes, go ahead.", []string(nil)
	if p.n%7 == 0 && !p.settled["medication"] {
		words = "Yes, and I have taken all my tablets this morning."
		p.truth["medication"], sent = valued("", true), []string{"medication"}
	}
	p.exiting = ""
	for range 80 {
		p.sent = sent
		h, err := p.speak(l, words)
		if err != nil {
			return err
		}
		for _, id := range p.sent {
			p.settled[id] = true
		}
		if p.atTurn != nil {
			p.atTurn()
		}
		if h.ended {
			return nil
		}
		var gone bool
		if words, sent, gone = p.respond(h, words); gone {
			return nil
		}
	}
	return fmt.Errorf("person %d: the check never ends; asked: %v", p.n, p.asked)
}

// speak says words in one of the ways in which a turn may come.
func (p *patient) speak(l *line, words string) (heard, error) {
	switch len(p.asked) {
	case 3:
		if p.n%4 == 1 {
			return l.saysMore("Five.", words)
		}
	case 5:
		if p.n%4 == 2 {
			return l.saysTwice(words)
		}
	}
	return l.says(words, p.breaks && len(p.asked) > 1 && len(p.asked) < 8)
}

// respond is what the person says to a reply, and which questions that answers.
func (p *patient) respond(h heard, before string) (words string, answers []string, gone bool) {
	if strings.Contains(h.text, calmSentence) {
		p.calm++
		return before, p.sent, false
	}
	switch p.exiting {
	case "stop":
		p.exiting = ""
		return "Yes, stop please.", nil, false
	case "stay":
		p.exiting = ""
		return "No, no, go on.", nil, false
	}
	f, ok := p.cat.asked(h.text)
	if !ok && strings.Contains(h.text, "press a key") {
		f, ok = fragment{id: p.asked[len(p.asked)-1]}, true
	}
	if !ok {
		p.t.Errorf("person %d heard %q, which asks nothing; last asked: %v", p.n, h.text, p.asked)
		return "", nil, true
	}
	if f.readBack {
		return "Yes.", []string{f.id}, false
	}
	if p.settled[f.id] {
		p.t.Errorf("person %d is asked for %s again: %q; asked before: %v", p.n, f.id, h.text, p.asked)
	}
	p.asked = append(p.asked, f.id)
	if p.ending == endsHangUp && f.id == "falls" {
		return "", nil, true
	}
	if words, answers, ok := p.remark(f.id); ok {
		return words, answers, false
	}
	return p.answer(f.id)
}

// once reports whether what is to happen but once is due.
func (p *patient) once(what string, due bool) bool {
	if !due || p.did[what] {
		return false
	}
	p.did[what] = true
	return true
}

// remark is something that is said in place of an answer.
func (p *patient) remark(id string) (words string, answers []string, ok bool) {
	switch {
	case p.once("stop", p.ending == endsStop && id == "mood"):
		p.exiting = "stop"
		return "I want to stop now.", nil, true
	case p.once("stay", p.n%11 == 3 && id == "sleep"):
		p.exiting = "stay"
		return "I want to stop now.", nil, true
	case p.once("pardon", p.n%6 == 2 && oneOf(id, "pain", "steadi.worry")):
		return "Pardon?", nil, true
	case p.once("mumble", p.n%8 == 3 && oneOf(id, "energy", "mood")):
		if p.person.PreferredName == downFor {
			return "It comes and goes, as " + downFor + " says.", nil, true
		}
		return "It comes and goes, dear.", nil, true
	case p.corrects() && id == "mood" && !p.settled["correction"]:
		p.earlier["energy"], p.truth["energy"] = valued("", 6), valued("", 4)
		return "Going back to the energy one, it was a four.", []string{"correction"}, true
	}
	return "", nil, false
}

// corrects reports whether the person takes an answer back.
func (p *patient) corrects() bool { return p.n%5 == 3 }

// several reports whether the person answers more than is asked.
func (p *patient) several() bool { return p.n%6 == 4 }

// answer is what the person answers, which is then to be on record.
func (p *patient) answer(id string) (words string, answers []string, gone bool) {
	if id == "sleep" && p.several() {
		p.truth["sleep"], p.truth["falls"], p.truth["appetite"] = valued("", 9), valued("", false), valued("", "good")
		return "Nine. I haven't had any falls and my appetite is good.", []string{"sleep", "falls", "appetite"}, false
	}
	r, told := p.truth[id]
	if !told || r.said == "" {
		r = scripted(p.seed, p.n, p.cat.items[id])
		switch {
		case id == "energy" && p.corrects():
			r = valued("Six.", 6)
		case id == "medication" && p.n%7 == 0:
			r = valued("Yes.", true) // as was said at once, should that be lost
		case oneOf(id, "falls", "appetite") && p.several():
			r = map[string]reply{"falls": valued("No.", false), "appetite": valued("Good.", "good")}[id]
		}
	}
	p.truth[id] = r
	return r.said, []string{id}, false
}

func oneOf(id string, ids ...string) bool { return slices.Contains(ids, id) }
