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

// ErrEnded is returned by Say when no more words are wanted: the person spoke on or hung up, the
// turn was replaced, or its time was up.
var ErrEnded = errors.New("the turn has ended")

const (
	// pause is the least that can be said: an empty reply ends the call.
	pause = "... "
	// farewell is said if a persona ends the call without a word.
	farewell = "Goodbye for now."
)

// Speech receives the words of a persona, which stream out at once and cannot be taken back. It may
// be used concurrently.
type Speech struct {
	first chan struct{} // closed at the first word, a filler's included

	mu sync.Mutex // guards the fields below
	// words only ever grows: readers keep slices of it.
	words []byte
	// filler is how many bytes of words only cover dead air.
	filler int
	// held keeps the words from leaving until the person's words are stored durably.
	held     bool
	useful   bool // the persona itself has said something
	lastCall bool // no more may be said after the next end of a sentence
	shut     bool // the persona may say no more
	whole    bool // nothing follows; end is valid
	end      ending
	endCall  *string // reason
	skip     *string // reason
	model    string
	usage    llm.Usage
	notes    map[string]any
	screen   Screen     // nil: words leave as they come
	pending  string     // text that waits for the end of its sentence
	withheld []Withheld // the sentences that the screen withheld
	heardAt  time.Time  // when the first word could leave
	readers  []*reader
}

// reader passes a reply on. more is called without a lock whenever there may be more to read, by
// the goroutine that said it: no other goroutine needs to wake up for every word.
type reader struct{ more func() }

// listen adds a reader and returns the function that removes it; more may be called once more after
// that.
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

// Say adds text to the reply; it leaves as it comes, or sentence by sentence if there is a
// [Screen]. It returns an error wrapping [ErrEnded] when the reply is no longer wanted.
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

// utter adds text that may leave. The caller must hold s.mu.
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

// EndCall requests the end of the call once what is said has been heard.
func (s *Speech) EndCall(reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || s.whole {
		return ErrEnded
	}
	s.endCall = &reason
	return nil
}

// SkipTurn chooses to say nothing. It has no effect once words were said.
func (s *Speech) SkipTurn(reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || s.whole {
		return ErrEnded
	}
	s.skip = &reason
	return nil
}

// Text returns what was said so far, without fillers.
func (s *Speech) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.words[s.filler:]) + s.pending
}

// Model records the name of the model that the words come from.
func (s *Speech) Model(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = name
}

// Usage adds a model's token counts, for clients that ask for usage.
func (s *Speech) Usage(u llm.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage.Prompt += u.Prompt
	s.usage.Completion += u.Completion
	s.usage.Total += u.Total
}

// Note adds a fact about the turn to the call's timeline, such as its intent. It must not contain a
// secret or words of the person.
func (s *Speech) Note(key string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notes == nil {
		s.notes = make(map[string]any, 4)
	}
	s.notes[key] = value
}

// Spoken is the result of a [Speech].
type Spoken struct {
	Text    string
	Ended   bool // the call must end, for EndReason
	Skipped bool // nothing must be said, for SkipReason

	EndReason, SkipReason string
	Model                 string
	Notes                 map[string]any
}

// Spoken returns what was said and requested so far.
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

// NewSpeech returns a Speech without a stream: for channels that take a reply as a whole, and for
// trying out a persona.
func NewSpeech() *Speech { return newSpeech() }

// add appends words and returns the readers to notify. The caller must hold s.mu.
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

// visible returns the readers to notify that there is more. The caller must hold s.mu, and notifies
// them after unlocking it.
func (s *Speech) visible() []*reader {
	if s.heardAt.IsZero() && len(s.words) > 0 {
		s.heardAt = time.Now()
	}
	return s.readers
}

// tell notifies readers that there may be more.
func tell(readers []*reader) {
	for _, r := range readers {
		r.more()
	}
}

// release lets the held words leave.
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

// cover says a filler, unless the persona was faster, and reports whether it did.
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

// close prevents the persona from saying more.
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

// finishSentence lets the persona end its sentence and say no more. It reports whether the sentence
// is already complete.
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

// ended returns how the reply ends. It is valid once read has reported that nothing follows.
func (s *Speech) ended() ending {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// append adds words that are not the persona's.
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

// stayQuiet chooses to say nothing, as SkipTurn does, after the persona has returned.
func (s *Speech) stayQuiet(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skip = &reason
}

// settled reports whether a persona that returned err has answered the turn.
func (s *Speech) settled(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return err == nil && (s.useful || s.skip != nil || s.endCall != nil)
}

// leftSomething reports whether useful words have left.
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

// endsByTool returns the reason for which the voice service's own tool must end the call, and
// whether it must.
func (s *Speech) endsByTool(t *Turn) (reason string, ends bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endCall == nil || !t.CanEnd {
		return "", false
	}
	return *s.endCall, true
}

// seal ends the reply: nothing follows. It returns the reason for which the call must be ended by
// other means than the voice service's own tool, or nil. A reply that is not wanted keeps the words
// that have left and gets no tool.
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

// tool requests one of the voice service's tools. The caller must hold s.mu.
func (s *Speech) tool(id, name, reason string) {
	s.end.finish = "tool_calls"
	s.end.call = &toolCall{id: id, name: name, arguments: reasonJSON(reason)}
}

// sentenceEnd returns the index after the first end of a sentence in text, or -1.
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

// reasonJSON returns the arguments of a tool that takes a reason.
func reasonJSON(reason string) string {
	b, err := json.Marshal(struct {
		Reason string `json:"reason"`
	}{reason})
	if err != nil { // a string always marshals
		return `{"reason":""}`
	}
	return string(b)
}
