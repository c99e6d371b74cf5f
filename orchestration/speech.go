package orchestration

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/naiber/naiber/orchestration/llm"
)

// ErrEnded is what Say returns when nobody waits for more words: the person
// spoke on or hung up, the turn was replaced, or its time was up.
var ErrEnded = errors.New("the turn has ended")

const (
	// pause is the nearest to nothing that may be said: an empty reply ends the call.
	pause = "... "
	// farewell is said where a persona ends the call without a word.
	farewell = "Goodbye for now."
)

// Speech is what a persona speaks into. What is said streams out at once and
// cannot be taken back. It may be used concurrently.
type Speech struct {
	first chan struct{} // closed at the first word, a filler's included

	mu sync.Mutex // guards all below
	// words only ever grows: readers keep slices of it.
	words []byte
	// filler is how many bytes of words only cover dead air.
	filler int
	// held keeps the words from leaving until what the person said is durable.
	held     bool
	useful   bool // the persona itself has said something
	lastCall bool // one more sentence end, then no more
	shut     bool // the persona may say no more
	whole    bool // nothing follows; end is valid
	end      ending
	endCall  *string // reason
	skip     *string // reason
	model    string
	usage    llm.Usage
	notes    map[string]any
	screen   Screen     // nil: what is said leaves as it comes
	pending  string     // what waits for the end of its sentence
	withheld []Withheld // what the screen kept back
	heardAt  time.Time  // when the first word could leave
	readers  []*reader
}

// reader is somebody who sends a reply on. more is called whenever there may be
// more to read, by whoever said it, without a lock: what is sent on there and
// then needs no other goroutine to wake up for every word.
type reader struct{ more func() }

// listen adds a reader and returns what removes it; more may run once more
// after that.
func (s *Speech) listen(more func()) (leave func()) {
	r := &reader{more}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers = append(slices.Clip(s.readers), r)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.readers = slices.DeleteFunc(slices.Clone(s.readers), func(o *reader) bool { return o == r })
	}
}

func newSpeech() *Speech { return &Speech{first: make(chan struct{})} }

// Say adds text to what is said; it leaves as it comes, or sentence by sentence
// where there is a [Screen]. It returns an error wrapping [ErrEnded] when nobody
// waits for it any more.
func (s *Speech) Say(text string) error { return s.speak(text, false) }

func (s *Speech) speak(text string, fixed bool) error {
	if text == "" {
		return nil
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	readers, err := s.say(text, fixed)
	tell(readers)
	return err
}

func (s *Speech) say(text string, fixed bool) ([]*reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.shut || s.whole:
		return nil, ErrEnded
	case s.screen == nil:
	case fixed:
		text = s.screened(true) + text
	default:
		s.pending += text
		if text = s.screened(false); text == "" {
			return nil, nil
		}
	}
	return s.utter(text)
}

// utter adds text that may leave. The caller holds mu.
func (s *Speech) utter(text string) ([]*reader, error) {
	if s.lastCall {
		n := sentenceEnd(text)
		if n >= 0 {
			text = text[:n]
			s.shut = true
		}
	}
	readers := s.add(text)
	if !s.useful && strings.TrimSpace(text) != "" {
		s.useful = true
	}
	if s.shut {
		return readers, ErrEnded
	}
	return readers, nil
}

// EndCall asks for the call to end once what is said has been heard.
func (s *Speech) EndCall(reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || s.whole {
		return ErrEnded
	}
	s.endCall = &reason
	return nil
}

// SkipTurn chooses to say nothing. It means nothing once words were said.
func (s *Speech) SkipTurn(reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || s.whole {
		return ErrEnded
	}
	s.skip = &reason
	return nil
}

// Text is what was said so far, without what only covered dead air.
func (s *Speech) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.words[s.filler:]) + s.pending
}

// Model names the model that the words come from, for the record.
func (s *Speech) Model(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = name
}

// Usage adds what a model counted, for clients that ask.
func (s *Speech) Usage(u llm.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage.Prompt += u.Prompt
	s.usage.Completion += u.Completion
	s.usage.Total += u.Total
}

// Note adds a fact about the turn to the call's timeline, such as its intent.
// It must be no secret and hold no words of the person.
func (s *Speech) Note(key string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notes == nil {
		s.notes = make(map[string]any, 4)
	}
	s.notes[key] = value
}

// Spoken is what became of a [Speech].
type Spoken struct {
	Text    string
	Ended   bool // the call shall end, for EndReason
	Skipped bool // nothing shall be said, for SkipReason

	EndReason, SkipReason string
	Model                 string
	Notes                 map[string]any
}

// Spoken is what was said and asked for so far.
func (s *Speech) Spoken() Spoken {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp := Spoken{Text: string(s.words[s.filler:]), Model: s.model, Notes: make(map[string]any, len(s.notes))}
	maps.Copy(sp.Notes, s.notes)
	if s.endCall != nil {
		sp.Ended, sp.EndReason = true, *s.endCall
	}
	if s.skip != nil && !s.useful {
		sp.Skipped, sp.SkipReason = true, *s.skip
	}
	return sp
}

// NewSpeech returns a Speech that nothing is streamed from: for channels that
// take a reply as a whole, and for trying a persona out.
func NewSpeech() *Speech { return newSpeech() }

// add appends words and returns the readers to tell. The caller holds mu.
func (s *Speech) add(text string) []*reader {
	if len(s.words) == 0 && text != "" {
		close(s.first)
	}
	s.words = append(s.words, text...)
	if s.held {
		return nil
	}
	return s.visible()
}

// visible returns the readers to tell that there is more. The caller holds mu,
// and tells them after it has let go of it.
func (s *Speech) visible() []*reader {
	if s.heardAt.IsZero() && len(s.words) > 0 {
		s.heardAt = time.Now()
	}
	return s.readers
}

// tell tells readers that there may be more.
func tell(readers []*reader) {
	for _, r := range readers {
		r.more()
	}
}

// release lets the words leave.
func (s *Speech) release() {
	s.mu.Lock()
	var readers []*reader
	if s.held {
		s.held = false
		readers = s.visible()
	}
	s.mu.Unlock()
	tell(readers)
}

// cover says a filler, unless the persona was faster. It reports whether it did.
func (s *Speech) cover(text string) bool {
	s.mu.Lock()
	if len(s.words) > 0 || s.shut || s.whole {
		s.mu.Unlock()
		return false
	}
	readers := s.add(text)
	s.filler = len(s.words)
	s.mu.Unlock()
	tell(readers)
	return true
}

// close lets the persona say no more.
func (s *Speech) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = true
}

// spoke reports whether the persona itself has said something.
func (s *Speech) spoke() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.useful
}

// finishSentence lets the persona end its sentence and no more. It reports true
// where the sentence is at its end already.
func (s *Speech) finishSentence() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if complete(s.words[s.filler:]) {
		s.shut = true
		return true
	}
	s.lastCall = true
	return false
}

// read returns the words after off, and whether nothing follows them.
func (s *Speech) read(off int) (words []byte, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held {
		return nil, false
	}
	return s.words[off:], s.whole
}

// sealed reports whether nothing follows.
func (s *Speech) sealed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole
}

// ended is how the reply ends; it is valid when read said that nothing follows.
func (s *Speech) ended() ending {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// append says what the persona did not.
func (s *Speech) append(text string) {
	s.mu.Lock()
	if n := len(s.words); n > 0 && s.words[n-1] != ' ' {
		text = " " + text
	}
	readers := s.add(text)
	s.useful = true
	s.mu.Unlock()
	tell(readers)
}

// stayQuiet chooses to say nothing, as SkipTurn does, after the persona is done.
func (s *Speech) stayQuiet(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skip = &reason
}

// settled reports whether a persona that returned err has done its part.
func (s *Speech) settled(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return err == nil && (s.useful || s.skip != nil || s.endCall != nil)
}

// leftSomething reports whether useful words were let out.
func (s *Speech) leftSomething() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.useful && !s.held
}

func (s *Speech) sentenceComplete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return complete(s.words[s.filler:])
}

// endsByTool returns the reason for which the voice service's own tool is to end
// the call, and whether it is.
func (s *Speech) endsByTool(t *Turn) (reason string, ends bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endCall == nil || !t.CanEnd {
		return "", false
	}
	return *s.endCall, true
}

// seal ends the reply: nothing follows. It returns the reason for which the
// call must be ended by other means than the voice service's own tool, or nil.
// A reply that nobody wants keeps what had left and gets no tool.
func (s *Speech) seal(t *Turn, callID string, wanted bool) (end *string) {
	s.mu.Lock()
	s.end = ending{finish: "stop", usage: s.usage}
	if s.held {
		s.words, s.held = s.words[:0], false // not durable, so never said
		s.filler = 0
	}
	switch {
	case wanted && s.endCall != nil && t.CanEnd:
		s.tool(callID, toolEndCall, *s.endCall)
	case wanted && s.endCall != nil:
		if !s.useful {
			s.add(farewell)
		}
		end = s.endCall
	case wanted && s.skip != nil && !s.useful && t.CanSkip:
		s.tool(callID, toolSkipTurn, *s.skip)
	}
	if s.end.call == nil && len(bytes.TrimSpace(s.words)) == 0 {
		s.words = append(s.words, pause...)
	}
	s.whole = true
	readers := s.visible()
	s.mu.Unlock()
	tell(readers)
	return end
}

// tool asks the voice service for one of its tools. The caller holds mu.
func (s *Speech) tool(id, name, reason string) {
	s.end.finish = "tool_calls"
	s.end.call = &toolCall{id: id, name: name, arguments: reasonJSON(reason)}
}

// sentenceEnd is the index after the first end of a sentence in text, or -1.
func sentenceEnd(text string) int {
	for i, r := range text {
		switch r {
		case '.', '!', '?', '…', '。', '！', '？':
			n := i + utf8.RuneLen(r)
			if n == len(text) || text[n] == ' ' || text[n] == '\n' || text[n] == '"' {
				return n
			}
		}
	}
	return -1
}

// complete reports whether words are at the end of a sentence.
func complete(words []byte) bool {
	t := strings.TrimRight(string(words), " \t\r\n\"'”’)")
	r, _ := utf8.DecodeLastRuneInString(t)
	return strings.ContainsRune(".!?…。！？", r) && t != ""
}

// reasonJSON is the arguments of a tool that wants a reason.
func reasonJSON(reason string) string {
	b, err := json.Marshal(struct {
		Reason string `json:"reason"`
	}{reason})
	if err != nil { // a string always marshals
		return `{"reason":""}`
	}
	return string(b)
}
