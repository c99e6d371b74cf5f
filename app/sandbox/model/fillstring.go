package model

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// str appends a string that honours format, pattern and length.
func (f *filler) str(out []byte, s *schema, fd field) ([]byte, error) {
	text, ok := f.findString(s, fd, false)
	if !ok && slices.Contains(s.Types, "null") {
		return append(out, "null"...), nil
	}
	text, err := s.fitString(text)
	if err != nil {
		return nil, err
	}
	return appendQuoted(out, validUTF8(text)), nil
}

// fitString makes text obey the schema.
func (s *schema) fitString(text string) (string, error) {
	if s.Pattern != "" {
		re, err := regexp.Compile(s.Pattern)
		if err == nil && (!re.MatchString(text) || !s.rightLength(text)) {
			return s.fromPattern(re, text)
		}
		return text, nil
	}
	if check, ok := formats[s.Format]; ok && !check.re.MatchString(text) {
		text = check.plain
	}
	if s.MaxLength >= 0 && utf8.RuneCountInString(text) > s.MaxLength {
		text = cutRunes(text, s.MaxLength)
	}
	if n := utf8.RuneCountInString(text); n < s.MinLength {
		text += strings.Repeat(".", s.MinLength-n)
	}
	if !s.rightLength(text) {
		return "", errPattern
	}
	return text, nil
}

func (s *schema) rightLength(text string) bool {
	n := utf8.RuneCountInString(text)
	return n >= s.MinLength && (s.MaxLength < 0 || n <= s.MaxLength)
}

// cutRunes shortens text, at a word where one is near the end.
func cutRunes(text string, n int) string {
	cut := string([]rune(text)[:n])
	if i := strings.LastIndexByte(cut, ' '); i > n*2/3 {
		cut = cut[:i]
	}
	return cut
}

// A format has a check, and a value for when nothing was said that passes it.
type format struct {
	re    *regexp.Regexp
	plain string
}

var formats = map[string]format{
	"date":      {regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`), "1970-01-01"},
	"date-time": {regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$`), "1970-01-01T00:00:00Z"},
	"time":      {regexp.MustCompile(`^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?$`), "00:00:00Z"},
	"duration":  {regexp.MustCompile(`^P(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$`), "PT0S"},
	"email":     {regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s]+$`), "unknown@example.org"},
	"hostname":  {regexp.MustCompile(`^[a-z0-9-]+(?:\.[a-z0-9-]+)*$`), "example.org"},
	"ipv4":      {regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3}){3}$`), "192.0.2.1"},
	"ipv6":      {regexp.MustCompile(`^[0-9a-f:]+$`), "2001:db8::1"},
	"uuid":      {regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`), "00000000-0000-4000-8000-000000000000"},
	"uri":       {regexp.MustCompile(`^[a-z][a-z0-9+.-]*:\S+$`), "https://example.org/"},
}

var (
	emailIn    = regexp.MustCompile(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	urlIn      = regexp.MustCompile(`https?://\S+`)
	phoneIn    = regexp.MustCompile(`\+?\d[\d ().-]{5,}\d`)
	dateIn     = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	codeIn     = regexp.MustCompile(`\b(?:[A-Z]{2,}\d[A-Z0-9-]{2,}|[A-Z0-9]*\d[A-Z0-9-]*[A-Z][A-Z0-9-]{2,})\b`)
	whenIn     = regexp.MustCompile(`(?i)\b(?:(?:next|last|this|on|every) )?(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|tomorrow|yesterday|today|tonight|(?:next|last|this) (?:week|month|year|weekend|summer|winter|spring|autumn))(?: (?:morning|afternoon|evening|night))?\b`)
	clockIn    = regexp.MustCompile(`(?i)\b(?:at )?(\d{1,2}:\d{2}(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|(?:half past |quarter (?:past|to) )?\w+ o'clock|half past \w+)`)
	placeIn    = regexp.MustCompile(`\b(?:in|at|to|from|near) (?:the )?([A-Z][\p{L}'-]+(?: [A-Z][\p{L}'-]+)?)`)
	medicineIn = regexp.MustCompile(`(?i)\b(metformin|lisinopril|warfarin|aspirin|ibuprofen|paracetamol|acetaminophen|a?torvastatin|levothyroxine|amlodipine|furosemide|donepezil|sertraline|omeprazole|insulin|vitamin d|heart pills?|water pills?|blood pressure (?:pills?|tablets?)|sleeping pills?|painkillers?)\b`)
)

// A stringRule fills fields whose name holds one of its words. It reports
// whether it found something.
type stringRule struct {
	names []string
	find  func(f *filler, fd field) (string, bool)
}

// stringRules are tried in order: what is narrow stands before what is broad.
// They refer to the filler's methods, so they are built by a function.
func stringRules() []stringRule {
	return []stringRule{
		{[]string{"email"}, search(emailIn)},
		{[]string{"phone", "telephone"}, search(phoneIn)},
		{[]string{"url", "link"}, search(urlIn)},
		{[]string{"model", "part", "serial", "sku"}, search(codeIn)},
		{[]string{"language", "lang", "locale"}, fixed("en")},
		{[]string{"timezone"}, fixed("UTC")},
		{[]string{"currency"}, fixed("USD")},
		{[]string{"relation", "relationship", "kinship"}, (*filler).relation},
		{[]string{"quote", "evidence", "verbatim", "excerpt", "utterance", "span", "snippet"}, (*filler).quote},
		{[]string{"summary", "gist", "overview", "recap", "synopsis", "digest", "abstract", "narrative"}, (*filler).summarise},
		{[]string{"title", "headline", "heading"}, (*filler).title},
		{[]string{"mood", "sentiment", "emotion", "feeling", "tone"}, (*filler).moodName},
		{[]string{"medication", "medicine", "drug", "pill"}, search(medicineIn)},
		{[]string{"place", "location", "city", "town", "where"}, search(placeIn)},
		{[]string{"name", "who", "person", "contact", "relative", "friend", "family", "pet", "subject", "entity"}, (*filler).nameFor},
		{[]string{"topic", "label", "tag", "theme", "category", "keyword", "key", "slug"}, (*filler).topicLabel},
		{[]string{"date", "day"}, search(dateIn, whenIn)},
		{[]string{"time"}, search(clockIn, whenIn)},
		{[]string{"when", "until", "due", "at"}, search(dateIn, whenIn, clockIn)},
		{[]string{"question", "follow", "followup", "ask"}, (*filler).question},
		{[]string{"reply", "response", "say", "speech", "spoken", "message"}, (*filler).reply},
		{[]string{"answer", "value", "raw", "content", "text", "statement", "fact", "memory", "extracted"}, (*filler).words},
	}
}

// findString looks for the text of a field. strict says that the value may be
// null, so that a mere guess is not worth giving.
func (f *filler) findString(s *schema, fd field, strict bool) (string, bool) {
	switch s.Format {
	case "email":
		return search(emailIn)(f, fd)
	case "date", "date-time":
		return search(dateIn)(f, fd)
	case "uri":
		return search(urlIn)(f, fd)
	case "uuid":
		return seededUUID(f.sc.personText() + fd.name + strconv.Itoa(fd.index)), true
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil {
			if found, ok := search(loosened(re))(f, fd); ok && re.MatchString(found) {
				return found, true
			}
		}
	}
	for _, rule := range stringRules() {
		if fd.is(rule.names...) {
			return rule.find(f, fd)
		}
	}
	least := fitsAsked
	if strict {
		least = fitsUnasked
	}
	if fd.focus != "" {
		return fd.focus, true
	}
	if near, ok := f.best(fd.about(), f.said, least); ok {
		return near, true
	}
	for _, said := range f.facts() {
		if sharesWord(spaced(fd.name), said) {
			return said, true
		}
	}
	if strict || len(f.said) == 0 {
		return "", false
	}
	if fd.name == "" || fd.is("reason", "note", "detail", "explanation", "rationale", "description", "comment", "context") {
		return f.summary(), true
	}
	return "", false
}

// loosened is a pattern without its anchors, to be found within speech.
func loosened(re *regexp.Regexp) *regexp.Regexp {
	inner := strings.TrimSuffix(strings.TrimPrefix(re.String(), "^"), "$")
	if loose, err := regexp.Compile(inner); err == nil {
		return loose
	}
	return re
}

// search returns a rule that finds the first match of one of the patterns in
// the item, or in what was said, the last words first.
func search(patterns ...*regexp.Regexp) func(*filler, field) (string, bool) {
	return func(f *filler, fd field) (string, bool) {
		texts := []string{f.sc.lastWords(), f.sc.personText()}
		if fd.focus != "" {
			texts = []string{fd.focus}
		}
		for _, text := range texts {
			for _, re := range patterns {
				if m := re.FindStringSubmatch(text); m != nil {
					return strings.TrimSpace(m[len(m)-1]), true
				}
			}
		}
		return "", false
	}
}

func fixed(value string) func(*filler, field) (string, bool) {
	return func(*filler, field) (string, bool) { return value, true }
}

func (f *filler) relation(fd field) (string, bool) {
	if fd.person != nil {
		return fd.person.role, fd.person.role != ""
	}
	for _, n := range namesIn(f.source(fd)) {
		if n.role != "" {
			return n.role, true
		}
	}
	for _, w := range wordsOf(f.source(fd)) {
		if kinship[w.stem] {
			return strings.ToLower(w.text), true
		}
	}
	return "", false
}

// source is the item, or all that was said.
func (f *filler) source(fd field) string {
	if fd.focus != "" {
		return fd.focus
	}
	return f.sc.personText()
}

func (f *filler) quote(fd field) (string, bool) {
	if fd.focus != "" {
		return fd.focus, true
	}
	q := f.heard(fd)
	return q, q != ""
}

func (f *filler) summarise(fd field) (string, bool) {
	if fd.focus != "" {
		return fd.focus, true
	}
	return f.summary(), len(f.said) > 0
}

func (f *filler) title(fd field) (string, bool) {
	if fd.focus != "" && fd.topic == nil {
		return cutRunes(fd.focus, min(60, utf8.RuneCountInString(fd.focus))), true
	}
	if fd.topic != nil {
		return upperFirst(fd.topic.label), true
	}
	list := labels(f.topics)
	if len(list) == 0 {
		return "A short talk", len(f.said) > 0
	}
	return upperFirst(joinAnd(list[:min(len(list), 3)])), true
}

func (f *filler) moodName(fd field) (string, bool) {
	return moodWords(f.mood(fd))[0], f.source(fd) != ""
}

func (f *filler) nameFor(fd field) (string, bool) {
	if fd.person != nil {
		return fd.person.name, true
	}
	if fd.topic != nil {
		return f.topicLabel(fd)
	}
	wanted := fd.words()
	names := namesIn(f.source(fd))
	for _, n := range names {
		if n.role != "" && slices.Contains(wanted, n.role) {
			return n.name, true
		}
	}
	for _, n := range names {
		if n.pet == slices.Contains(wanted, "pet") {
			return n.name, true
		}
	}
	if fd.focus != "" {
		if t := topicsOf([]string{fd.focus}, nil); len(t) > 0 {
			return t[0].label, true
		}
	}
	return "", false
}

func (f *filler) topicLabel(fd field) (string, bool) {
	switch {
	case fd.topic != nil:
		return fd.topic.label, true
	case fd.focus != "":
		if t := topicsOf([]string{fd.focus}, nil); len(t) > 0 {
			return t[0].label, true
		}
		return "general", true
	case len(f.topics) > 0:
		return f.topics[0].label, true
	}
	return "", false
}

func (f *filler) question(fd field) (string, bool) {
	if fd.focus != "" {
		return fd.focus, true
	}
	v := newVoice(nil)
	if len(f.topics) > 0 {
		if s, ok := theTalk().Subjects[f.topics[0].category]; ok {
			return v.ask(s.Ask), true
		}
	}
	return v.ask(), true
}

// reply is what the companion would say next.
func (f *filler) reply(fd field) (string, bool) {
	if fd.focus != "" {
		return fd.focus, true
	}
	history := []message{{Role: "system", Content: f.sc.instructions}}
	for _, l := range f.sc.lines {
		role := "user"
		if l.agent {
			role = "assistant"
		}
		history = append(history, message{Role: role, Content: l.text})
	}
	return reply(history), true
}

// words are the person's own: the item, or what they said last.
func (f *filler) words(fd field) (string, bool) {
	if fd.focus != "" {
		return fd.focus, true
	}
	last := f.sc.lastWords()
	return last, last != ""
}

// seededUUID is a version 4 identifier that the text decides.
func seededUUID(text string) string {
	h := fnv.New128a()
	_, _ = h.Write([]byte(text))
	b := h.Sum(nil)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
