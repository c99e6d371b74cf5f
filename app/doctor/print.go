package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

var signs = map[Status]string{OK: "✓", Warn: "!", Fail: "✗", Skip: "–"}

// report prints outcomes as they arrive.
type report struct {
	out   io.Writer
	width int // of the longest name, in characters
	json  bool

	all []outcome
	err error // the first failure to print
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
	if r.json {
		return
	}
	padding := strings.Repeat(" ", r.width-utf8.RuneCountInString(o.Name))
	r.print(strings.TrimRight(signs[o.Status]+" "+o.Name+padding+"  "+o.Detail, " ") + "\n")
	if o.Fix == "" {
		return
	}
	indent := strings.Repeat(" ", r.width+4)
	for i, line := range strings.Split(o.Fix, "\n") {
		r.print(indent + []string{"→ ", "  "}[min(i, 1)] + line + "\n")
	}
}

// end prints the totals, or all outcomes as JSON, and reports whether no check failed and
// everything was printed.
func (r *report) end() (well bool) {
	count := map[Status]int{}
	for _, o := range r.all {
		count[o.Status]++
	}
	well = count[Fail] == 0
	if r.json {
		raw, err := json.MarshalIndent(struct {
			Well   bool      `json:"well"`
			Checks []outcome `json:"checks"`
		}{well, append([]outcome{}, r.all...)}, "", "  ")
		r.err = err
		r.print(string(raw) + "\n")
	} else {
		r.print(fmt.Sprintf("\n%d fine, %d to look at, %d wrong, %d skipped\n", count[OK], count[Warn], count[Fail], count[Skip]))
	}
	return well && r.err == nil
}

func (r *report) print(s string) {
	if _, err := io.WriteString(r.out, s); err != nil && r.err == nil {
		r.err = err
	}
}
