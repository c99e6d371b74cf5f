package model

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// rewording is a prompt that wants a question in other words.
	rewording = regexp.MustCompile(`(?i)\binto spoken words\b`)
	// bareQuestion is one that wants nothing in front of it.
	bareQuestion = regexp.MustCompile(`(?i)\bonly the question\b`)
)

// leadIns begin a question another way and leave it what it is.
var leadIns = []string{"", "And ", "Tell me, ", "Now, ", "May I ask, ", "So, "}

// reworded puts a question a little differently: with a reaction to what was said,
// unless the prompt wants none, and with other first words.
func (d *dialogue) reworded(question string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(question + d.last))
	lead := leadIns[int(h.Sum32()%uint32(len(leadIns)))] //nolint:gosec // the list is short
	if lead != "" {
		question = lead + lowerStart(question)
	}
	if bareQuestion.MatchString(d.system) || d.last == "" || isSilence(d.last) {
		return question
	}
	return d.voice.react(d.quietReactions(), theTalk().Short) + " " + question
}

// comfort is in reactions to bad news.
var comfort = regexp.MustCompile(`(?i)\b(sorry|dear|fright|sore|hard|poor|miserable|nasty|light of|wears|pleasant|unpleasant|worry|worrying|rough|pity|shame|sad|painful)\b`)

// quietReactions are those to what was said that are one calm sentence. To comfort
// somebody is left to the service: what sounds like bad news often is none ("no, I
// haven't fallen").
func (d *dialogue) quietReactions() []string {
	name, ok := subjectOf(d.last)
	if !ok || toneOf(d.last) < 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(theTalk().Subjects[name].React), func(line string) bool {
		return len(sentencesOf(line)) != 1 || strings.ContainsAny(line, "?!{") || comfort.MatchString(line)
	})
}

// lowerStart makes a sentence the second part of one. "I" stays as it is.
func lowerStart(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if first == "I" || strings.HasPrefix(first, "I'") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
