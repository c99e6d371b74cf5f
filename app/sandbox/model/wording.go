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

// quietReactions are those to what was said that are one calm sentence.
func (d *dialogue) quietReactions() []string {
	name, ok := subjectOf(d.last)
	if !ok {
		return nil
	}
	s := theTalk().Subjects[name]
	list := s.React
	if toneOf(d.last) < 0 {
		list = s.Sorry
	}
	return slices.DeleteFunc(slices.Clone(list), func(line string) bool {
		return len(sentencesOf(line)) != 1 || strings.ContainsAny(line, "?!{")
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
