package carrier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/wire"
)

const (
	// maxDocuments bounds the documents of a call, whose redirects may form a loop.
	maxDocuments = 500
	// maxParameter bounds the length of a stream parameter's name and value together.
	maxParameter = 500
	// sorry is announced when the account's server fails.
	sorry = "We are sorry, an application error has occurred. Goodbye."
)

// A document is parsed TwiML and the URL it came from, if any.
type document struct {
	verbs []node
	base  string
}

// A source is where TwiML comes from: a parsed document, a URL, or the text itself.
type source struct {
	ready *document
	url   string
	twiml string
	// digits are the keys that a Gather sends to the URL.
	digits string
}

// load returns the document of src.
func (k *call) load(ctx context.Context, src source) (document, error) {
	if src.ready != nil {
		return *src.ready, nil
	}
	if src.url == "" {
		verbs, err := parseTwiML([]byte(src.twiml))
		if err != nil {
			k.c.warn(ctx, 12100, k.sid, "document does not parse")
		}
		return document{verbs: verbs}, err
	}
	doc, err := k.fetch(ctx, src)
	if err != nil && ctx.Err() == nil {
		k.c.warn(ctx, 11200, k.sid, "webhook failed")
	}
	return doc, err
}

// fetch requests TwiML from the account's server.
func (k *call) fetch(ctx context.Context, src source) (document, error) {
	form, target := k.form(k.snapshot().status), src.url
	if src.digits != "" {
		form.Set("Digits", src.digits)
	}
	r, err := k.c.deliver(ctx, target, wire.ID(""), form)
	switch {
	case err != nil:
		return document{}, err
	case r.code < 200 || r.code > 299:
		return document{}, fmt.Errorf("webhook answered %d", r.code)
	case !strings.Contains(r.contentType, "xml"):
		return document{}, fmt.Errorf("%w: content type %q", errTwiML, r.contentType)
	}
	verbs, err := parseTwiML(r.body)
	target, _, _ = strings.Cut(target, "#")
	return document{verbs, target}, err
}

// execute carries out documents, beginning with that of src, until the call ends or there is
// nothing more to do.
func (k *call) execute(ctx context.Context, src source) {
	for range maxDocuments {
		doc, err := k.load(ctx, src)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			k.log.InfoContext(ctx, "simulated call without instructions", slog.Any("err", err))
			k.speak(ctx, sorry)
			return
		}
		next := k.follow(ctx, doc)
		if next == nil {
			return
		}
		src = *next
	}
	k.c.warn(ctx, 11100, k.sid, "too many redirects")
}

// follow executes doc. It returns the next source, or nil if there is none.
func (k *call) follow(ctx context.Context, doc document) *source {
	for _, verb := range doc.verbs {
		verbCtx, cancel := context.WithCancel(ctx)
		next := k.enter(cancel)
		var err error
		if next == nil {
			next, err = k.perform(verbCtx, doc, verb)
		}
		cancel()
		if ctx.Err() != nil || errors.Is(err, errHungUp) {
			return nil
		}
		if redirected := k.enter(nil); redirected != nil {
			return redirected
		}
		if next != nil {
			return next
		}
	}
	return k.enter(nil)
}

// enter sets the function that interrupts the next verb. It returns and clears a pending
// redirect, if there is one.
func (k *call) enter(cancel context.CancelFunc) *source {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := k.pending
	k.pending, k.interrupt = nil, cancel
	return next
}

// perform executes one verb. It returns a source if the call continues elsewhere, and errHungUp
// if the call ends.
func (k *call) perform(ctx context.Context, doc document, verb node) (*source, error) {
	switch verb.name() {
	case "Connect":
		return k.connect(ctx, doc, verb)
	case "Redirect":
		return k.follows(ctx, doc, verb.text())
	case "Gather":
		return k.gather(ctx, doc, verb)
	case "Dial":
		return k.confer(ctx, doc, verb)
	case "Say":
		k.speak(ctx, verb.text())
	case "Pause":
		n, err := strconv.Atoi(verb.attr("length"))
		if err != nil || n < 0 {
			n = 1
		}
		wire.Wait(ctx, k.c.seconds(float64(n)))
	case "Hangup", "Reject":
		return nil, errHungUp
	default:
		k.c.warn(ctx, 12200, k.sid, "verb not supported: "+verb.name())
	}
	return nil, nil //nolint:nilnil // on to the next verb
}

// follows returns the source that a verb names, absolute or relative to the URL of its document.
// With an unusable URL the call fails: follows says so and returns errHungUp.
func (k *call) follows(ctx context.Context, doc document, ref string) (*source, error) {
	target := ref
	if base, err := url.Parse(doc.base); err == nil && !wire.IsURL(ref) {
		if u, err := base.Parse(ref); err == nil {
			target = u.String()
		}
	}
	if !wire.IsURL(target) {
		k.c.warn(ctx, 15004, k.sid, "URL is not absolute")
		k.speak(ctx, sorry)
		return nil, errHungUp
	}
	return &source{url: target}, nil
}

// speak announces text in the carrier's own voice, and returns when that has been said.
func (k *call) speak(ctx context.Context, text string) {
	if text == "" {
		return
	}
	k.line.announce(text)
	frames := len(audio.Encode(text, k.c.cfg.WPM)) / audio.FrameBytes
	wire.Wait(ctx, k.c.cfg.FrameInterval*time.Duration(frames))
}

// connect runs the stream in a Connect verb, which has one two-way stream.
func (k *call) connect(ctx context.Context, doc document, verb node) (*source, error) {
	for _, noun := range verb.Children {
		if noun.name() != "Stream" {
			k.c.warn(ctx, 12200, k.sid, "noun not supported: "+noun.name())
			continue
		}
		k.stream(ctx, noun)
		if action := verb.attr("action"); action != "" && ctx.Err() == nil {
			return k.follows(ctx, doc, action)
		}
		break
	}
	return nil, nil //nolint:nilnil // on to the next verb
}

// stream opens the noun's socket and runs the stream to its end.
func (k *call) stream(ctx context.Context, noun node) {
	params := make(map[string]string)
	for _, p := range noun.Children {
		name, value := p.attr("name"), p.attr("value")
		if p.name() != "Parameter" || name == "" || len(name)+len(value) >= maxParameter {
			k.c.warn(ctx, 12200, k.sid, "stream parameter not usable")
			continue
		}
		params[name] = value
	}
	if track := noun.attr("track"); track != "" && track != "inbound_track" {
		k.c.warn(ctx, 31941, k.sid, "track not usable on a two-way stream")
		return
	}
	sid, name := wire.ID("MZ"), strings.TrimSpace(noun.attr("name"))
	report := func(event, problem string) {
		form := url.Values{
			"AccountSid": {k.c.cfg.AccountSID}, "CallSid": {k.sid}, "StreamSid": {sid}, "StreamName": {name},
			"StreamEvent": {event}, "Timestamp": {time.Now().UTC().Format(time.RFC3339Nano)},
		}
		if problem != "" {
			form.Set("StreamError", problem)
		}
		k.c.life.Go(func(ctx context.Context) { k.callback(ctx, noun.attr("statusCallback"), wire.ID(""), form) })
	}
	conn, err := k.openStream(ctx, noun.attr("url"))
	if err != nil {
		if ctx.Err() == nil {
			k.c.warn(ctx, 31920, k.sid, "media socket refused")
			k.log.DebugContext(ctx, "media socket refused", slog.Any("err", err))
			sid = ""
			report("stream-error", "31920: WebSocket handshake error")
		}
		return
	}
	if name == "" {
		name = sid
	}
	report("stream-started", "")
	(&stream{k: k, sid: sid, conn: conn, out: newOutbox(sid)}).run(ctx, params)
	report("stream-stopped", "")
}
