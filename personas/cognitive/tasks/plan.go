package tasks

import (
	"hash/fnv"
	"slices"
	"time"
)

// Used is one time that a task was put to a person.
type Used struct {
	TaskID  string
	Version string
	Form    string
	At      time.Time
}

// Facts holds what a plan depends on besides the past.
type Facts struct {
	PersonID  string // makes people begin with different forms
	BirthDate bool   // it is known
}

// Planned is a task of a check, with its form.
type Planned struct {
	Task Task
	Form Form
}

// Plan returns the tasks of a check in order. It leaves out a task that was put too recently, and
// one that asks for an unknown birth date. Forms take turns. past may be in any order. If there are
// no tasks in a language it returns none: those of another one would measure how well it is spoken.
func (l *Library) Plan(language string, past []Used, now time.Time, facts Facts) []Planned {
	var due []Task
	for _, t := range l.tasks[primary(language)] {
		last, ok := lastUsed(past, func(u Used) bool { return u.TaskID == t.ID })
		if ok && now.Before(last.AddDate(0, 0, t.EveryDays)) || t.needsBirthDate() && !facts.BirthDate {
			continue
		}
		due = append(due, t)
	}
	out := make([]Planned, 0, len(due))
	for _, t := range due {
		if slices.ContainsFunc(due, func(o Task) bool { return o.InsteadOf == t.ID }) {
			continue
		}
		form := t.next(past, facts.PersonID)
		if i := slices.IndexFunc(out, func(p Planned) bool { return p.Task.ID == t.With }); i >= 0 {
			form, _ = t.Form(out[i].Form.ID)
		}
		out = append(out, Planned{Task: t, Form: form})
	}
	return out
}

// Another returns a form for a task that was disturbed, not among used, whose last element was used
// last. There is none for a task that follows the form of another.
func (*Library) Another(t Task, used []string) (Form, bool) {
	if t.With != "" {
		return Form{}, false
	}
	start := 0
	if n := len(used); n > 0 {
		start = slices.IndexFunc(t.Forms, func(f Form) bool { return f.ID == used[n-1] }) + 1
	}
	for i := range t.Forms {
		if f := t.Forms[(start+i)%len(t.Forms)]; !slices.Contains(used, f.ID) {
			return f, true
		}
	}
	return Form{}, false
}

// next returns the form after the one that was put last. A disturbed form is not in the past, so
// its turn comes again only after the others.
func (t Task) next(past []Used, person string) Form {
	last := Used{}
	for _, u := range past {
		if u.TaskID == t.ID && !u.At.Before(last.At) {
			last = u
		}
	}
	if i := slices.IndexFunc(t.Forms, func(f Form) bool { return f.ID == last.Form }); i >= 0 {
		return t.Forms[(i+1)%len(t.Forms)]
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(person + " " + t.ID))
	return t.Forms[int(h.Sum32())%len(t.Forms)]
}

func (t Task) needsBirthDate() bool {
	return slices.ContainsFunc(t.Forms[0].Items, func(it Item) bool { return it.Ask == AskAge || it.Ask == AskBirthDate })
}

// lastUsed returns the latest time of those for which so reports true.
func lastUsed(past []Used, so func(Used) bool) (at time.Time, ok bool) {
	for _, u := range past {
		if so(u) && (!ok || u.At.After(at)) {
			at, ok = u.At, true
		}
	}
	return at, ok
}
