package model

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
)

// enum appends the value that fits best.
func (f *filler) enum(out []byte, s *schema, fd field) ([]byte, error) {
	values := slices.DeleteFunc(slices.Clone(s.Enum), func(v json.RawMessage) bool { return !s.admits(v) })
	if len(values) == 0 {
		return nil, errNever
	}
	if v, ok := f.matchEnum(values, fd); ok {
		return append(out, v...), nil
	}
	if i := slices.IndexFunc(values, func(v json.RawMessage) bool { return string(v) == "null" }); i >= 0 {
		return append(out, "null"...), nil
	}
	for _, plain := range []string{"unknown", "unclear", "none", "neutral", "other", "general", "unspecified", "normal", "not mentioned", "not reached", "low", "no", "stable"} {
		for _, v := range values {
			if textOfJSON(v) == plain {
				return append(out, v...), nil
			}
		}
	}
	return append(out, values[0]...), nil
}

// admits reports whether a listed value obeys the rest of the schema.
func (s *schema) admits(v json.RawMessage) bool {
	var text string
	var n float64
	switch {
	case !s.allows(kindOfJSON(v)):
		return false
	case json.Unmarshal(v, &text) == nil && kindOfJSON(v) == "string":
		re, err := regexp.Compile(s.Pattern)
		return s.rightLength(text) && (err != nil || re.MatchString(text))
	case json.Unmarshal(v, &n) == nil && kindOfJSON(v) != "null":
		return s.within(n) && (s.MultipleOf == nil || *s.MultipleOf <= 0 || math.Abs(math.Remainder(n, *s.MultipleOf)) < 1e-9)
	}
	return true
}

// matchEnum returns the value that the scene speaks for, if any.
func (f *filler) matchEnum(values []json.RawMessage, fd field) (json.RawMessage, bool) {
	texts := map[string]json.RawMessage{}
	for _, v := range values {
		if kindOfJSON(v) == "boolean" || kindOfJSON(v) == "number" || kindOfJSON(v) == "integer" {
			continue
		}
		if t := textOfJSON(v); t != "" {
			texts[t] = v
		}
	}
	heard := f.heard(fd)
	for _, guess := range f.guesses(heard, fd) {
		if v, ok := texts[guess]; ok {
			return v, true
		}
	}
	if v, ok := f.matchLiteral(values, fd); ok {
		return v, true
	}
	if heard == "" {
		return nil, false
	}
	best, bestScore := json.RawMessage(nil), 0.28
	for _, v := range values { // in order, so that ties fall the same way
		t := textOfJSON(v)
		if texts[t] == nil {
			continue
		}
		score := f.likeness(t, heard)
		if hasAny(heard, t) {
			score++
		}
		if score > bestScore {
			best, bestScore = v, score
		}
	}
	return best, best != nil
}

// matchLiteral compares numbers and booleans.
func (f *filler) matchLiteral(values []json.RawMessage, fd field) (json.RawMessage, bool) {
	for _, v := range values {
		var n float64
		var b bool
		switch kindOfJSON(v) {
		case "number", "integer":
			if got, ok := f.findNumber(nil, fd); ok && json.Unmarshal(v, &n) == nil && n == got {
				return v, true
			}
		case "boolean":
			if got, ok := f.findBool(fd); ok && json.Unmarshal(v, &b) == nil && b == got {
				return v, true
			}
		}
	}
	return nil, false
}

// guesses are words for what families of values usually stand for, the surest
// first. A value that is not among them is compared by its own words.
func (f *filler) guesses(heard string, fd field) []string {
	var out []string
	if fd.is("status", "state", "outcome", "result") {
		out = append(out, answerStatus(heard)...)
	}
	if fd.is("verdict") {
		out = append(out, answerVerdict(heard)...)
	}
	if fd.is("intent", "goal", "action") {
		out = append(out, intentWords(heard)...)
	}
	if fd.is("sentiment", "mood", "tone", "polarity", "feeling", "emotion", "affect") {
		out = append(out, moodWords(f.mood(fd))...)
	}
	if fd.is("severity", "urgency", "priority", "risk", "level", "concern", "importance") {
		out = append(out, severityWords(heard)...)
	}
	if fd.is("role", "speaker") {
		out = append(out, "user", "person", "elder")
	}
	if fd.is("language", "lang", "locale") {
		out = append(out, "en", "english", "en us", "en gb")
	}
	if b, ok := f.findBool(fd); ok {
		if b {
			out = append(out, "yes", "true")
		} else {
			out = append(out, "no", "false")
		}
	}
	if fd.topic != nil {
		out = append(out, fd.topic.category)
	}
	return out
}

// heard is the text that a value is judged by: the item of the list it belongs
// to, or the sentence that comes nearest, or what was said last.
func (f *filler) heard(fd field) string {
	switch {
	case fd.focus != "":
		return fd.focus
	case fd.is("overall", "sentiment", "mood", "tone"):
		return strings.Join(f.said, " ")
	}
	if s, ok := f.best(fd.about(), f.said, fitsUnasked); ok {
		return s
	}
	return f.sc.lastWords()
}

func answerStatus(heard string) []string {
	switch {
	case isSilence(heard):
		return []string{"not reached", "no answer", "unanswered", "skipped", "missing", "unclear"}
	case hasAny(heard, "rather not", "none of your business", "dont want to say", "not telling", "id rather not", "dont want to talk about", "between me and", "keep that to myself"):
		return []string{"refused", "declined", "skipped"}
	case hasAny(heard, "dont know", "do not know", "not sure", "cant remember", "cannot remember", "hard to say"), isPardon(heard):
		return []string{"unclear", "unknown", "uncertain"}
	default:
		return []string{"answered", "complete", "completed", "ok", "success", "valid"}
	}
}

// answerVerdict is answerStatus in the words of a verdict on one reply.
func answerVerdict(heard string) []string {
	switch answerStatus(heard)[0] {
	case "refused":
		return []string{"refusal", "refused", "declined"}
	case "answered":
		return []string{"answer", "answered", "valid"}
	default:
		return []string{"not an answer", "no answer", "unclear"}
	}
}

func intentWords(heard string) []string {
	switch intentOf(heard) {
	case intentGoodbye:
		return []string{"goodbye", "exit", "end", "end call", "farewell", "stop", "close"}
	case intentGreeting, intentHowAreYou, intentThanks:
		return []string{"greeting", "pleasantry", "smalltalk", "small talk", "chitchat", "social"}
	case intentYes, intentNo, intentFiller:
		return []string{"filler", "acknowledgement", "acknowledgment", "continuation", "continue", "pleasantry"}
	case intentAgain:
		return []string{"repeat", "clarification", "clarify", "confused", "question"}
	case intentCrisis:
		return []string{"crisis", "emergency", "distress", "urgent", "safety"}
	case intentRecall:
		return []string{"recall", "memory", "remember", "question"}
	default:
		return taskWords(heard)
	}
}

// taskWords are intents that lie in the words themselves.
func taskWords(heard string) []string {
	switch {
	case hasAny(heard, "install", "replace", "put in"):
		return []string{"install_instruction", "install instruction", "install"}
	case hasAny(heard, "compatible", "will it work", "fit", "fits"):
		return []string{"check compatibility", "compatibility"}
	case hasAny(heard, "email", "e mail"):
		return []string{"email summary", "email"}
	case hasAny(heard, "fix", "broken", "repair", "wrong with", "not working", "leaking", "leaks"):
		return []string{"diagnose repair", "diagnose", "repair"}
	case strings.Contains(heard, "?"):
		return []string{"question", "ask"}
	}
	return []string{"substantive", "statement", "inform", "share", "tell"}
}

func moodWords(tone int) []string {
	switch {
	case tone < -2:
		return []string{"very negative", "sad", "distressed", "low", "negative", "unhappy", "bad", "down"}
	case tone < 0:
		return []string{"negative", "sad", "low", "down", "unhappy", "bad", "worried"}
	case tone > 2:
		return []string{"very positive", "happy", "cheerful", "positive", "good"}
	case tone > 0:
		return []string{"positive", "happy", "cheerful", "good", "content", "calm"}
	default:
		return []string{"neutral", "calm", "mixed", "okay", "ok", "stable"}
	}
}

func severityWords(heard string) []string {
	tone := toneOf(heard)
	switch {
	case isCrisis(heard):
		return []string{"critical", "emergency", "urgent", "severe", "high", "red"}
	case hasAny(heard, "terrible", "unbearable", "awful", "very bad", "worst", "agony") || tone < -2:
		return []string{"high", "severe", "serious", "amber"}
	case tone < 0:
		return []string{"medium", "moderate", "mild", "low", "yellow"}
	default:
		return []string{"none", "low", "normal", "mild", "green", "routine"}
	}
}

// mood is the tone of what a value is judged by.
func (f *filler) mood(fd field) int {
	text := fd.focus
	if text == "" {
		text = strings.Join(f.said, " ")
	}
	low := categoriesOf(text)
	return toneOf(text) - int(2*(low["sad"]+low["lonely"]))
}

// kindOfJSON names the type of a value that is valid JSON.
func kindOfJSON(v json.RawMessage) string {
	s := strings.TrimSpace(string(v))
	switch {
	case s == "" || s == "null":
		return "null"
	case s[0] == '"':
		return "string"
	case s[0] == '{':
		return "object"
	case s[0] == '[':
		return "array"
	case s == "true" || s == "false":
		return "boolean"
	case strings.ContainsAny(s, ".eE"):
		var n float64
		if json.Unmarshal(v, &n) == nil && n == float64(int64(n)) {
			return "integer"
		}
		return "number"
	default:
		return "integer"
	}
}

// textOfJSON is a string value as lower-case words, or "".
func textOfJSON(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return spaced(s)
}
