package model

import (
	"regexp"
	"strings"
)

// What was said before stands in prompts with its speakers: in calls a stretch of
// talk on one line, in the text channel a line for each speaker. Only the person's
// own words are anything to recall: what nAIber said is no news to them.

var (
	spokenDay  = regexp.MustCompile(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2}(?: \d{4})?:\s`)
	speaker    = regexp.MustCompile(`(?:^|\s)((?:nAIber|[A-Z][\p{L}.'-]*)(?: [A-Z][\p{L}.'-]*){0,2}):\s`)
	recordHead = regexp.MustCompile(`(?m)^What was said before\b.*$`)
	recordDay  = regexp.MustCompile(`^\[[^\]]*\]\s*$`)
	pronounAt  = regexp.MustCompile(`^(?i:he|she|it|they)\b`)
	unclear    = regexp.MustCompile(`^(?i:he|she|it|they|that|this|these|those)\b`)
)

// isOurs reports whether a line's speaker is nAIber.
func isOurs(name string) bool {
	kind, _ := kindOfLabel(name)
	return kind == labelAgent
}

// spokenIn returns what the person said in a stretch of talk with speakers.
func spokenIn(talk string) []string {
	var out []string
	marks := speaker.FindAllStringSubmatchIndex(talk, -1)
	for i, m := range marks {
		end := len(talk)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		if !isOurs(talk[m[2]:m[3]]) {
			out = append(out, tellable(talk[m[1]:end])...)
		}
	}
	return out
}

// recordIn returns what the person said of the record in a system prompt of the
// text channel.
func recordIn(system string) []string {
	at := recordHead.FindStringIndex(system)
	if at == nil {
		return nil
	}
	var out []string
	ours := false
	for line := range strings.Lines(strings.TrimLeft(system[at[1]:], "\n")) {
		line = strings.TrimSpace(line)
		m := speaker.FindStringSubmatchIndex(line)
		switch {
		case line == "" || recordDay.MatchString(line):
			ours = false
			continue
		case m != nil && m[0] == 0:
			ours = isOurs(line[m[2]:m[3]])
			line = line[m[1]:]
		}
		if !ours {
			out = append(out, tellable(line)...)
		}
	}
	return out
}

// tellable are the statements of what somebody said that can be told again: no
// questions, no requests, and "she" only beside whom it means.
func tellable(text string) []string {
	var out []string
	open := false // the sentence before is the last of out
	for _, s := range sentencesOf(text) {
		s = strings.TrimSpace(s)
		if !strings.HasSuffix(s, "?") {
			s = said(s)
		}
		switch {
		case strings.HasSuffix(s, "?") || len(wordsOf(s)) < 3 || isRequest(s) || isGoodbye(s):
			open = false
		case open && pronounAt.MatchString(s):
			last := len(out) - 1
			out[last] = strings.TrimRight(out[last], ".! ") + ", and " + lowerFirst(s)
		case unclear.MatchString(s):
			open = false
		default:
			out, open = append(out, s), true
		}
	}
	return out
}

// asks reports whether an utterance is a question.
func asks(text string) bool {
	return strings.HasSuffix(strings.TrimSpace(text), "?") ||
		startsWithAny(text, "what", "whats", "where", "wheres", "when", "who", "whos", "whose", "which", "how old", "how many", "do you know", "can you tell me")
}

// asking are words that a question has and its answer need not.
var asking = stemSet(`remember recall name call colour color old kind mean happen please`)

// answering returns what the person said that shares the most telling words with
// their question; the newest of equals, and their own words of now before memories.
func (d *dialogue) answering() (string, bool) {
	wanted := told(d.last)
	best, score := "", 0.0
	for _, c := range d.sayings() {
		shared := 0.0
		for stem := range told(c) {
			if wanted[stem] && !asking[stem] {
				shared++
			}
		}
		if shared == 0 {
			continue
		}
		if s := shared + d.vectors.likeness(d.last, c); s > score {
			best, score = c, s
		}
	}
	return best, best != ""
}

// sayings are what the person said on this talk, the newest first, and what is
// remembered.
func (d *dialogue) sayings() []string {
	var out []string
	texts := d.userTexts()
	for i := len(texts) - 2; i >= 0; i-- {
		out = append(out, tellable(texts[i])...)
	}
	return append(out, d.memories...)
}

// answered is the answer to a question from what was said; it reports false where
// nothing that fits was said, or it was told already.
func (d *dialogue) answered() (string, bool) {
	m, ok := d.answering()
	if !ok {
		return "", false
	}
	line := d.retell(m, theTalk().Recalled)
	if line == "" {
		return "", false
	}
	return line + " " + d.askOn(), true
}
