package model

import (
	"regexp"
	"slices"
	"strings"
)

// memoriesHeadings open the sections of a system prompt that hold memories:
// what was recalled for this turn, and what was known before the call.
var memoriesHeadings = []*regexp.Regexp{regexp.MustCompile(`(?i)\bRELEVANT MEMORIES`), regexp.MustCompile(`\bWHAT YOU REMEMBER`)}

var (
	bullet    = regexp.MustCompile(`^\s*(?:[-*•–]|\d{1,3}[.)])\s+`)
	leadDate  = regexp.MustCompile(`^(?:[\[(]?\d{4}-\d{2}-\d{2}(?:[T ][\d:.Z+-]*)?[\])]?|[\[(][^\])]{3,40}[\])])\s*[:,–-]?\s*`)
	tailScore = regexp.MustCompile(`\s*[\[(](?:score|similarity|relevance|at|on|from|source|\d)[^\])]*[\])]\s*$`)
	heading   = regexp.MustCompile(`^\s*(?:#+ .*|[A-Z][A-Z '/-]{4,}:?)\s*$`)
	lineLabel = regexp.MustCompile(`^([A-Z][A-Za-z ]{1,30}):\s+`)
)

// privateLabels begin lines of a profile that a friendly voice does not bring
// up by itself.
var privateLabels = []string{
	"conditions", "medications", "phone", "address", "timezone", "time zone", "language", "contacts",
	"notes", "consent", "id", "name", "preferred name", "health", "person", "age", "local time", "time",
}

// memoriesIn returns the sentences under the headings in a system prompt,
// without bullets, dates and scores; of what was said, only the person's words.
func memoriesIn(system string) []string {
	var out []string
	for _, title := range memoriesHeadings {
		out = append(out, sectionOf(system, title)...)
	}
	return append(out, recordIn(system)...)
}

// sectionOf reads one section. It ends at the next heading; a section in
// bullets ends at the first line without one.
func sectionOf(system string, title *regexp.Regexp) []string {
	at := title.FindStringIndex(system)
	if at == nil {
		return nil
	}
	// What stands on the line of the heading explains it.
	explanation, rest, more := strings.Cut(system[at[1]:], "\n")
	if !more {
		rest = strings.TrimLeft(explanation, ": ")
	}
	var out []string
	bulleted := false
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		isBullet := bullet.MatchString(line)
		if heading.MatchString(line) || (bulleted && !isBullet) {
			break
		}
		if isBullet && !bulleted {
			bulleted, out = true, nil // what stood before the list explains it
		}
		if line = strings.TrimSpace(bullet.ReplaceAllString(line, "")); spokenDay.MatchString(line) {
			out = append(out, spokenIn(spokenDay.ReplaceAllString(line, ""))...)
		} else {
			out = append(out, sentencesOf(memoryLine(line))...)
		}
	}
	return out
}

// memoryLine is a line of the section without its trimmings, or "" when it is
// not for small talk.
func memoryLine(line string) string {
	line = bullet.ReplaceAllString(line, "")
	line = leadDate.ReplaceAllString(strings.TrimSpace(line), "")
	line = tailScore.ReplaceAllString(strings.TrimSpace(line), "")
	if m := lineLabel.FindStringSubmatch(line); m != nil {
		if slices.Contains(privateLabels, strings.ToLower(m[1])) {
			return ""
		}
		line = line[len(m[0]):]
	}
	return line
}

// Thresholds of likeness. A memory that is asked for may fit less than one that
// comes up in talk; a sentence that is to fill a field must fit best.
const (
	fitsTalk    = 0.28
	fitsUnasked = 0.33
	fitsAsked   = 0.22
)

// vectors remembers the embeddings of texts that are compared again and again.
// It is for one goroutine.
type vectors map[string][]float64

func (v vectors) of(text string) []float64 {
	vec, ok := v[text]
	if !ok {
		vec = embed(text, defaultDims)
		v[text] = vec
	}
	return vec
}

// likeness of two texts, from about 0 (nothing in common) to 1 (the same).
func (v vectors) likeness(a, b string) float64 { return cosine(v.of(a), v.of(b)) }

// best returns the candidate most like the query, if it is more like it than
// least. The first wins a tie. Questions and crumbs are passed over.
func (v vectors) best(query string, candidates []string, least float64) (string, bool) {
	best, bestScore := "", least
	for _, c := range candidates {
		if len(wordsOf(c)) < 3 || strings.HasSuffix(strings.TrimSpace(c), "?") {
			continue
		}
		if s := v.likeness(query, c); s > bestScore {
			best, bestScore = c, s
		}
	}
	return best, best != ""
}
