package cli

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

const discussionID = "0190c3f0-0000-7000-8000-000000000001"

// discussionEvents are a discussion of one round, in which a chunk went astray.
var discussionEvents = []string{
	`"type":"discussion-start","question":"How does she sleep?"`, `"type":"round-start","round":1`,
	`"type":"message-start","round":1,"turn":1,"persona":"analyzer"`,
	`"type":"message-chunk","turn":1,"index":0,"text":"Sleep is "`, `"type":"message-chunk","turn":1,"index":1,"text":"worse [A1]."`,
	`"type":"message-complete","turn":1,"persona":"analyzer","content":"Sleep is worse [A1].","chunks":2`,
	`"type":"message-start","round":1,"turn":2,"persona":"solver"`, `"type":"message-chunk","turn":2,"index":0,"text":"Ask her"`,
	`"type":"message-complete","turn":2,"persona":"solver","content":"Ask her why.\u001b[2J","chunks":1`,
	`"type":"message-start","round":1,"turn":3,"persona":"moderator"`, `"type":"message-chunk","turn":3,"index":0,"text":"Agree."`,
	`"type":"message-complete","turn":3,"persona":"moderator","content":"Agreed.","chunks":1,"unsupported":["All is well."]`,
	`"type":"round-complete","round":1,"turns":[1,2,3]`,
	`"type":"discussion-complete","agreed":["Sleep is worse."],"open":["Why."],"actions":[{"id":"a","kind":"health_question","text":"Ask why.","status":"proposed"}],"question":"Is there noise?"`,
}

const discussionPrinted = `The question: How does she sleep?

Round 1
Analyzer: Sleep is worse [A1].
Solver: Ask her why.[2J
Moderator: Agree.
Corrected: Agreed.
  rests on nothing in the record: All is well.

Agreed
  Sleep is worse.

Open
  Why.

Proposed, for somebody to confirm
  health_question proposed  Ask why.

The council asks the carers: Is there noise?
`

// withCouncil serves a discussion whose stream breaks off after each few events.
func withCouncil(t *testing.T, status string, events []string, each int) *program {
	t.Helper()
	shown := fmt.Sprintf(`{"id":%q,"userId":"p1","status":%q,"question":"How does she sleep?","lastSeq":%d,"startedAt":"2026-03-02T12:00:00Z",
		"rounds":[{"round":1,"state":"COMPLETE","messages":[{"turn":1,"persona":"analyzer","content":"Sleep is worse [A1, A9].","status":"complete",
		"citations":[{"label":"A1","kind":"answer","text":"Sleep: 3","resolves":true},{"label":"A9","resolves":false}]}]}],
		"agreed":["Sleep is worse [A1, C9:4]."],"open":[],"actions":[],"citations":[{"label":"A1","kind":"answer","text":"Sleep: 3","resolves":true},{"label":"C9:4","resolves":false}]}`, discussionID, status, len(events))
	return &program{remote: server(t, map[string]http.HandlerFunc{
		"GET /api/v1/people":           says(http.StatusOK, `{"items":[{"id":"p1","name":"Ada King"}]}`),
		"POST /api/v1/discussions":     says(http.StatusAccepted, `{"discussionId":"`+discussionID+`","status":"running"}`),
		"GET /api/v1/discussions":      says(http.StatusOK, `{"items":[]}`),
		"GET /api/v1/discussions/{id}": says(http.StatusOK, shown),
		"POST /api/v1/discussions/{id}/stop": func(w http.ResponseWriter, r *http.Request) {
			if b, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(b), fmt.Sprintf(`"by":%q`, whoami())) {
				t.Errorf("stopped by %s, %v", b, err)
			}
			w.WriteHeader(http.StatusNoContent)
		},
		"GET /api/v1/discussions/{id}/stream": func(w http.ResponseWriter, r *http.Request) {
			conn, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			defer func() { _ = conn.CloseNow() }()
			var after int
			_, _ = fmt.Sscan(r.URL.Query().Get("after"), &after)
			for i, e := range events[after:] {
				if i == each {
					return
				}
				if conn.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{%s,"seq":%d,"discussionId":%q}`, e, after+i+1, discussionID)) != nil {
					return
				}
			}
			<-conn.CloseRead(r.Context()).Done()
		},
	})}
}

func TestDiscussionIsWatchedToItsEnd(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"running", "complete"} {
		p := withCouncil(t, status, discussionEvents, 5)
		if out := p.must(t, "council", "watch", discussionID); out != discussionPrinted {
			t.Errorf("%s: printed\n%s\nwant\n%s", status, out, discussionPrinted)
		}
		if out := p.must(t, "council", "start", "ada", "--rounds", "1", "--watch"); out != discussionID+"\n"+discussionPrinted {
			t.Errorf("printed\n%s", out)
		}
		if out := p.must(t, "council", "start", "ada"); out != discussionID+"\n" { // this is no terminal
			t.Errorf("printed\n%s", out)
		}
	}
	p := withCouncil(t, "running", append(discussionEvents[:len(discussionEvents)-1:len(discussionEvents)-1], `"type":"error","message":"The round could not be finished.","retry":true`), 100)
	if out := p.must(t, "council", "watch", discussionID); !strings.HasSuffix(out, "\nThe round could not be finished.\n") {
		t.Errorf("printed\n%s", out)
	}
}

func TestDiscussionIsShownAndStopped(t *testing.T) {
	t.Parallel()
	p := withCouncil(t, "complete", discussionEvents, 5)
	const want = "The question: How does she sleep?\n\nRound 1\nAnalyzer: Sleep is worse [A1, A9].\n  [A1] Sleep: 3\n  [A9] is nothing in the record\n\nAgreed\n  Sleep is worse [A1, C9:4].\n  [C9:4] is nothing in the record\n\ncomplete\n"
	if out := p.must(t, "council", "show", discussionID); out != want {
		t.Errorf("printed\n%s", out)
	}
	if out := p.must(t, "council", "show", discussionID, "--json"); !strings.Contains(out, `"resolves": false`) {
		t.Errorf("printed\n%s", out)
	}
	if out := p.must(t, "council", "list", "--person", "ada"); !strings.HasPrefix(out, "ID") {
		t.Errorf("printed\n%s", out)
	}
	if out := p.must(t, "council", "stop", discussionID); out != "stopped "+discussionID+"\n" {
		t.Errorf("printed\n%s", out)
	}
	p.refused(t, "--rounds is a number from 1 to 5", "council", "start", "ada", "--rounds", "6")
}

// A stream that has a gap, or of a discussion that is none, is no discussion.
func TestBrokenDiscussions(t *testing.T) {
	t.Parallel()
	for want, h := range map[string]http.HandlerFunc{
		"No such discussion.": says(http.StatusNotFound, `{"detail":"No such discussion."}`),
		"does not follow": func(w http.ResponseWriter, r *http.Request) {
			if conn, err := websocket.Accept(w, r, nil); err == nil {
				_ = conn.Write(r.Context(), websocket.MessageText, []byte(`{"type":"round-start","seq":2}`))
			}
		},
		"forgotten": func(w http.ResponseWriter, r *http.Request) {
			if conn, err := websocket.Accept(w, r, nil); err == nil {
				_ = conn.Close(4404, "forgotten")
			}
		},
	} {
		r := server(t, map[string]http.HandlerFunc{"GET /api/v1/discussions/d1/stream": h})
		if err := r.FollowDiscussion(t.Context(), "d1", func(discussionEvent) bool { return true }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want %s", err, want)
		}
	}
}
