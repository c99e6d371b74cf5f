package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store/discussions"
)

func councilCmd(p Program) *cobra.Command {
	return group("council", "The care council: three voices that discuss somebody, and what they propose",
		councilStart(p), councilList(p), councilShow(p), councilWatch(p), councilStop(p))
}

const discussionsPath = "/api/v1/discussions"

// discussed is a discussion in the form of the API.
type discussed struct {
	api.Discussion
	council.Shown
}

// asked returns a command function that calls do with a client for the API of the running server.
func asked(p Program, do func(ctx context.Context, cmd *cobra.Command, args []string, r *Remote) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		r, err := p.Remote(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), cmd, args, r)
	}
}

func councilStart(p Program) *cobra.Command {
	var question string
	var rounds int
	var watch bool
	cmd := &cobra.Command{
		Use: "start NAME|ID|PHONE", Short: "Have somebody discussed", Args: cobra.ExactArgs(1),
		Long:    "Asks the running server for a discussion and prints its id; at a terminal, follows it.\nWhat is proposed waits for somebody to confirm it.",
		Example: "  naiber council start margaret --question 'Does she sleep worse than in spring?' --watch",
	}
	cmd.RunE = asked(p, func(ctx context.Context, cmd *cobra.Command, args []string, r *Remote) error {
		if rounds < 1 || rounds > council.MaxRounds {
			return misuse("--rounds is a number from 1 to %d", council.MaxRounds)
		}
		id, _, err := r.FindPerson(ctx, args[0])
		if err != nil {
			return err
		}
		var d struct {
			ID string `json:"discussionId"`
		}
		if err := r.do(ctx, http.MethodPost, discussionsPath, map[string]any{"userId": id, "question": question, "rounds": rounds, "by": whoami()}, &d); err != nil {
			return err
		}
		cmd.Println(d.ID)
		if _, isTerminal := size(cmd.OutOrStdout()); watch || isTerminal && !cmd.Flags().Changed("watch") {
			return watchDiscussion(ctx, cmd, r, d.ID)
		}
		return nil
	})
	cmd.Flags().StringVar(&question, "question", "", "what you want to know (default: all that is on record is looked through)")
	cmd.Flags().IntVar(&rounds, "rounds", council.DefaultRounds, "at most so many")
	cmd.Flags().BoolVar(&watch, "watch", false, "follow the discussion (default: at a terminal)")
	return cmd
}

func councilList(p Program) *cobra.Command {
	var who, status string
	var limit int
	cmd := &cobra.Command{Use: "list", Short: "List discussions, newest first", Args: cobra.NoArgs}
	asJSON := jsonFlag(cmd)
	cmd.RunE = asked(p, func(ctx context.Context, cmd *cobra.Command, _ []string, r *Remote) error {
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		if status != "" {
			query.Set("status", status)
		}
		if who != "" {
			id, _, err := r.FindPerson(ctx, who)
			if err != nil {
				return err
			}
			query.Set("userId", id)
		}
		var page struct {
			Items []api.Discussion `json:"items"`
		}
		if err := r.do(ctx, http.MethodGet, discussionsPath+"?"+query.Encode(), nil, &page); err != nil {
			return err
		}
		names := map[string]string{}
		for _, d := range page.Items {
			if _, known := names[d.UserID]; known || *asJSON {
				continue
			}
			var err error
			if _, names[d.UserID], err = r.FindPerson(ctx, d.UserID); err != nil {
				return err
			}
		}
		return list(cmd, *asJSON, page.Items, []string{"ID", "PERSON", "STATUS", "STARTED", "QUESTION"}, page.Items, func(d api.Discussion) []string {
			return []string{d.ID, names[d.UserID], d.Status, clock(d.StartedAt), english.Shorten(english.OneLine(d.Question), 60)}
		})
	})
	cmd.Flags().StringVar(&who, "person", "", "only those about one person: NAME, ID or PHONE")
	cmd.Flags().StringVar(&status, "status", "", "only those that are running, waiting, complete, stopped or failed")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	return cmd
}

func councilShow(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Show a discussion, what it rests on and what it proposes", Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(cmd)
	cmd.RunE = asked(p, func(ctx context.Context, cmd *cobra.Command, args []string, r *Remote) error {
		var d discussed
		if err := r.do(ctx, http.MethodGet, discussionPath(args[0], ""), nil, &d); err != nil {
			return err
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), d)
		}
		w, shown := newWatcher(cmd.OutOrStdout()), map[string]bool{}
		cites := func(citations []council.Citation) {
			for _, c := range citations {
				if !shown[c.Label] {
					w.printf("  [%s] %s\n", c.Label, describeCitation(c))
				}
				shown[c.Label] = true
			}
		}
		w.show(discussionEvent{Type: council.EventStart, Data: council.Data{Question: d.Question}})
		for _, round := range d.Rounds {
			w.show(discussionEvent{Type: council.EventRound, Data: council.Data{Round: round.Round, Question: round.Question}})
			for _, m := range round.Messages {
				w.show(discussionEvent{Type: council.EventMessage, Data: council.Data{Turn: m.Turn, Persona: m.Persona}})
				w.show(discussionEvent{Type: council.EventSaid, Data: council.Data{Turn: m.Turn, Content: m.Content, Citations: m.Citations, Unbacked: m.Unsupported}})
				if m.Status != council.Whole {
					w.printf("(%s)\n", m.Status)
				}
				cites(m.Citations)
			}
		}
		w.conclusion(d.Agreed, d.Open, d.Actions)
		cites(d.Citations)
		w.printf("\n%s\n", d.Status)
		return nil
	})
	return cmd
}

func councilWatch(p Program) *cobra.Command {
	return &cobra.Command{
		Use: "watch ID", Short: "Follow a discussion from its beginning until it is over", Args: cobra.ExactArgs(1),
		RunE: asked(p, func(ctx context.Context, cmd *cobra.Command, args []string, r *Remote) error {
			return watchDiscussion(ctx, cmd, r, args[0])
		}),
	}
}

func councilStop(p Program) *cobra.Command {
	return &cobra.Command{
		Use: "stop ID", Short: "End a discussion; what was said stays", Args: cobra.ExactArgs(1),
		RunE: asked(p, func(ctx context.Context, cmd *cobra.Command, args []string, r *Remote) error {
			err := r.do(ctx, http.MethodPost, discussionPath(args[0], "/stop"), map[string]string{"by": whoami()}, nil)
			if err == nil {
				cmd.Println("stopped", args[0])
			}
			return err
		}),
	}
}

func discussionPath(id, below string) string {
	return discussionsPath + "/" + url.PathEscape(id) + below
}

// discussionEvent is one event of a discussion's stream.
type discussionEvent struct {
	Type string `json:"type"`
	Seq  int64  `json:"seq"`
	council.Data
}

// A stream that fails without an event is retried up to streamTries times, each time after
// streamPause times the number of failures.
const (
	streamTries = 10
	streamPause = 200 * time.Millisecond
)

// FollowDiscussion calls do with each event of a discussion, from the first, until do returns
// false. If the stream breaks off, it resumes after the last event.
func (r *Remote) FollowDiscussion(ctx context.Context, id string, do func(discussionEvent) bool) error {
	after, failed := int64(0), 0
	for {
		before := after
		again, err := r.stream(ctx, id, &after, do)
		if !again {
			return err
		}
		if failed++; after > before {
			failed = 1
		}
		if failed > streamTries {
			return fmt.Errorf("nAIber has stopped, or the line to it is broken; the discussion may go on (%w)", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(failed) * streamPause):
		}
	}
}

// stream calls do with the events of a discussion after the one numbered *after, which it
// advances. It reports whether the stream broke off in a way that another try may mend.
func (r *Remote) stream(ctx context.Context, id string, after *int64, do func(discussionEvent) bool) (again bool, err error) {
	conn, res, err := websocket.Dial(ctx, r.URL+discussionPath(id, "/stream")+"?after="+strconv.FormatInt(*after, 10), &websocket.DialOptions{ //nolint:bodyclose // of a handshake; answer closes another
		HTTPClient: r.HTTP, HTTPHeader: http.Header{"Authorization": {"Bearer " + r.Token}},
	})
	if err != nil {
		if ctx.Err() == nil && res != nil && res.StatusCode >= 400 && res.StatusCode < 500 {
			return false, answer(res)
		}
		return ctx.Err() == nil, err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	for {
		var e discussionEvent
		_, data, err := conn.Read(ctx)
		if err != nil {
			var closed websocket.CloseError
			if errors.As(err, &closed) && closed.Code == 4404 {
				return false, errors.New("the discussion was forgotten")
			}
			return ctx.Err() == nil, err
		}
		if err := json.Unmarshal(data, &e); err != nil || e.Seq != *after+1 {
			return false, fmt.Errorf("event %d does not follow event %d: %.100q", e.Seq, *after, data)
		}
		*after = e.Seq
		if !do(e) {
			return false, conn.Close(websocket.StatusNormalClosure, "")
		}
	}
}

// watchDiscussion prints a discussion as it proceeds, until it is over. Ctrl-C stops watching;
// the discussion goes on.
func watchDiscussion(ctx context.Context, cmd *cobra.Command, r *Remote, id string) error {
	var d discussed
	if err := r.do(ctx, http.MethodGet, discussionPath(id, ""), nil, &d); err != nil {
		return err
	}
	w := newWatcher(cmd.OutOrStdout())
	err := r.FollowDiscussion(ctx, id, func(e discussionEvent) bool {
		w.show(e)
		ends := e.Type == council.EventDone || e.Type == council.EventStopped || e.Type == council.EventError
		return e.Seq < d.LastSeq || d.Status == discussions.Running && !ends // earlier endings were followed by a resumption
	})
	if err != nil && ctx.Err() != nil {
		w.printf("\nNo longer following; the discussion goes on.\n")
		err = nil
	}
	return err
}

// watcher prints a discussion.
type watcher struct {
	out    io.Writer
	colour bool
	turn   int
	voice  council.Persona
	said   string // what is printed of the turn
}

func newWatcher(out io.Writer) *watcher {
	_, isTerminal := size(out)
	return &watcher{out: out, colour: isTerminal}
}

func (w *watcher) printf(format string, args ...any) {
	_, _ = io.WriteString(w.out, harmless(fmt.Sprintf(format, args...))) // a closed pipe ends the program
}

var voiceColours = map[council.Persona]text.Colors{council.Analyzer: {text.FgCyan}, council.Solver: {text.FgGreen}, council.Moderator: {text.FgYellow}}

// say prints words in the colour of the current voice.
func (w *watcher) say(words string) {
	if words = harmless(words); w.colour && words != "" {
		words = voiceColours[w.voice].Sprint(words) // unchanged if NO_COLOR is set
	}
	_, _ = io.WriteString(w.out, words)
}

// show prints an event.
func (w *watcher) show(e discussionEvent) {
	switch e.Type {
	case council.EventStart:
		if e.Question != "" {
			w.printf("The question: %s\n", e.Question)
		}
	case council.EventRound:
		w.printf("\nRound %d\n", e.Round)
		if e.Question != "" {
			w.printf("A carer: %s\n", e.Question)
		}
	case council.EventMessage:
		if e.Turn == w.turn { // the turn is resumed
			return
		}
		w.turn, w.voice, w.said = e.Turn, e.Persona, ""
		w.say(strings.ToUpper(string(e.Persona[:1])) + string(e.Persona[1:]) + ": ")
	case council.EventChunk:
		w.said += e.Text
		w.say(e.Text)
	case council.EventSaid:
		rest, ok := strings.CutPrefix(e.Content, w.said)
		if !ok {
			rest = "\nCorrected: " + e.Content
		}
		w.say(rest)
		w.printf("\n")
		for _, s := range e.Unbacked {
			w.printf("  rests on nothing in the record: %s\n", s)
		}
	case council.EventDone:
		w.conclusion(e.Agreed, e.Open, e.Actions)
		if e.Question != "" {
			w.printf("\nThe council asks the carers: %s\n", e.Question)
		}
	case council.EventStopped:
		w.printf("\nStopped by %s.\n", e.By)
	case council.EventError:
		w.printf("\n%s\n", e.Message)
	}
}

// conclusion prints the results of a discussion.
func (w *watcher) conclusion(agreed, open []string, actions []council.ActionShown) {
	items := func(heading string, lines []string) {
		if len(lines) > 0 {
			w.printf("\n%s\n  %s\n", heading, strings.Join(lines, "\n  "))
		}
	}
	items("Agreed", agreed)
	items("Open", open)
	var lines []string
	for _, a := range actions {
		lines = append(lines, fmt.Sprintf("%-15s %-9s %s", a.Kind, a.Status, a.Text))
	}
	items("Proposed, for somebody to confirm", lines)
}

// describeCitation returns what is cited, and where it is.
func describeCitation(c council.Citation) string {
	if !c.Resolves {
		return "is nothing in the record"
	}
	said := english.Shorten(english.OneLine(c.Text), 200)
	if c.Who != "" {
		said = c.Who + ": " + said
	}
	if c.CallID != "" {
		said += " (" + clock(c.At) + ", call " + c.CallID + ")"
	}
	return said
}
