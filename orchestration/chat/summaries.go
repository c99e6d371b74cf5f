package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/quoted"
)

// ProjectSessions bounds how many sessions are considered for an overview or a summary of a
// project, most recently used first.
const ProjectSessions = 200

// projectRecent is how many episodes of a session without a summary go into that of its project.
const projectRecent = 10

// SummariseProject summarises a project from those of its sessions that may be recalled: from their
// summaries, or else from their latest episodes. It returns [ErrNothingSaid] if there are none.
func (s *Channel) SummariseProject(ctx context.Context, id uuid.UUID) (chats.Summary, error) {
	sessions, err := s.store.ChatProjectSessions(ctx, id, ProjectSessions)
	if err != nil {
		return chats.Summary{}, err
	}
	d := digest{sum: chats.Summary{ProjectID: id}}
	for _, ses := range sessions {
		if !ses.Recallable || ses.Episodes == 0 {
			continue
		}
		var recent []chats.Episode
		if ses.Summary.ID == uuid.Nil {
			if recent, err = s.store.RecentChatEpisodes(ctx, ses.ID, projectRecent); err != nil {
				return chats.Summary{}, err
			}
		}
		where := time.UTC
		if len(recent) > 0 {
			frame, err := s.frame(ctx, recent[0].PersonID)
			if err != nil {
				return chats.Summary{}, err
			}
			where = frame.Location
		}
		if !d.add(ses, recent, where) {
			break
		}
	}
	if d.text.Len() == 0 {
		return chats.Summary{}, ErrNothingSaid
	}
	res, err := s.ask(ctx, overviewPrompt, d.text.String())
	if err != nil {
		return chats.Summary{}, fmt.Errorf("sum up project %s: %w", id, err)
	}
	d.sum.Text, d.sum.Tokens, d.sum.Model = res.Text, english.Tokens(res.Text), res.Model
	return s.store.AddChatSummary(ctx, d.sum, d.from)
}

// digest gathers the sources of a project's summary.
type digest struct {
	sum  chats.Summary
	from chats.Sources
	text strings.Builder
}

// add adds a session, by its summary or else by its recent episodes, which are newest first, with
// days in the time zone where. It adds nothing and returns false if there is no more room.
func (d *digest) add(ses chats.ProjectSession, recent []chats.Episode, where *time.Location) bool {
	var b strings.Builder
	b.WriteString("Conversation")
	if ses.Name != "" {
		b.WriteString(" " + quoted.Fence(ses.Name))
	}
	b.WriteString(":\n")
	first, last := ses.Summary.From, ses.Summary.To
	if ses.Summary.ID != uuid.Nil {
		b.WriteString(quoted.Fence(ses.Summary.Text) + "\n\n")
	} else {
		recent = fitting(recent, summaryInput/4)
		for i := range recent {
			b.WriteString(record(recent[len(recent)-1-i], where))
		}
		if len(recent) == 0 {
			return true // deleted meanwhile
		}
		b.WriteString("\n")
		first, last = recent[len(recent)-1].ID, recent[0].ID
	}
	if d.text.Len() > 0 && d.text.Len()+b.Len() > summaryInput {
		return false
	}
	d.text.WriteString(b.String())
	d.from.Sessions = append(d.from.Sessions, ses.ID)
	if ses.Summary.ID != uuid.Nil {
		d.from.Summaries = append(d.from.Summaries, ses.Summary.ID)
	}
	for _, e := range recent {
		d.from.Episodes = append(d.from.Episodes, e.ID)
	}
	if d.sum.From == 0 || first < d.sum.From {
		d.sum.From = first
	}
	d.sum.To = max(d.sum.To, last)
	return true
}
