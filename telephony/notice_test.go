package telephony

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/twilio"
)

const tomPhone = "+14165550171"

// desk is a house that tells people of alerts, step by step as the test says.
type desk struct {
	*house

	failed []alerts.Step // of which nobody is left
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{house: newHouse(t, nil)}
	d.dep.AlertHead = func(language string, p people.Person, kind string) string {
		return p.Name + ": " + kind + " (" + language + ")"
	}
	d.dep.NoticeFailed = func(_ context.Context, s alerts.Step) error { d.failed = append(d.failed, s); return nil }
	return d
}

// told raises an alert and sends its notices, each by a channel to a number, as Tom's.
func (d *desk) told(p people.Person, tier alerts.Tier, kind string, ways ...string) (alerts.Alert, []Notice) {
	d.t.Helper()
	a, _, err := d.st.RaiseAlert(d.t.Context(), alerts.New{PersonID: p.ID, Tier: tier, Kind: kind})
	if err != nil {
		d.t.Fatal(err)
	}
	return a, d.step(a, ways...)
}

// step takes the next step of an alert's ladder.
func (d *desk) step(a alerts.Alert, ways ...string) (sent []Notice) {
	d.t.Helper()
	a, err := d.st.Alert(d.t.Context(), a.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	now := time.Now()
	var taken alerts.Taken
	for i := 0; i < len(ways); i += 2 {
		taken.Notices = append(taken.Notices, alerts.Notice{
			ID: uuid.New(), Name: "Tom", Channel: ways[i], Address: ways[i+1], Language: "en", Status: alerts.Queued, DueAt: now,
		})
	}
	if err := d.st.TakeStep(d.t.Context(), alerts.Due{ID: a.ID, Run: a.Run, Step: a.Step}, now, func(alerts.Alert) (alerts.Taken, error) { return taken, nil }); err != nil {
		d.t.Fatal(err)
	}
	for _, kept := range taken.Notices {
		token := "TOKEN" + kept.ID.String()
		if _, _, err := d.st.ClaimNotice(d.t.Context(), kept.ID, alerts.Claim{At: now, Lapsed: now.Add(-time.Minute), Token: token, Expires: now.Add(time.Hour)}); err != nil {
			d.t.Fatal(err)
		}
		n := Notice{ID: kept.ID, To: kept.Address, Language: "en", Text: "Ada: something (noon).", Link: houseURL + "/a/" + token}
		send := d.TextNotice
		if kept.Channel == alerts.Call {
			send = d.CallNotice
		}
		sid, err := send(d.t.Context(), n)
		if err == nil {
			err = d.st.NoticeSent(d.t.Context(), n.ID, sid, now)
		}
		if err != nil {
			d.t.Fatal(err)
		}
		sent = append(sent, n)
	}
	return sent
}

func (d *desk) alert(a alerts.Alert) alerts.Alert {
	d.t.Helper()
	a, err := d.st.Alert(d.t.Context(), a.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// stands checks an alert: its status, who sees to it, its events, and its notices.
func (d *desk) stands(a alerts.Alert, status alerts.Status, by, events, notices string) {
	d.t.Helper()
	a = d.alert(a)
	var kinds, states []string
	for _, e := range a.Events {
		kinds = append(kinds, e.Kind)
	}
	for _, n := range a.Notices {
		states = append(states, strings.TrimSpace(n.Channel+" "+n.Status+" "+n.Detail))
	}
	slices.Sort(states)
	if got := strings.Join(kinds, " "); a.Status != status || a.AcknowledgedBy != by || got != events || strings.Join(states, "; ") != notices {
		d.t.Errorf("%s by %q, events %s, notices %q\nwant %s by %q, events %s, notices %q", a.Status, a.AcknowledgedBy, got, states, status, by, events, notices)
	}
}

// texts sends a text message to nAIber and returns its answer.
func (d *desk) texts(from, body string, more ...string) string {
	d.t.Helper()
	w := d.hook("/twilio/sms", append([]string{"From", from, "To", houseNumber, "Body", body, "MessageSid", "SM" + uuid.NewString()}, more...)...)
	var answer struct {
		Message string `xml:"Message"`
	}
	if err := xml.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		d.t.Fatalf("answered %d %s", w.Code, w.Body)
	}
	return answer.Message
}

func TestTextNotice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.person("Ada", "+14165550170")
	a, sent := d.told(ada, alerts.Urgent, "fall", alerts.SMS, tomPhone)
	got := d.carrier.texts[0]
	for name, want := range map[string]string{
		"To": tomPhone, "From": houseNumber, "StatusCallback": houseURL + "/twilio/sms/status?notice=" + sent[0].ID.String() + "#" + eventTuning,
	} {
		if got.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, got.Get(name), want)
		}
	}
	want := "nAIber: Ada: something (noon). Reply YES to say that you are taking care of it, or 9 if you cannot. More: " + sent[0].Link +
		" If a life may be in danger, ring the emergency services. nAIber does not."
	if got.Get("Body") != want || got.Has("MessagingServiceSid") {
		t.Errorf("body %q", got.Get("Body"))
	}
	target := "/twilio/sms/status?notice=" + sent[0].ID.String()
	sid := fmt.Sprintf("SM%032x", 1)
	for _, c := range []struct{ sid, status, want string }{
		{sid, "sent", "sms sent"},
		{sid, "delivered", "sms delivered"},
		{sid, "sent", "sms delivered"},
		{sid, "sending", "sms delivered"},
		{"SMother", "failed", "sms delivered"},
		{sid, "undelivered", "sms failed text message was not delivered 30003"},
	} {
		if w := d.hook(target, "MessageSid", c.sid, "MessageStatus", c.status, "ErrorCode", "30003"); w.Code != http.StatusNoContent {
			t.Fatalf("%s was answered %d", c.status, w.Code)
		}
		d.stands(a, alerts.Notified, "", "raised", c.want)
	}
	if len(d.failed) != 1 || d.failed[0].AlertID != a.ID || d.failed[0].Step != 0 {
		t.Errorf("the ladder goes on with %+v", d.failed)
	}
	if w := d.hook("/twilio/sms/status?notice=x", "MessageSid", sid, "MessageStatus", "sent"); w.Code != http.StatusNoContent {
		t.Errorf("no notice: %d", w.Code)
	}
	if w := d.hook(target, "MessageStatus", "sent"); w.Code != http.StatusBadRequest {
		t.Errorf("no message: %d", w.Code)
	}
	d.cfg.MessagingService = "MG1"
	d.step(a, alerts.SMS, tomPhone)
	if got := d.carrier.texts[1]; got.Get("MessagingServiceSid") != "MG1" || got.Has("From") {
		t.Errorf("by the service: %v", got)
	}
	for code, refused := range map[int]bool{21610: true, 21614: true, 21211: true, 21408: true, 20429: false} {
		d.carrier.textFault = code
		if _, err := d.TextNotice(t.Context(), sent[0]); errors.Is(err, ErrNoticeRefused) != refused || err == nil {
			t.Errorf("code %d: %v; want refused %t", code, err, refused)
		}
	}
}

// Twilio tells of a message before its sender has noted that it left.
func TestCallbackBeforeTheSenderKnows(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, _, err := d.st.RaiseAlert(t.Context(), alerts.New{PersonID: d.person("Ada", "+14165550170").ID, Tier: alerts.Now, Kind: "fire"})
	if err != nil {
		t.Fatal(err)
	}
	n := alerts.Notice{ID: uuid.New(), Name: "Tom", Channel: alerts.Call, Address: tomPhone, Language: "en", Status: alerts.Queued, DueAt: time.Now()}
	if err := d.st.TakeStep(t.Context(), alerts.Due{ID: a.ID, Run: 1}, time.Now(), func(alerts.Alert) (alerts.Taken, error) {
		return alerts.Taken{Notices: []alerts.Notice{n}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	d.hook("/twilio/notice/status?notice="+n.ID.String(), "CallSid", "CA7", "CallStatus", "initiated")
	d.stands(a, alerts.Notified, "", "raised", "call sent")
	if _, _, err := d.st.ClaimNotice(t.Context(), n.ID, alerts.Claim{At: time.Now(), Token: "x", Expires: time.Now()}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it is sent again: %v", err)
	}
	d.hook("/twilio/notice/status?notice="+n.ID.String(), "CallSid", "CA7", "CallStatus", "no-answer")
	d.stands(a, alerts.Notified, "", "raised", "call failed no answer")
}

func TestRepliesToText(t *testing.T) {
	t.Parallel()
	type want struct {
		answer, by, events, notices string
		failed                      int
	}
	taken := "Thank you, Tom. You are taking care of it: Ada Example: fall (en). Nobody else is told. Number: +14165550170"
	unclear := "nAIber is a computer and did not understand that. Ada Example: fall (en): reply YES to say that you are taking care of it, or 9 if you cannot."
	for body, want := range map[string]want{
		"YES":            {taken, "Tom", "raised acknowledged", "call sent; sms acknowledged", 0},
		"1":              {taken, "Tom", "raised acknowledged", "call sent; sms acknowledged", 0},
		"Sí, me encargo": {taken, "Tom", "raised acknowledged", "call sent; sms acknowledged", 0},
		"9":              {"Thank you for saying so. nAIber tells others.", "", "raised declined", "call failed cannot help now; sms failed cannot help now", 1},
		"what fall?":     {unclear, "", "raised replied", "call sent; sms sent", 0},
		"":               {unclear, "", "raised replied", "call sent; sms sent", 0},
		"STOP":           {"You get no more text messages from nAIber. Send START to get them again.", "", "raised declined", "call sent; sms failed wants no text messages", 0},
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			a, _ := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.SMS, tomPhone, alerts.Call, tomPhone)
			// The notices carry one time: the text message is the one that is answered.
			if _, err := d.st.Pool().Exec(t.Context(), "update alert_notices set sent_at = sent_at + interval '1 second' where channel = 'sms'"); err != nil {
				t.Fatal(err)
			}
			if got := d.texts(tomPhone, body); got != want.answer {
				t.Errorf("answer %q\nwant %q", got, want.answer)
			}
			status := alerts.Notified
			if want.by != "" {
				status = alerts.Acknowledged
			}
			d.stands(a, status, want.by, want.events, want.notices)
			if len(d.failed) != want.failed {
				t.Errorf("the ladder goes on with %+v", d.failed)
			}
		})
	}
}

// Twilio may deliver a text message twice: it answers what it was taken for, and nothing else.
func TestTextThatIsDeliveredTwice(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct{ again, second string }{
		"yes":        {"Tom is taking care of it already: Ben Example: fire (en). Thank you.", "raised acknowledged"},
		"9":          {"", "raised declined"},
		"what fire?": {"", "raised replied"},
		"STOP":       {"", "raised declined"},
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			low, _ := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.SMS, tomPhone)
			high, _ := d.told(d.person("Ben", "+14165550172"), alerts.Now, "fire", alerts.SMS, tomPhone)
			sid := []string{"MessageSid", "SM" + uuid.NewString()}
			first := d.texts(tomPhone, body, sid...)
			if first == "" || first == want.again {
				t.Errorf("answered %q", first)
			}
			if again := d.texts(tomPhone, body, sid...); again != want.again {
				t.Errorf("again %q; want %q", again, want.again)
			}
			if got := d.alert(low); len(got.Events) != 1 || got.Notices[0].Status != alerts.Sent {
				t.Errorf("the other alert: %+v", got)
			}
			var events []string
			for _, e := range d.alert(high).Events {
				events = append(events, e.Kind)
			}
			if got := strings.Join(events, " "); got != want.second {
				t.Errorf("events %s; want %s", got, want.second)
			}
		})
	}
}

func TestTextThatIsDeliveredTwiceAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	low, _ := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.SMS, tomPhone)
	high, _ := d.told(d.person("Ben", "+14165550172"), alerts.Now, "fire", alerts.SMS, tomPhone)
	var each sync.WaitGroup
	for range 6 {
		each.Go(func() {
			if w := d.hook("/twilio/sms", "MessageSid", "SM1", "From", tomPhone, "To", houseNumber, "Body", "yes"); w.Code != http.StatusOK {
				t.Errorf("answered %d %s", w.Code, w.Body)
			}
		})
	}
	each.Wait()
	d.stands(high, alerts.Acknowledged, "Tom", "raised acknowledged", "sms acknowledged")
	d.stands(low, alerts.Notified, "", "raised", "sms sent")
}

// A stop that is delivered again after a start does not undo that.
func TestStopThatIsDeliveredLate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, _ := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.SMS, tomPhone)
	if _, err := d.st.AcknowledgeAlert(t.Context(), a.ID, alerts.Answer{By: "Ruth"}); err != nil {
		t.Fatal(err)
	}
	stop := []string{"MessageSid", "SM" + uuid.NewString()}
	d.texts(tomPhone, "STOP", stop...)
	d.texts(tomPhone, "START")
	d.texts(tomPhone, "STOP", stop...)
	if stopped, err := d.st.TextsStopped(t.Context(), tomPhone); err != nil || stopped {
		t.Errorf("stopped %t, %v", stopped, err)
	}
}

// A status that comes late takes nothing back of what a later one has told.
func TestLateStatusOfACall(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, sent := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.Call, tomPhone)
	sid := d.alert(a).Notices[0].ProviderID
	if sid == nil {
		t.Fatal("no name")
	}
	for _, status := range []string{"completed", "in-progress", "ringing", "initiated", "completed"} {
		d.hook("/twilio/notice/status?notice="+sent[0].ID.String(), "CallSid", *sid, "CallStatus", status)
		d.stands(a, alerts.Notified, "", "raised", "call sent answered, and no key was pressed")
	}
}

// What Twilio tells late does not undo that somebody has said they cannot help.
func TestLateCallbackDoesNotUndoADecline(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, sent := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.SMS, tomPhone)
	d.texts(tomPhone, "9")
	for _, status := range []string{"sent", "delivered", "undelivered"} {
		d.hook("/twilio/sms/status?notice="+sent[0].ID.String(), "MessageSid", fmt.Sprintf("SM%032x", 1), "MessageStatus", status)
		d.stands(a, alerts.Notified, "", "raised declined", "sms failed cannot help now")
	}
}

func TestReplyIsTakenForTheAlertOfItsNumber(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada, ben := d.person("Ada", "+14165550170"), d.person("Ben", "+14165550172")
	low, _ := d.told(ada, alerts.SameDay, "scam", alerts.SMS, tomPhone)
	high, sent := d.told(ben, alerts.Now, "fire", alerts.SMS, tomPhone)
	others, _ := d.told(ada, alerts.Now, "gas", alerts.SMS, "+14165550173")
	if got := d.texts(tomPhone, "yes"); !strings.Contains(got, "Ben Example: fire") || !strings.HasSuffix(got, "There is more: Ada Example: scam (en). Reply YES for that, too.") {
		t.Errorf("first: %s", got)
	}
	if l, err := d.st.AlertLink(t.Context(), path.Base(sent[0].Link)); err != nil || l.UsedAt == nil {
		t.Errorf("the link of who takes care of it shows nothing: %+v, %v", l, err)
	}
	if got := d.texts(tomPhone, "yes"); !strings.Contains(got, "Ada Example: scam") || strings.Contains(got, "more") {
		t.Errorf("second: %s", got)
	}
	if got := d.texts(tomPhone, "yes"); !strings.HasPrefix(got, "Tom is taking care of it already: ") {
		t.Errorf("third: %s", got)
	}
	for _, a := range []alerts.Alert{low, high} {
		if got := d.alert(a); got.AcknowledgedBy != "Tom" {
			t.Errorf("%s is seen to by %q", a.Kind, got.AcknowledgedBy)
		}
	}
	if got := d.alert(others); got.Status != alerts.Notified {
		t.Errorf("an alert that Tom was not told of is %s", got.Status)
	}
}

// Who cannot help one person may help another.
// A contact who was removed since, or barred from such alerts, takes care of nothing by a reply
// and learns nothing of it; what else they may see to, they still do, and a stop is one.
func TestReplyOfWhoMayNotBeToldAnyMore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada, ben := d.person("Ada", "+14165550170"), d.person("Ben", "+14165550172")
	a, _ := d.told(ada, alerts.Now, "fire", alerts.SMS, tomPhone)
	barred := map[string]bool{"fire": true}
	d.dep.MayBeTold = func(_ context.Context, got alerts.Alert, channel, address string) (bool, error) {
		return !barred[got.Kind] || channel != alerts.SMS || address != tomPhone, nil
	}
	for _, body := range []string{"yes", "9", "What is it?"} {
		if got := d.texts(tomPhone, body); got != noticeWords("en").Text.Gone {
			t.Errorf("%q is answered %q", body, got)
		}
	}
	d.stands(a, alerts.Notified, "", "raised", "sms sent")
	barred = map[string]bool{"scam": true}
	d.told(ben, alerts.SameDay, "scam", alerts.SMS, tomPhone)
	if got := d.texts(tomPhone, "yes"); !strings.Contains(got, "Ada Example: fire") || strings.Contains(got, "Ben") || d.alert(a).AcknowledgedBy != "Tom" {
		t.Errorf("what they may see to is answered %q", got)
	}
	barred["fire"] = true
	if got := d.texts(tomPhone, "STOP"); got != noticeWords("en").Text.Stopped {
		t.Errorf("a stop is answered %q", got)
	}
}

func TestReplyAfterADeclineIsForTheOtherAlert(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{"yes", "9"} {
		t.Run(reply, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			high, _ := d.told(d.person("Ben", "+14165550172"), alerts.Now, "fire", alerts.SMS, tomPhone)
			d.step(high, alerts.SMS, tomPhone)
			low, _ := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.SMS, tomPhone)
			d.texts(tomPhone, "9")
			d.texts(tomPhone, reply)
			d.stands(high, alerts.Notified, "", "raised declined", "sms failed cannot help now; sms sent")
			if reply == "9" {
				d.stands(low, alerts.Notified, "", "raised declined", "sms failed cannot help now")
				return
			}
			d.stands(low, alerts.Acknowledged, "Tom", "raised acknowledged", "sms acknowledged")
			d.texts(tomPhone, "yes") // they can, after all
			if got := d.alert(high); got.AcknowledgedBy != "Tom" {
				t.Errorf("what was declined is seen to by %q", got.AcknowledgedBy)
			}
		})
	}
}

func TestStrangersLearnNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.person("Ada", "+14165550170")
	a, _ := d.told(ada, alerts.Urgent, "fall", alerts.SMS, tomPhone)
	neutral := noticeWords("en").Text.Neutral
	for i, body := range []string{"yes", "who is Ada?", "STOP", "hello"} {
		want := neutral
		if i == chatterBurst {
			want = "" // two machines could go on for ever
		}
		if got := d.texts("+14165550199", body); got != want {
			t.Errorf("%q is answered %q", body, got)
		}
	}
	if got := d.texts(ada.Phone, "yes"); got != neutral {
		t.Errorf("whom it is about is answered %q", got)
	}
	for _, from := range []string{"77777", "ACME", ""} {
		if got := d.texts(from, "yes"); got != "" {
			t.Errorf("%q is answered %q", from, got)
		}
	}
	d.stands(a, alerts.Notified, "", "raised", "sms sent")
	if stopped, err := d.st.TextsStopped(t.Context(), "+14165550199"); err != nil || stopped {
		t.Errorf("a stranger's number is kept: %t, %v", stopped, err)
	}
}

func TestStopByText(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.person("Ada", "+14165550170")
	_, sent := d.told(ada, alerts.Urgent, "fall", alerts.SMS, tomPhone)
	d.texts(tomPhone, "Please stop texting me!")
	if _, err := d.TextNotice(t.Context(), sent[0]); !errors.Is(err, ErrNoticeRefused) {
		t.Errorf("after a stop: %v", err)
	}
	if len(d.failed) != 1 {
		t.Errorf("the ladder goes on with %+v", d.failed)
	}
	if got := d.texts(tomPhone, "START"); got != noticeWords("en").Text.Started {
		t.Errorf("start is answered %q", got)
	}
	if _, err := d.TextNotice(t.Context(), sent[0]); err != nil {
		t.Errorf("after a start: %v", err)
	}
	// Where Twilio answers by itself, nothing is added.
	if got := d.texts(tomPhone, "arret", "OptOutType", "STOP"); got != "" {
		t.Errorf("answered twice: %q", got)
	}
	if stopped, err := d.st.TextsStopped(t.Context(), tomPhone); err != nil || !stopped {
		t.Errorf("stopped %t, %v", stopped, err)
	}
	// Whom nAIber rings is not rung any more.
	if got := d.texts(ada.Phone, "BAJA"); got != noticeWords("en").Text.OptedOut {
		t.Errorf("an elder's stop is answered %q", got)
	}
	p, err := d.st.Person(t.Context(), ada.ID)
	if err != nil || p.OptedOutAt == nil || p.OptedOutHow != "sms" {
		t.Errorf("%+v, %v", p.OptedOutAt, err)
	}
	d.texts(ada.Phone, "START")
	if p, err = d.st.Person(t.Context(), ada.ID); err != nil || p.OptedOutAt == nil {
		t.Errorf("a text message took an opt-out back: %v", err)
	}
}

func TestReadText(t *testing.T) {
	t.Parallel()
	for want, bodies := range map[meaning][]string{
		meansYes:     {"YES", "yes.", " Ok ", "1", "SÍ", "si", "JA", "Yes, I'm on it!", "ja, ich kümmere mich", "Vale gracias", "ok thank you"},
		meansNo:      {"9", "no", "Nein", "can't"},
		meansStop:    {"STOP", "stop.", "Stop all", "BAJA", "unsubscribe", "please stop", "Stop texting me", "Stopp"},
		meansStart:   {"START", "alta", "unstop"},
		meansNothing: {"", "yes but I can't", "yes no", "I'll stop by her house", "stop by", "19", "who?", "not now", "ok, who is that?", "👍", "si puedo", "no puedo"},
	} {
		for _, body := range bodies {
			if got := readText(body); got != want {
				t.Errorf("%q means %d, want %d", body, got, want)
			}
		}
	}
}

// FuzzText: whatever comes in is answered with a document of one message, and only a word
// for yes acknowledges.
func FuzzText(f *testing.F) {
	for _, body := range []string{"YES", "Sí", "stop", "9", "</Message><Dial>+1</Dial>", "\u202e yes", "1️⃣", strings.Repeat("yes ", 400)} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		wants := readText(body)
		if wants == meansYes && !strings.ContainsAny(strings.ToLower(plainLetters(body)), "yo1svj") {
			t.Errorf("%q is a yes", body)
		}
		var doc struct {
			Message []struct {
				Text string `xml:",chardata"`
				Any  []any  `xml:",any"`
			} `xml:"Message"`
		}
		if err := xml.Unmarshal([]byte(twilio.Reply(texted(body))), &doc); err != nil || len(doc.Message) > 1 || len(doc.Message) == 1 && len(doc.Message[0].Any) > 0 {
			t.Errorf("%q: %+v, %v", body, doc, err)
		}
		if texted(body) != body && segments(texted(body)) >= segments(body) {
			t.Errorf("%q is changed for nothing", body)
		}
	})
}

func TestNoticeBodyFitsTwoSegments(t *testing.T) {
	t.Parallel()
	link := "https://naiber.example.org/a/" + strings.Repeat("X", 26)
	for language, text := range map[string]string{
		"en": "Margaret Ashdown-Featherstone: sudden silence after a cry for help (2026-03-03 12:00 UTC).",
		"es": "María José Gutiérrez: una caída, y no puede levantarse (2026-03-03 12:00 CET).",
		"de": "Jürgen Großkreuz: ein Sturz, und er kommt nicht mehr hoch (2026-03-03 12:00 CET).",
	} {
		body := noticeBody(Notice{Language: language, Text: text, Link: link})
		if segments(body) > textSegments || !strings.Contains(body, link) || !strings.Contains(plainLetters(body), plainLetters(noticeWords(language).Text.Reply)) {
			t.Errorf("%d segments: %s", segments(body), body)
		}
	}
	if got := texted("Łukasz Żółć: caída"); got != "Łukasz Żółć: caída" {
		t.Errorf("a name is maimed for nothing: %q", got)
	}
	for n, text := range map[int]string{1: strings.Repeat("€", 80), 2: strings.Repeat("a", 161), 3: strings.Repeat("í", 135)} {
		if got := segments(text); got != n {
			t.Errorf("%d segments, want %d", got, n)
		}
	}
}

func TestEveryLanguageHasNoticeWords(t *testing.T) {
	t.Parallel()
	en := fmt.Sprintf("%+v", noticeTexts["en"])
	for language, w := range noticeTexts {
		for _, part := range []any{w.Text, w.Call} {
			if text := fmt.Sprintf("%q", part); strings.Contains(text, `""`) {
				t.Errorf("%s lacks words: %s", language, text)
			}
		}
		if got := fmt.Sprintf("%+v", w); strings.Count(got, "{") != strings.Count(en, "{") {
			t.Errorf("%s names other things than English", language)
		}
	}
}

func TestNoticeNumber(t *testing.T) {
	t.Parallel()
	for _, phone := range []string{"112", "911", "999", "000", "+112", "+911", "+1911", "+44999", "+49110", "+61000", "+1246911", "+353112", "123456", "", "anonymous", "+1"} {
		if got, err := noticeNumber(phone); !errors.Is(err, ErrNoticeRefused) {
			t.Errorf("%q may be rung as %q", phone, got)
		}
	}
	for _, phone := range []string{tomPhone, "+15550100123", "+34 600 123 456", "+491711234567", "+354 5551234"} {
		if _, err := noticeNumber(phone); err != nil {
			t.Errorf("%q: %v", phone, err)
		}
	}
}

func TestNoticeRoutesAreSigned(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, sent := d.told(d.person("Ada", "+14165550170"), alerts.Urgent, "fall", alerts.SMS, tomPhone)
	form := url.Values{"From": {tomPhone}, "Body": {"yes"}, "MessageSid": {"SM1"}, "MessageStatus": {"failed"}, "CallSid": {"CA1"}, "Digits": {"1"}, "AnsweredBy": {"machine_end_beep"}}
	token := strings.TrimPrefix(sent[0].Link, houseURL+"/a/")
	for _, target := range []string{"/twilio/sms", "/twilio/sms/status?notice=" + sent[0].ID.String(), "/twilio/notice?token=" + token, "/twilio/notice/status?notice=" + sent[0].ID.String(), "/twilio/notice/amd?token=" + token} {
		for _, signature := range []string{"", twilio.Sign("54321", houseURL+target, form), twilio.Sign(houseToken, houseURL+target+"x", form)} {
			if w := d.deliver(target, form, signature); w.Code != http.StatusForbidden {
				t.Errorf("%s: %d", target, w.Code)
			}
		}
	}
	d.stands(a, alerts.Notified, "", "raised", "sms sent")
}

// presses answers a call about an alert with a key, as Twilio would.
func (d *desk) presses(n Notice, digit string) string {
	d.t.Helper()
	fields := []string{"CallSid", fmt.Sprintf("CA%032x", 1), "CallStatus", "in-progress"}
	if digit != "" {
		fields = append(fields, "Digits", digit)
	}
	w := d.hook("/twilio/notice?token="+strings.TrimPrefix(n.Link, houseURL+"/a/"), fields...)
	if w.Code != http.StatusOK {
		d.t.Fatalf("key %q is answered %d", digit, w.Code)
	}
	return w.Body.String()
}

func TestCallNotice(t *testing.T) {
	t.Parallel()
	const sid = "CA00000000000000000000000000000001"
	call := func(t *testing.T) (*desk, alerts.Alert, Notice) {
		t.Helper()
		d := newDesk(t)
		a, sent := d.told(d.person("Ada", "+14165550170"), alerts.Now, "fire", alerts.Call, tomPhone)
		return d, a, sent[0]
	}
	hello := "I am calling because of Ada Example, and"
	t.Run("placed", func(t *testing.T) {
		t.Parallel()
		d, _, n := call(t)
		form := d.carrier.calls[0].form
		token := strings.TrimPrefix(n.Link, houseURL+"/a/")
		for name, want := range map[string]string{
			"To": tomPhone, "From": houseNumber, "Url": houseURL + "/twilio/notice?token=" + token + "#" + reconnectTuning, "Method": "POST", "TimeLimit": "240",
			"StatusCallback":         houseURL + "/twilio/notice/status?notice=" + n.ID.String() + "#" + eventTuning,
			"AsyncAmdStatusCallback": houseURL + "/twilio/notice/amd?token=" + token + "#" + eventTuning, "Twiml": "",
		} {
			if form.Get(name) != want {
				t.Errorf("%s = %q, want %q", name, form.Get(name), want)
			}
		}
		if live, err := d.st.LiveCalls(t.Context()); err != nil || len(live) != 0 {
			t.Errorf("it is a call of a person's: %v, %v", live, err)
		}
	})
	t.Run("1", func(t *testing.T) {
		t.Parallel()
		d, a, n := call(t)
		for _, digit := range []string{"", "2", "5"} {
			if got := d.presses(n, digit); strings.Count(got, hello) != 2 || strings.Count(got, "<Gather") != 2 || strings.Contains(got, "fire") || strings.Contains(got, "5550170") {
				t.Errorf("key %q: %s", digit, got)
			}
		}
		for _, digit := range []string{"1", "1", "2"} { // Twilio asks twice where it got no answer
			got := d.presses(n, digit)
			for _, want := range []string{"You are taking care of it. Ada Example: fire (en). That was at ", "+ 1 4 1 6 5 5 5 0 1 7 0", "nAIber has not called the emergency services, and cannot."} {
				if !strings.Contains(got, want) {
					t.Errorf("key %s: %q is missing in %s", digit, want, got)
				}
			}
		}
		d.hook("/twilio/notice/status?notice="+n.ID.String(), "CallSid", sid, "CallStatus", "completed")
		d.stands(a, alerts.Acknowledged, "Tom", "raised acknowledged", "call acknowledged")
	})
	t.Run("9", func(t *testing.T) {
		t.Parallel()
		d, a, n := call(t)
		if got := d.presses(n, "9"); !strings.Contains(got, "somebody else") || !strings.Contains(got, "<Hangup>") {
			t.Error(got)
		}
		d.hook("/twilio/notice/status?notice="+n.ID.String(), "CallSid", sid, "CallStatus", "completed")
		d.stands(a, alerts.Notified, "", "raised declined", "call failed cannot help now")
		if len(d.failed) != 1 {
			t.Errorf("the ladder goes on with %+v", d.failed)
		}
	})
	for status, want := range map[string]string{
		"completed": "call sent answered, and no key was pressed", "busy": "call failed busy", "no-answer": "call failed no answer",
		"failed": "call failed the number cannot be reached", "ringing": "call sent",
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			d, a, n := call(t)
			for range 2 {
				d.hook("/twilio/notice/status?notice="+n.ID.String(), "CallSid", sid, "CallStatus", status)
			}
			d.stands(a, alerts.Notified, "", "raised", want)
			if (len(d.failed) > 0) != strings.Contains(want, "failed") {
				t.Errorf("the ladder goes on with %+v", d.failed)
			}
		})
	}
	t.Run("not to be told any more", func(t *testing.T) {
		t.Parallel()
		d, a, n := call(t)
		may := true
		d.dep.MayBeTold = func(_ context.Context, got alerts.Alert, channel, address string) (bool, error) {
			return may && got.ID == a.ID && channel == alerts.Call && address == tomPhone, nil
		}
		if got := d.presses(n, ""); !strings.Contains(got, hello) {
			t.Errorf("may be told, and hears %s", got)
		}
		may = false
		for _, digit := range []string{"", "1", "9"} {
			if got := d.presses(n, digit); strings.Contains(got, "Ada") || strings.Contains(got, "fire") || !strings.Contains(got, "<Hangup>") {
				t.Errorf("key %q: %s", digit, got)
			}
		}
		d.stands(a, alerts.Notified, "", "raised", "call sent")
	})
	t.Run("closed", func(t *testing.T) {
		t.Parallel()
		d, a, n := call(t)
		d.presses(n, "1")
		if _, err := d.st.CloseAlert(t.Context(), a.ID, alerts.Answer{By: "Tom", How: "api"}, "She is fine."); err != nil {
			t.Fatal(err)
		}
		if got := d.presses(n, "2"); strings.Contains(got, "Ada") || strings.Contains(got, "fire") || !strings.Contains(got, "<Hangup>") {
			t.Errorf("of a closed alert is heard %s", got)
		}
	})
	t.Run("machine", func(t *testing.T) {
		t.Parallel()
		d, a, n := call(t)
		amd := "/twilio/notice/amd?token=" + strings.TrimPrefix(n.Link, houseURL+"/a/")
		d.hook(amd, "CallSid", sid, "AnsweredBy", "human")
		if got := d.carrier.asked(); len(got) != 0 {
			t.Errorf("a human being is redirected: %v", got)
		}
		d.hook(amd, "CallSid", sid, "AnsweredBy", "machine_end_beep")
		if got := d.carrier.asked(); len(got) != 1 || !strings.Contains(got[0], "I have called with a message for you") || strings.Contains(got[0], "Ada") {
			t.Errorf("left %v", got)
		}
		d.stands(a, alerts.Notified, "", "raised", "call failed a machine answered")
		d.presses(n, "1") // it was a human being
		d.stands(a, alerts.Acknowledged, "Tom", "raised acknowledged", "call acknowledged a machine answered")
		d.hook(amd, "CallSid", sid, "AnsweredBy", "fax")
		if got := d.carrier.asked(); len(got) != 1 {
			t.Errorf("who takes care of it is hung up on: %v", got)
		}
	})
	t.Run("taken", func(t *testing.T) {
		t.Parallel()
		d, a, n := call(t)
		if _, err := d.st.AcknowledgeAlert(t.Context(), a.ID, alerts.Answer{By: "Eve"}); err != nil {
			t.Fatal(err)
		}
		for _, digit := range []string{"", "1", "9"} {
			if got := d.presses(n, digit); !strings.Contains(got, "Eve is taking care of it already.") || strings.Contains(got, "fire") {
				t.Errorf("key %q: %s", digit, got)
			}
		}
		d.stands(a, alerts.Acknowledged, "Eve", "raised acknowledged", "call sent")
	})
	t.Run("over", func(t *testing.T) {
		t.Parallel()
		d, a, n := call(t)
		d.cfg.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
		if got := d.presses(n, "1"); !strings.Contains(got, "nothing to be done") {
			t.Errorf("an old token: %s", got)
		}
		if got := d.presses(Notice{Link: houseURL + "/a/NONE"}, "1"); !strings.Contains(got, "nothing to be done") {
			t.Errorf("no token: %s", got)
		}
		d.stands(a, alerts.Notified, "", "raised", "call sent")
	})
}
