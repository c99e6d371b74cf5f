package model

import (
	"slices"
	"strings"
)

// noted does what the text channel asks for besides replies: a session's title, or
// the summary of a record.
func noted(messages []message) (string, bool) {
	if len(messages) != 2 || messages[0].Role != "system" {
		return "", false
	}
	switch system, text := messages[0].Content, messages[1].Content; {
	case strings.Contains(system, "a title of at most"):
		return titleOf(text), true
	case strings.Contains(system, "Answer with the summary alone"):
		return summaryOf(text), true
	default:
		return "", false
	}
}

// titleOf is what the weightiest sentence of a message begins with.
func titleOf(text string) string {
	const most = 5
	var words []string
	if best := heaviest(sentencesOf(text), 1); len(best) > 0 {
		words = strings.Fields(best[0])
	}
	idle := func(w string) bool {
		known := wordsOf(w)
		return len(known) == 0 || stopWords[known[0].stem]
	}
	for len(words) > 0 && idle(words[0]) {
		words = words[1:]
	}
	words = words[:min(len(words), most)]
	for len(words) > 0 && idle(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return "A few words"
	}
	return upperFirst(strings.Trim(strings.Join(words, " "), ".,;:!?\"“”"))
}

// summaryOf tells what the person said in a record, after what it was summed up as
// before.
func summaryOf(record string) string {
	const mostBefore, mostTold = 8, 5
	var before, told []string
	who := ""
	for line := range strings.Lines(record) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "["):
			who = ""
			continue
		case strings.HasSuffix(line, ":") && who == "": // a heading
			continue
		case strings.HasPrefix(line, "Person: "), strings.HasPrefix(line, "nAIber: "):
			who, line, _ = strings.Cut(line, ": ")
		}
		switch who {
		case "":
			before = append(before, sentencesOf(line)...)
		case "Person":
			told = append(told, sentencesOf(line)...)
		}
	}
	tells := slices.DeleteFunc(slices.Clone(told), func(s string) bool { return weigh(s) == 0 })
	out := slices.Clone(before[max(0, len(before)-mostBefore):])
	for _, s := range heaviest(tells, mostTold) {
		if s = strings.TrimRight(aboutPerson(said(s), "The person"), ".!") + "."; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return "The person and nAIber exchanged a few words."
	}
	return strings.Join(out, " ")
}
