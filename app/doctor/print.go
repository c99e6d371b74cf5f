package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

var signs = map[Status]string{OK: "✓", Warn: "!", Fail: "✗", Skip: "–"}

// report prints outcomes as they come.
type report struct {
	out   io.Writer
	width int // of the longest name, in characters
	json  bool

	all                  []outcome
	warned, failed, skip int
	err                  error // the first failure to print
}

func width(checks []Check) int {
	w := 0
	for _, c := range checks {
		w = max(w, utf8.RuneCountInString(c.Name))
	}
	return w
}

func (r *report) add(o outcome) {
	r.all = append(r.all, o)
	switch o.Status {
	case Warn:
		r.warned++
	case Skip:
		r.skip++
	case OK:
	default: // a status that is none is no good news
		r.failed++
	}
	if r.json {
		return
	}
	sign := signs[o.Status]
	if sign == "" {
		sign = signs[Fail]
	}
	padding := strings.Repeat(" ", r.width-utf8.RuneCountInString(o.Name))
	r.print(strings.TrimRight(sign+" "+o.Name+padding+"  "+o.Detail, " ") + "\n")
	if o.Fix == "" {
		return
	}
	indent := strings.Repeat(" ", r.width+4)
	for i, line := range strings.Split(o.Fix, "\n") {
		r.print(indent + []string{"→ ", "  "}[min(i, 1)] + line + "\n")
	}
}

func (r *report) end() {
	if !r.json {
		r.print(fmt.Sprintf("\n%d fine, %d to look at, %d wrong, %d skipped\n",
			len(r.all)-r.warned-r.failed-r.skip, r.warned, r.failed, r.skip))
		return
	}
	all := r.all
	if all == nil {
		all = []outcome{}
	}
	raw, err := json.MarshalIndent(struct {
		Well   bool      `json:"well"`
		Checks []outcome `json:"checks"`
	}{r.failed == 0, all}, "", "  ")
	if err != nil {
		r.err = err
		return
	}
	r.print(string(raw) + "\n")
}

func (r *report) print(s string) {
	if _, err := io.WriteString(r.out, s); err != nil && r.err == nil {
		r.err = err
	}
}
