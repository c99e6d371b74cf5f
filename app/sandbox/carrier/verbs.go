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
	// maxDocuments ends a call whose documents redirect in circles.
	maxDocuments = 500
	// maxParameter is the longest name plus value of a stream's parameter.
	maxParameter = 500
	// sorry is what a call hears when its server fails.
	sorry = "We are sorry, an application error has occurred. Goodbye."
)

// document is TwiML that was read, and the URL it came from, if any.
type document struct {
	verbs []node
	base  string
}

// source is where TwiML comes from: a document in hand, a URL, or itself.
type source struct {
	ready *document
	url   string
	twiml string
	// digits are keys that a Gather hands to the URL.
	digits string
}

// load reads the document of src.
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

// fetch asks the account's server for TwiML.
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

// execute follows documents, beginning with that of src, until the call ends
// or there is nothing more to do.
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

// follow executes doc. It returns where to go on, nil when the call is over.
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

// enter makes cancel the way to interrupt the next verb, and takes the
// redirect that came before it, if one did.
func (k *call) enter(cancel context.CancelFunc) *source {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := k.pending
	k.pending, k.interrupt = nil, cancel
	return next
}

// perform executes one verb. It returns a source when the call goes on
// elsewhere, and errHungUp when it does not go on.
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

// follows is the source that a verb names, absolute or relative to where its
// document came from. A URL that cannot be used is where the call fails.
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

// speak says text in the carrier's own voice.
func (k *call) speak(ctx context.Context, text string) {
	if text == "" {
		return
	}
	k.line.announce(text)
	frames := len(audio.Encode(text, k.c.cfg.WPM)) / audio.FrameBytes
	wire.Wait(ctx, k.c.cfg.FrameInterval*time.Duration(frames))
}

// connect runs the stream in a Connect verb: one two-way stream a call.
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

// stream opens the noun's socket and carries it to its end.
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
