package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/store/people"
)

func (a *api) forgetting(h huma.API, op describe) {
	forget := op("forget", http.MethodPost, "/forget", "Forget memories, a fact, a topic, a day or everything", http.StatusOK)
	forget.Description = "It reaches what was said, full text, vectors, facts, whom they speak of, promises, summaries, " +
		"the words in transcripts, chats, health answers and cognitive checks, and the discussions of the care council that had it before them. " +
		"Sessions about appliances that it is of go whole, and mails. Values of health answers, scores and limits stay. With verify, every place is searched afterwards, and what was found there is told. " +
		"To remove the person altogether, delete the person."
	handle(a, h, forget, about(a.find, a.forgetMemory))
}

type forgetIn struct {
	PersonPath

	Body struct {
		Memories  []string `json:"memories,omitempty" maxItems:"1000" doc:"Ids of memories"`
		Fact      string   `json:"fact,omitempty" maxLength:"100" doc:"The id of a fact"`
		KeepWords bool     `json:"keepWords,omitempty" doc:"With a fact: what was said stays"`
		Topic     string   `json:"topic,omitempty" maxLength:"100"`
		Day       string   `json:"day,omitempty" format:"date" doc:"A day where the person lives"`
		All       bool     `json:"all,omitempty"`
		Verify    bool     `json:"verify,omitempty"`
	}
}

type forgottenOut struct {
	Turns       int        `json:"turns"`
	Facts       int        `json:"facts"`
	Entities    int        `json:"entities"`
	Promises    int        `json:"promises"`
	Summaries   int        `json:"summaries"`
	Lines       int        `json:"lines" doc:"Lines of transcripts"`
	Episodes    int        `json:"episodes" doc:"Episodes of chats"`
	Quotes      int        `json:"quotes" doc:"Health answers, and tasks of cognitive checks, whose words were taken out"`
	Discussions int        `json:"discussions" doc:"Discussions of the care council that had any of it before them"`
	Repairs     int        `json:"repairs" doc:"Sessions about appliances, with all that was written in them"`
	Mails       int        `json:"mails"`
	Verified    *bool      `json:"verified,omitempty" doc:"Whether nothing resurfaces"`
	Checks      []checkOut `json:"checks,omitempty"`
}

type checkOut struct {
	Place string `json:"place"`
	Found int    `json:"found" doc:"How much of it is still there"`
}

// forgetWithin bounds a request to forget, with its verification.
const forgetWithin = time.Minute

func (a *api) forgetMemory(ctx context.Context, p people.Person, in *forgetIn) (out forgottenOut, err error) {
	ctx, cancel := context.WithTimeout(ctx, forgetWithin)
	defer cancel()
	r := forget.Request{Person: p.ID, KeepWords: in.Body.KeepWords, Topic: in.Body.Topic, Day: in.Body.Day, All: in.Body.All, By: "api"}
	for _, id := range in.Body.Memories {
		internal, _ := internalID(p.ID, id)
		r.Memories = append(r.Memories, internal)
	}
	if in.Body.Fact != "" {
		if r.Fact, err = uuid.Parse(in.Body.Fact); err != nil {
			return out, invalid("body.fact", "is not the id of a fact")
		}
	}
	f, err := a.Memory.Forget(ctx, r)
	if err != nil {
		return out, err
	}
	out = forgottenOut{
		Turns: f.Turns, Facts: f.Facts, Entities: f.Entities, Promises: f.Promises, Summaries: f.Summaries,
		Lines: f.Lines, Episodes: f.Episodes, Quotes: f.Quotes, Discussions: f.Discussions, Repairs: f.Repairs, Mails: f.Mails,
	}
	if !in.Body.Verify {
		return out, nil
	}
	checks, err := a.Memory.Verify(ctx, f)
	verified := err == nil
	if err != nil { // the memories are forgotten all the same
		a.Log.ErrorContext(ctx, "forgetting not verified", "person_id", p.ID, "err", err)
	}
	for _, c := range checks {
		verified = verified && c.Found == 0
		out.Checks = append(out.Checks, checkOut{c.Place, c.Found})
	}
	out.Verified = &verified
	return out, nil
}
