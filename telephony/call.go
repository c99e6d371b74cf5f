package telephony

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

const (
	// openTimeout bounds each step of opening a conversation.
	openTimeout = 10 * time.Second

	// conversationReadLimit is what ElevenLabs' own Python client allows.
	conversationReadLimit = 16 << 20

	// reopenPause comes before another attempt at a conversation that did not
	// open, times the number of attempts.
	reopenPause = 500 * time.Millisecond

	// settleTime is how long Twilio's word on why a stream stopped is awaited.
	settleTime = 2 * time.Second

	// keypadPause between two digits makes them two entries.
	keypadPause = 1500 * time.Millisecond

	// speechGap without new audio means that the voice service has sent all of a
	// reply: it sends faster than real time, in bursts.
	speechGap = 1500 * time.Millisecond
	// speechWait is how long the first audio of a last reply is awaited.
	speechWait = 4 * time.Second
	speechLook = 100 * time.Millisecond
	// farewellLimit ends a goodbye that goes on and on.
	farewellLimit = time.Minute

	// voicemailWait is how long Twilio may take to leave our stream for the
	// message on the answering machine.
	voicemailWait = 15 * time.Second

	// The steps of an ending.
	putDownTimeout = 15 * time.Second
	flushTimeout   = 15 * time.Second
	recordTimeout  = time.Minute
	recordPause    = 2 * time.Second
)

// world is all that a live call does outside of its two sockets.
type world struct {
	verify    func(r *http.Request) error
	take      func(ctx context.Context, token string) (store.Call, error)
	line      func(ctx context.Context, c store.Call) (line store.Line, keepWords bool, err error)
	spoken    func(ctx context.Context, id store.CallID) (int, error)
	signedURL func(ctx context.Context) (string, error)
	opening   func(ctx context.Context, line store.Line, reconnect bool) (elevenlabs.Init, error)
	dial      func(ctx context.Context, url string) (*websocket.Conn, error)
	hangUp    func(ctx context.Context, sid string) error
	say       func(ctx context.Context, line store.Line, text prompts.Name) error // then hangs up
	finish    func(ctx context.Context, id store.CallID, end store.Ending) error
	book      callBook
}

// world is the real one.
func (s *Service) world() world {
	return world{
		verify: s.dep.Verifier.Upgrade,
		take:   s.dep.Store.TakeStreamToken,
		line:   s.lineOf,
		spoken: s.timesSpoken,
		signedURL: func(ctx context.Context) (string, error) {
			url, err := s.dep.ElevenLabs.SignedURL(ctx, elevenlabs.AgentID(s.cfg.AgentID))
			return string(url), err
		},
		opening: s.opening,
		dial: func(ctx context.Context, url string) (*websocket.Conn, error) {
			conn, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{
				HTTPClient: s.dep.HTTP, CompressionMode: websocket.CompressionDisabled,
			})
			if resp != nil && resp.Body != nil && err != nil {
				_ = resp.Body.Close()
			}
			return conn, err
		},
		hangUp: s.hangUp,
		say: func(ctx context.Context, line store.Line, name prompts.Name) error {
			return s.dep.Twilio.Redirect(ctx, twilio.CallSID(line.Call.SID), s.sayTwiML(name, line.Person.Language))
		},
		finish: s.finish,
		book:   s.dep.Store,
	}
}

// signal is something small that happened on one of a call's sockets.
type signal struct {
	kind   signalKind
	stream *stream
	conv   *conversation
	text   string
	played bool
	at     time.Time
}

type signalKind int

const (
	signalFirstAudio  signalKind = iota // a conversation's first audio was sent to the phone
	signalOpened                        // a conversation runs
	signalWords                         // the person spoke
	signalInterrupted                   // the person spoke over nAIber, and the phone was told to be quiet
	signalEndCall                       // the conversation asked for its end
	signalMark                          // a mark came back; played says whether it proves anything
	signalKey                           // the person pressed a key
)

// verdict is how a call is to end.
type verdict struct {
	cause string
	by    string // empty: as usual for the cause
	phone phoneEnd
}

// phoneEnd is what becomes of the telephone line.
type phoneEnd int

const (
	phoneGone     phoneEnd = iota // it is down, or somebody else sees to it
	phoneHangUp                   // hang up
	phoneSorry                    // say sorry, then hang up
	phoneFarewell                 // say goodbye, then hang up
)

// request is an ending that somebody asks for: at once, or after what is being
// said was heard.
type request struct {
	verdict     verdict
	afterSpeech bool
}

// lostConversation is a conversation that has ended.
type lostConversation struct {
	conv *conversation
	err  error
}

// endedStream is a media stream that has ended.
type endedStream struct {
	stream  *stream
	stopped bool
}

// liveCall is a call that this process carries, from its first media stream to
// its ending. One loop decides everything; the sockets' readers only move audio
// and tell the loop what happened. Its methods may be used concurrently.
type liveCall struct {
	id        store.CallID
	resumed   bool // another process began it
	answered  time.Time
	cfg       Config
	do        world
	live      *registry
	log       *slog.Logger
	metrics   *metrics
	up        *ring
	notes     *transcript
	streams   chan *stream
	ended     chan endedStream
	lost      chan lostConversation
	signals   chan signal
	carrier   chan store.CallStatus
	requests  chan request
	machine   chan string
	over      chan struct{} // closed when the loop has its verdict: nobody listens any more
	done      chan struct{} // closed when the ending is complete
	talks     sync.WaitGroup
	lastWords lastTime

	mu         sync.Mutex // guards what follows
	line       store.Line
	spoken     int    // how often the person was heard to speak
	answeredBy string // a machine took the call, and a message is being left

	loop loopState
}

// loopState belongs to the loop alone.
type loopState struct {
	stream   *stream       // nil: the line is broken
	conv     *conversation // nil: none runs or opens
	begun    int           // conversations that ran
	reopened int           // conversations begun after another broke
	broken   int           // times that the line broke
	brokenAt time.Time
	keys     string
	bye      *farewell
	machine  bool
	first    bool // the first word was sent

	limit, quiet, settle, grace, parting, keypad, reopen, leave *time.Timer
}

// farewell is a goodbye on its way to the person's ear.
type farewell struct {
	verdict verdict
	polite  bool // asked for from outside: a person who speaks again calls it off
	began   time.Time
	ended   bool   // the conversation is over: no more audio can come
	mark    string // outstanding; empty: audio may still come
}

// lastTime is the latest of some moments.
type lastTime struct {
	mu sync.Mutex // guards at
	at time.Time
}

func (l *lastTime) set(t time.Time) {
	l.mu.Lock()
	l.at = t
	l.mu.Unlock()
}

func (l *lastTime) get() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

func newLiveCall(
	cfg Config, do world, live *registry, log *slog.Logger, m *metrics, line store.Line, keepWords bool, spoken int,
) *liveCall {
	log = log.With(slog.String("call_id", line.Call.ID.String()), slog.String("call_type", string(line.Call.Type)))
	if line.Person.ID.Known() {
		log = log.With(slog.String("person_id", line.Person.ID.String()))
	}
	c := &liveCall{
		id: line.Call.ID, resumed: line.Call.ConversationID != "", cfg: cfg, do: do, live: live, log: log, metrics: m,
		line: line, spoken: spoken, up: newRing(ringOpening), answered: time.Now(),
		notes:   newTranscript(line.Call.ID, do.book, keepWords, log, m),
		streams: make(chan *stream), ended: make(chan endedStream), lost: make(chan lostConversation),
		signals: make(chan signal, 16), carrier: make(chan store.CallStatus), requests: make(chan request),
		machine: make(chan string), over: make(chan struct{}), done: make(chan struct{}),
	}
	if line.Call.AnsweredAt != nil && line.Call.AnsweredAt.Before(c.answered) {
		c.answered = *line.Call.AnsweredAt
	}
	return c
}

// bind gives the call a media stream, its first or the one after a broken line.
// It reports false when the call has ended.
func (c *liveCall) bind(st *stream) bool { return tell(c, c.streams, st) }

// streamEnded tells the call that a media stream's reader has ended.
func (c *liveCall) streamEnded(st *stream, stopped bool) {
	tell(c, c.ended, endedStream{st, stopped})
}

// carrierEnded tells the call that Twilio reports a final status.
func (c *liveCall) carrierEnded(status store.CallStatus) { tell(c, c.carrier, status) }

// machineAnswered tells the call that a machine picked up. It reports whether
// the call takes that for true: then it falls silent and ends as voicemail once
// Twilio leaves its stream, which the caller of machineAnswered sees to. A
// conversation that already shows a human is left alone.
func (c *liveCall) machineAnswered(answeredBy string) bool {
	c.mu.Lock()
	human := c.spoken >= humanTurns
	c.mu.Unlock()
	return !human && tell(c, c.machine, answeredBy)
}

// end ends the call at once.
func (c *liveCall) end(cause, by string) {
	tell(c, c.requests, request{verdict: verdict{cause: cause, by: by, phone: phoneHangUp}})
}

func (c *liveCall) signal(s signal) { tell(c, c.signals, s) }

// tell hands v to the call's loop, unless that has come to its verdict.
func tell[T any](c *liveCall, to chan T, v T) bool {
	select {
	case to <- v:
		return true
	case <-c.over:
		return false
	}
}

// now is the line as it stands: who is on the call, in which conversation.
func (c *liveCall) now() store.Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line
}

// run carries the call to its end and completes the ending. ctx must outlive
// whatever started the call.
func (c *liveCall) run(ctx context.Context) {
	noting, stopNoting := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() {
		if left := c.notes.run(noting); left > 0 {
			c.metrics.lostNotes.Add(float64(left))
			c.log.LogAttrs(ctx, slog.LevelError, "notes lost", slog.Int("count", left))
		}
	})
	talking, stopTalking := context.WithCancel(ctx)
	v := c.carry(talking)
	close(c.over)
	stopTalking()
	c.close(context.WithoutCancel(ctx), v)
	stopNoting()
	writer.Wait()
	c.live.remove(c)
	close(c.done)
}

// carry is the loop: its select lists every way in which a call can go on or
// end. ctx is that of the conversations.
func (c *liveCall) carry(ctx context.Context) (v verdict) {
	l := &c.loop
	for _, t := range []**time.Timer{&l.settle, &l.grace, &l.parting, &l.keypad, &l.reopen, &l.leave} {
		*t = time.NewTimer(0)
		(*t).Stop()
	}
	l.limit = time.NewTimer(max(c.cfg.TimeLimit-time.Since(c.answered), 0))
	l.quiet = time.NewTimer(c.cfg.SilenceHangUp)
	defer func() {
		for _, t := range []*time.Timer{l.limit, l.quiet, l.settle, l.grace, l.parting, l.keypad, l.reopen, l.leave} {
			t.Stop()
		}
		if p := recover(); p != nil {
			c.log.LogAttrs(ctx, slog.LevelError, "call panicked", slog.Any("err", p), slog.String("stack", string(debug.Stack())))
			v = verdict{cause: causeUnknown, phone: phoneSorry}
		}
	}()
	c.lastWords.set(time.Now())
	for {
		var end *verdict
		select {
		case st := <-c.streams:
			end = c.onStream(ctx, st)
		case s := <-c.ended:
			end = c.onStreamEnded(s)
		case lost := <-c.lost:
			end = c.onLost(ctx, lost)
		case s := <-c.signals:
			end = c.onSignal(s)
		case status := <-c.carrier:
			end = c.onCarrier(status)
		case r := <-c.requests:
			end = c.onRequest(r)
		case by := <-c.machine:
			c.onMachine(by)
		case <-l.limit.C:
			end = &verdict{cause: causeTimeLimit, phone: phoneFarewell}
		case <-l.quiet.C:
			end = c.onQuiet()
		case <-l.settle.C: // the stream stopped, and no status said otherwise
			end = &verdict{cause: causeHungUp}
		case <-l.grace.C: // the broken line did not come back
			end = &verdict{cause: causeStreamLost, phone: phoneHangUp}
		case <-l.parting.C:
			end = c.onParting()
		case <-l.keypad.C:
			c.onKeypad()
		case <-l.reopen.C:
			c.converse(ctx)
		case <-l.leave.C: // a machine answered, and the stream was not left
			end = &verdict{cause: causeVoicemail, phone: phoneHangUp}
		}
		if end != nil {
			return *end
		}
	}
}

func (c *liveCall) onStream(ctx context.Context, st *stream) *verdict {
	l := &c.loop
	if st.wrongFormat {
		l.stream = st
		return &verdict{cause: causeAudioFormat, by: byTwilio, phone: phoneHangUp}
	}
	if old := l.stream; old != nil {
		c.talks.Go(func() { _ = old.conn.CloseNow() }) // its reader ends by it
	}
	c.dropConversation()
	again := c.resumed || l.begun > 0 || l.broken > 0
	l.stream = st
	l.settle.Stop()
	l.grace.Stop()
	c.mu.Lock()
	c.line.Call.SID = string(st.callSID)
	c.mu.Unlock()
	if again {
		c.metrics.reconnects.WithLabelValues("stream").Inc()
	}
	c.notes.event("stream_started", map[string]any{"streamSid": string(st.sid), "reconnect": again})
	c.log.LogAttrs(ctx, slog.LevelInfo, "media stream started", slog.Bool("reconnect", again))
	if !l.machine {
		c.converse(ctx)
	}
	return nil
}

func (c *liveCall) onStreamEnded(s endedStream) *verdict {
	l := &c.loop
	if s.stream != l.stream {
		return nil
	}
	l.stream = nil
	c.dropConversation()
	switch {
	case l.machine:
		return &verdict{cause: causeVoicemail}
	case l.bye != nil:
		return &l.bye.verdict // said, and the line is down: nothing is left to do but to make sure
	case s.stopped:
		l.settle.Reset(settleTime)
	default:
		l.broken++
		l.brokenAt = time.Now()
		l.grace.Reset(c.cfg.ReconnectGrace)
		c.notes.event("reconnecting", map[string]any{"cause": causeStreamLost, "n": l.broken})
		c.log.Warn("media stream lost", slog.Int("count", l.broken))
	}
	return nil
}

func (c *liveCall) onCarrier(status store.CallStatus) *verdict {
	l := &c.loop
	switch {
	case !status.Final():
		return nil
	case l.machine:
		return &verdict{cause: causeVoicemail}
	case l.bye != nil:
		v := l.bye.verdict
		v.phone = phoneGone
		return &v
	case l.stream == nil && !l.brokenAt.IsZero() && status == store.StatusCompleted && time.Since(l.brokenAt) > settleTime:
		return &verdict{cause: causeStreamLost}
	default:
		return &verdict{cause: statusCause(status)}
	}
}

func (c *liveCall) onRequest(r request) *verdict {
	if !r.afterSpeech || c.loop.stream == nil {
		return &r.verdict
	}
	c.sayGoodbye(farewell{verdict: r.verdict, polite: true})
	return nil
}

func (c *liveCall) onMachine(answeredBy string) {
	l := &c.loop
	l.machine = true
	c.mu.Lock()
	c.answeredBy = answeredBy
	c.mu.Unlock()
	l.reopen.Stop()
	c.dropConversation()
	if l.stream != nil {
		_ = l.stream.clear() // its reader reports a broken line
	}
	l.leave.Reset(voicemailWait)
}

// onQuiet ends a call in which nothing is said any more: the last line of
// defence behind the gentle questions that the conversation asks.
func (c *liveCall) onQuiet() *verdict {
	l := &c.loop
	last := c.lastWords.get()
	if st := l.stream; st == nil {
		last = time.Now() // other timers watch over a broken line
	} else if ends := st.played.ends(); ends.After(last) {
		last = ends
	}
	if left := c.cfg.SilenceHangUp - time.Since(last); left > 0 {
		l.quiet.Reset(left)
		return nil
	}
	return &verdict{cause: causeSilence, phone: phoneHangUp}
}

func (c *liveCall) onSignal(s signal) *verdict {
	l := &c.loop
	switch s.kind {
	case signalMark:
		if s.stream == l.stream {
			return c.onMark(s)
		}
		return nil
	case signalKey:
		if s.stream == l.stream && keypadDigit(s.text) && len(l.keys) < 64 {
			l.keys += s.text
			c.lastWords.set(time.Now())
			l.keypad.Reset(keypadPause)
		}
		return nil
	case signalWords:
		c.lastWords.set(s.at)
		return nil
	default:
	}
	if s.conv != l.conv {
		return nil // of a conversation that was given up
	}
	switch s.kind {
	case signalOpened:
		l.begun++
		c.onKeypad() // digits that waited for it
	case signalFirstAudio:
		if !l.first && !c.resumed {
			wait := s.at.Sub(c.answered)
			c.metrics.firstWord.Observe(wait.Seconds())
			c.notes.firstWord(wait)
		}
		l.first = true
	case signalInterrupted:
		if l.bye != nil && l.bye.polite && !l.bye.ended {
			l.bye = nil
			l.parting.Stop()
		}
	case signalEndCall:
		c.sayGoodbye(farewell{verdict: verdict{cause: causeGoodbye, phone: phoneHangUp}})
	default:
	}
	return nil
}

// keypadDigit reports whether s is one key of a telephone.
func keypadDigit(s string) bool {
	return len(s) == 1 && (s[0] >= '0' && s[0] <= '9' || s[0] == '*' || s[0] == '#' || s[0] >= 'A' && s[0] <= 'D')
}

// onKeypad passes on digits after which no more came.
func (c *liveCall) onKeypad() {
	l := &c.loop
	if l.keys == "" || l.conv == nil || l.conv.id == "" {
		return // wait for the next conversation
	}
	keys := l.keys
	l.keys = ""
	l.keypad.Stop()
	c.mu.Lock()
	c.spoken++ // no machine presses keys
	c.mu.Unlock()
	c.notes.event("keypad", map[string]any{"digits": keys})
	_ = l.conv.send(func(dst []byte) []byte { // its reader reports a broken socket
		return elevenlabs.AppendUserMessage(dst, "[keypad: "+keys+"]")
	})
}

// sayGoodbye begins a farewell: the call ends when it was heard. A second one
// changes nothing, except that one from inside the conversation is final.
func (c *liveCall) sayGoodbye(f farewell) {
	l := &c.loop
	if l.bye != nil {
		l.bye.polite = l.bye.polite && f.polite
		l.bye.ended = l.bye.ended || f.ended
	} else {
		f.began = time.Now()
		l.bye = &f
		c.notes.event("goodbye", map[string]any{"reason": f.verdict.cause})
	}
	l.parting.Reset(0)
}

// onParting takes a farewell its next step: wait until no more audio can be
// expected, then send a mark, then wait for that, but not for ever.
func (c *liveCall) onParting() *verdict {
	l := &c.loop
	f := l.bye
	if f == nil {
		return nil
	}
	if l.stream == nil || f.mark != "" || time.Since(f.began) > farewellLimit {
		return &f.verdict // heard as far as anybody can tell
	}
	if wait := c.moreAudio(f); wait > 0 {
		l.parting.Reset(wait)
		return nil
	}
	return c.markFarewell(f)
}

// moreAudio is how much longer audio of the last words is to be expected.
func (c *liveCall) moreAudio(f *farewell) time.Duration {
	v := c.loop.conv
	if f.ended || v == nil {
		return 0
	}
	if last := time.Unix(0, v.lastAudio.Load()); last.After(f.began) {
		return speechGap - time.Since(last)
	}
	if f.polite { // the reply was only just written: look again soon
		return min(speechWait-time.Since(f.began), speechLook)
	}
	return speechGap - time.Since(f.began)
}

func (c *liveCall) markFarewell(f *farewell) *verdict {
	l := &c.loop
	name, err := l.stream.mark("bye")
	if err != nil {
		return &f.verdict
	}
	f.mark = name
	l.parting.Reset(l.stream.played.queued(time.Now()) + c.cfg.GoodbyeCap)
	return nil
}

func (c *liveCall) onMark(s signal) *verdict {
	l := &c.loop
	f := l.bye
	if f == nil || f.mark != s.text {
		return nil
	}
	if s.played && l.stream.played.queued(time.Now()) <= settleSlack {
		return &f.verdict
	}
	// Cut short by a clear, or more was said after the mark.
	f.mark = ""
	l.parting.Reset(0)
	return nil
}

// settleSlack is by how much the estimate of what is queued may be off.
const settleSlack = 250 * time.Millisecond

// dropConversation gives up on the conversation, if there is one.
func (c *liveCall) dropConversation() {
	if v := c.loop.conv; v != nil {
		c.loop.conv = nil
		v.cancel()
	}
	c.up.setLimit(ringOpening)
}

// onLost decides what follows a conversation that ended, or did not begin.
func (c *liveCall) onLost(ctx context.Context, lost lostConversation) *verdict {
	l := &c.loop
	if lost.conv != l.conv {
		return nil
	}
	closing := closingOf(lost)
	ran := lost.conv.id != ""
	c.dropConversation()
	c.log.LogAttrs(ctx, slog.LevelInfo, "conversation ended",
		slog.String("conversation_id", lost.conv.id), slog.String("reason", closing.Reason),
		slog.Int("status", int(websocket.CloseStatus(lost.err))), slog.Any("err", lost.err))
	switch {
	case errors.Is(lost.err, errAudioFormat):
		return &verdict{cause: causeAudioFormat, phone: phoneSorry}
	case l.bye != nil:
		c.sayGoodbye(farewell{ended: true})
		return nil
	case closing.By == elevenlabs.PartyTimeLimit:
		c.sayGoodbye(farewell{verdict: verdict{cause: causeTimeLimit, phone: phoneHangUp}, ended: true})
		return nil
	case closing.By == elevenlabs.PartyNobody && ran:
		c.sayGoodbye(farewell{verdict: verdict{cause: causeGoodbye, by: byElevenLabs, phone: phoneHangUp}, ended: true})
		return nil
	case !closing.Retry || l.reopened >= c.cfg.ReconnectLimit:
		return &verdict{cause: causeConversationFailed, by: partyBy(closing.By), phone: phoneSorry}
	}
	l.reopened++
	c.metrics.reconnects.WithLabelValues("conversation").Inc()
	c.notes.event("reconnecting", map[string]any{"cause": closing.Reason, "n": l.reopened})
	if ran {
		_ = l.stream.clear() // half a sentence must not run into the apology
		l.reopen.Reset(0)
	} else {
		l.reopen.Reset(time.Duration(l.reopened) * reopenPause)
	}
	return nil
}

// partyBy is whose doing a conversation's failure was, in the words of an ending.
func partyBy(p elevenlabs.Party) string {
	if p == elevenlabs.PartyUs {
		return byNaiber
	}
	return byElevenLabs
}

// errAudioFormat says that a conversation's audio is not the telephone's.
var errAudioFormat = errors.New("conversation audio is not ulaw_8000 both ways")

// openError is a conversation that did not come to be.
type openError struct {
	step string
	err  error
}

func (e *openError) Error() string { return e.step + ": " + e.err.Error() }
func (e *openError) Unwrap() error { return e.err }

// closingOf explains the end of a conversation.
func closingOf(lost lostConversation) elevenlabs.Closing {
	if open, ok := errors.AsType[*openError](lost.err); ok {
		switch elevenlabs.ClassOf(open.err) {
		case elevenlabs.ClassConfiguration, elevenlabs.ClassBilling, elevenlabs.ClassNotFound, elevenlabs.ClassInvalid:
			return elevenlabs.Closing{Reason: "not_opened", By: elevenlabs.PartyUs}
		default:
			return elevenlabs.Closing{Reason: "not_opened", By: elevenlabs.PartyElevenLabs, Retry: true}
		}
	}
	return elevenlabs.CloseReason(int(websocket.CloseStatus(lost.err)), lost.conv.failure.Type)
}

// converse begins a conversation on the present stream. How it ends comes back
// through c.lost.
func (c *liveCall) converse(ctx context.Context) {
	l := &c.loop
	if l.stream == nil || l.conv != nil || l.machine {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	v := &conversation{stream: l.stream, cancel: cancel, void: -1}
	url := l.stream.url
	l.stream.url = nil
	l.conv = v
	again := c.resumed || l.begun > 0
	c.talks.Go(func() {
		defer cancel()
		err := c.talk(ctx, v, url, again)
		result := "ended"
		if _, failed := errors.AsType[*openError](err); failed {
			result = "not_opened"
		}
		c.metrics.conversations.WithLabelValues(result).Inc()
		tell(c, c.lost, lostConversation{v, err})
	})
}

// talk opens the conversation v and carries it until it ends, which err says
// how. When ctx ends, it is closed normally.
func (c *liveCall) talk(ctx context.Context, v *conversation, url <-chan signedURL, again bool) error {
	if err := c.open(ctx, v, url, again); err != nil {
		return err
	}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = v.conn.Close(websocket.StatusNormalClosure, "")
	})
	unwatch := v.watch(func() { c.metrics.stalls.WithLabelValues("elevenlabs").Inc() })
	late := time.AfterFunc(openTimeout, func() { _ = v.conn.CloseNow() })
	feeding, stopFeeding := context.WithCancel(ctx)
	var feeder sync.WaitGroup
	err := c.metadata(v)
	late.Stop()
	if err == nil {
		c.up.setLimit(ringRunning)
		c.signal(signal{kind: signalOpened, conv: v})
		feeder.Go(func() { c.feed(feeding, v) })
		err = c.hear(v)
	}
	stopFeeding()
	if !stop() {
		<-closed
	} else if errors.Is(err, errAudioFormat) {
		_ = v.conn.Close(websocket.StatusNormalClosure, "")
	}
	_ = v.conn.CloseNow()
	feeder.Wait()
	unwatch()
	return err
}

// open dials and sends what must come first. Its errors are [*openError].
func (c *liveCall) open(ctx context.Context, v *conversation, url <-chan signedURL, again bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*openTimeout, errors.New("opening a conversation took too long"))
	defer cancel()
	if url == nil {
		url, _ = fetchURL(ctx, c.do.signedURL)
	}
	if again {
		if err := c.notes.flush(ctx); err != nil { // the opening quotes the transcript
			c.log.LogAttrs(ctx, slog.LevelWarn, "opening without the last words", slog.Any("err", err))
		}
	}
	init, err := c.do.opening(ctx, c.now(), again)
	if err != nil {
		<-url
		return &openError{"prepare opening", err}
	}
	first, err := elevenlabs.AppendInit(nil, init)
	if err != nil {
		<-url
		return &openError{"encode opening", err}
	}
	signed := <-url
	if signed.err != nil {
		return &openError{"get signed url", signed.err}
	}
	dialing, stop := context.WithTimeout(ctx, openTimeout)
	defer stop()
	if v.conn, err = c.do.dial(dialing, signed.url); err != nil {
		// The error may quote the address, and that is a secret.
		return &openError{"dial conversation", errors.New("handshake failed")}
	}
	v.conn.SetReadLimit(conversationReadLimit)
	if err := v.conn.Write(dialing, websocket.MessageText, first); err != nil {
		_ = v.conn.CloseNow()
		return &openError{"send opening", err}
	}
	return nil
}

// metadata awaits the server's first event, which names the conversation.
func (c *liveCall) metadata(v *conversation) error {
	var (
		buf []byte
		e   elevenlabs.Event
		err error
	)
	for {
		if buf, err = v.read(buf); err != nil {
			if websocket.CloseStatus(err) < 0 && v.failure.Type == "" {
				return &openError{"await metadata", err}
			}
			return err
		}
		if err := elevenlabs.Decode(buf, &e); err != nil {
			c.badMessage("elevenlabs", errors.Is(err, elevenlabs.ErrAudio))
			continue
		}
		if e.Kind != elevenlabs.KindMetadata {
			if err := c.heard(v, &e); err != nil {
				return err
			}
			continue
		}
		if !e.Metadata.ULaw8k() {
			return errAudioFormat
		}
		v.id = string(e.Metadata.ConversationID)
		c.mu.Lock()
		c.line.ConversationID = v.id
		if c.line.Call.ConversationID == "" {
			c.line.Call.ConversationID = v.id
		}
		c.mu.Unlock()
		c.notes.conversation(v.id)
		c.metrics.conversations.WithLabelValues("started").Inc()
		return nil
	}
}

// heard handles every event but audio, on the conversation's reader.
func (c *liveCall) heard(v *conversation, e *elevenlabs.Event) error {
	now := time.Now()
	switch e.Kind {
	case elevenlabs.KindPing:
		return v.send(func(dst []byte) []byte { return elevenlabs.AppendPong(dst, e.ID) })
	case elevenlabs.KindInterruption:
		v.void = max(v.void, e.ID)
		_ = v.stream.clear() // the stream's reader reports a broken line
		c.metrics.bargeIns.Inc()
		c.notes.event("interrupted", map[string]any{})
		c.signal(signal{kind: signalInterrupted, conv: v})
	case elevenlabs.KindUserTranscript:
		if !spoken(e.Text) {
			return nil
		}
		c.mu.Lock()
		c.spoken++
		c.mu.Unlock()
		c.notes.said(store.RoleUser, e.Text, v.id, e.ID, now)
		c.signal(signal{kind: signalWords, conv: v, at: now})
	case elevenlabs.KindAgentResponse:
		if spoken(e.Text) {
			c.notes.said(store.RoleAssistant, strings.TrimSpace(e.Text), v.id, e.ID, now)
		}
	case elevenlabs.KindAgentCorrection:
		c.notes.corrected(strings.TrimSpace(e.Text), v.id, e.ID)
	case elevenlabs.KindToolResponse:
		if e.Tool.Name == elevenlabs.ToolEndCall && e.Tool.Called && !e.Tool.IsError {
			c.signal(signal{kind: signalEndCall, conv: v})
		}
	case elevenlabs.KindError:
		v.failure = *e.Failure
		c.log.Warn("conversation error", slog.String("conversation_id", v.id),
			slog.Int("status", e.Failure.Code), slog.String("reason", e.Failure.Type))
	case elevenlabs.KindUnknown:
		c.metrics.unknownEvents.WithLabelValues("elevenlabs").Inc()
	default: // metadata again, or a tool that is not ours
	}
	return nil
}

// close is the one ending of a call. Each step has its own time, and a step that
// fails does not keep the next from happening. The telephone goes first: once
// our socket closes, Twilio would ask how to reconnect.
func (c *liveCall) close(ctx context.Context, v verdict) {
	if v.cause == causeAborted {
		c.crash()
		return
	}
	c.putDown(ctx, v.phone)
	c.talks.Wait() // what they still heard belongs to the transcript
	within(ctx, flushTimeout, func(ctx context.Context) {
		if err := c.notes.flush(ctx); err != nil {
			c.log.LogAttrs(ctx, slog.LevelError, "transcript is late", slog.Any("err", err))
		}
	})
	c.mu.Lock()
	spoken := c.spoken
	c.mu.Unlock()
	end := endingOf(v.cause, v.by, spoken)
	within(ctx, recordTimeout, func(ctx context.Context) { c.finish(ctx, end) })
	c.letGo(c.loop.stream)
	seconds := time.Since(c.answered).Seconds()
	c.metrics.seconds.Observe(seconds)
	c.log.LogAttrs(ctx, slog.LevelDebug, "call let go", slog.String("reason", end.Cause),
		slog.Int64("elapsed_ms", int64(seconds*1000)), slog.Int("turns", spoken),
		slog.Int("reconnects", c.loop.broken+c.loop.reopened))
}

// putDown sees to the telephone line.
func (c *liveCall) putDown(ctx context.Context, end phoneEnd) {
	line := c.now()
	within(ctx, putDownTimeout, func(ctx context.Context) {
		var err error
		switch end {
		case phoneGone:
			return
		case phoneSorry:
			err = c.do.say(ctx, line, prompts.Sorry)
		case phoneFarewell:
			err = c.do.say(ctx, line, prompts.Farewell)
		case phoneHangUp:
			err = c.do.hangUp(ctx, line.Call.SID)
		}
		if err == nil {
			return
		}
		c.log.LogAttrs(ctx, slog.LevelWarn, "line not put down", slog.Any("err", err))
		if end != phoneHangUp {
			_ = c.do.hangUp(ctx, line.Call.SID) // the one thing left to try
		}
	})
}

// finish records the ending, again and again until it is recorded.
func (c *liveCall) finish(ctx context.Context, end store.Ending) {
	for {
		err := c.do.finish(ctx, c.id, end)
		if err == nil {
			return
		}
		c.log.LogAttrs(ctx, slog.LevelError, "ending not recorded", slog.Any("err", err))
		select {
		case <-time.After(recordPause):
		case <-ctx.Done():
			return // reconciliation finds the call
		}
	}
}

// letGo gives Twilio a moment to end the stream by itself, then closes it.
func (c *liveCall) letGo(st *stream) {
	if st == nil {
		return
	}
	select {
	case <-st.gone:
	case <-time.After(settleTime):
		_ = st.conn.Close(websocket.StatusNormalClosure, "")
		<-st.gone
	}
}

// within gives one step of an ending its own time.
func within(ctx context.Context, d time.Duration, step func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	step(ctx)
}
