package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
)

// timeline writes events as the server does, a second apart.
func timeline(events ...string) string {
	var out strings.Builder
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for i, e := range events {
		kind, data, _ := strings.Cut(e, " ")
		if data == "" {
			data = "{}"
		}
		body := fmt.Sprintf(`{"id":%d,"kind":%q,"at":%q,"data":%s}`, i+1, kind, at.Add(time.Duration(i)*time.Second).Format(time.RFC3339), data)
		fmt.Fprintf(&out, "id: %d\nevent: %s\ndata: %s\n\n", i+1, kind, body)
	}
	return out.String()
}

var wholeCall = []string{
	`queued`, `dialled {"callSid":"CA1"}`, `answered`, `first_word {"ms":420}`, `heard {"role":"assistant","text":"Hello, Ada!"}`,
	`heard {"role":"user","text":"Hello!"}`, `turn {"place":1,"outcome":"spoken","ttftMs":12.6}`,
	`ended {"outcome":"reached","cause":"hung_up","by":"person"}`, `post_call_scheduled`, `post_call_started {"attempt":1}`,
	`post_call_failed {"error":"model is down","final":false}`, `summary {"text":"Ada is well."}`, `topics {"topics":["whist"]}`, `post_call_done {"ms":30}`, `never`,
}

const wholeCallPrinted = `calling Ada King (call c1)
    1.0s  dialled
    2.0s  answered
    3.0s  first word after 420 ms
    4.0s  nAIber: Hello, Ada!
    5.0s  Ada King: Hello!
    6.0s  turn 1 spoken, first token after 13 ms
    7.0s  ended: reached (hung up, by person)
    8.0s  post call scheduled
    9.0s  post call started
   10.0s  post-call work failed: model is down
   11.0s  summary: Ada is well.
   12.0s  topics: whist
   13.0s  post call done
`

func TestCallIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	var asked map[string]string
	p := &program{remote: server(t, map[string]http.HandlerFunc{
		"GET /api/v1/people": says(http.StatusOK, `{"items":[{"id":"p1","name":"Ada King"}]}`),
		"POST /call": func(w http.ResponseWriter, r *http.Request) {
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
				t.Error(err)
			}
			says(http.StatusAccepted, `{"callId":"c1"}`)(w, r)
		},
		"GET /api/v1/calls/c1/events": says(http.StatusOK, ": alive\n\n"+timeline(wholeCall...)),
	})}
	if out := p.must(t, "call", "ada", "--type", "health_check", "--reason", "birthday"); out != wholeCallPrinted {
		t.Errorf("printed\n%s\nwant\n%s", out, wholeCallPrinted)
	}
	if asked["userId"] != "p1" || asked["callType"] != "health_check" || asked["reason"] != "birthday" {
		t.Errorf("asked for %v", asked)
	}
	if out := p.must(t, "call", "ada", "--follow=false"); out != "calling Ada King (call c1)\n" {
		t.Errorf("printed %q", out)
	}
}

func TestRefusedCallSaysWhy(t *testing.T) {
	t.Parallel()
	p := &program{remote: server(t, map[string]http.HandlerFunc{
		"GET /api/v1/people": says(http.StatusOK, `{"items":[{"id":"p1","name":"Ada King"}]}`),
		"POST /call":         says(http.StatusConflict, `{"detail":"Ada is on another call with nAIber.","rule":"live_call"}`),
	})}
	p.refused(t, "Ada is on another call with nAIber. (rule: live_call)", "call", "ada")
}

func TestBrokenTimelines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"the server stops", says(http.StatusOK, timeline("dialled")), "nAIber has stopped"},
		{"no such call", says(http.StatusNotFound, `{"detail":"No such call."}`), "No such call."},
		{"no JSON", says(http.StatusOK, "data: hello\n\n"), "read event"},
		{"a line without an end", says(http.StatusOK, "data: "+strings.Repeat("a", 2<<20)), "nAIber has stopped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := server(t, map[string]http.HandlerFunc{"GET /api/v1/calls/c1/events": tt.h})
			if _, err := follow(t.Context(), r); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want %s", err, tt.want)
			}
		})
	}
}

func follow(ctx context.Context, r *Remote) (string, error) {
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	cmd.SetContext(ctx)
	err := followCall(cmd, r, "Ada", "c1")
	return out.String(), err
}

// open is a server whose stream stays open after the text, in memory, so that
// time can be a value.
type open string

func (text open) RoundTrip(r *http.Request) (*http.Response, error) {
	rd, wr := io.Pipe()
	go func() {
		_, _ = io.WriteString(wr, string(text))
		<-r.Context().Done()
		_ = wr.CloseWithError(r.Context().Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: rd, Request: r}, nil
}

func TestFollowingIsPatientButNotForEver(t *testing.T) {
	t.Parallel()
	const ended = `ended {"outcome":"no_answer","cause":"no_answer","by":"twilio"}`
	for _, tt := range []struct {
		name   string
		events []string
		ctrlC  time.Duration
		took   time.Duration
		last   string
	}{
		{"nothing follows", []string{"dialled", ended}, 0, moment, "ended: no_answer (no answer, by twilio)"},
		{"the work waits", []string{ended, "post_call_scheduled"}, 0, afterCall, "The work after the call is still waiting; see `naiber jobs list`."},
		{"the work gives up", []string{ended, "post_call_scheduled", `post_call_failed {"error":"x","final":true}`}, 0, 0, "post-call work failed: x"},
		{"ctrl-c in the call", []string{"dialled"}, time.Hour, time.Hour, "No longer following; the call goes on."},
		{"ctrl-c after it", []string{ended, "post_call_scheduled"}, time.Minute, time.Minute, "No longer following; the work after the call goes on."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.ctrlC > 0 {
					time.AfterFunc(tt.ctrlC, cancel)
				}
				began := time.Now()
				out, err := follow(ctx, &Remote{URL: "http://naiber.test", HTTP: &http.Client{Transport: open(timeline(tt.events...))}})
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
				if !strings.HasSuffix(out, tt.last+"\n") {
					t.Errorf("printed %q, want %q at the end", out, tt.last)
				}
				cancel()
				synctest.Wait()
			})
		})
	}
}
