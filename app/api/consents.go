package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store/people"
)

type consentLine struct {
	ID         string     `json:"id"`
	Scope      string     `json:"scope"`
	GivenAt    time.Time  `json:"givenAt"`
	GivenBy    string     `json:"givenBy"`
	How        string     `json:"how"`
	RevokedAt  *time.Time `json:"revokedAt,omitempty"`
	RevokedBy  string     `json:"revokedBy,omitempty"`
	RevokedHow string     `json:"revokedHow,omitempty"`
}

type consentGiven struct {
	Scope   string `json:"scope" enum:"calls,recording,memory,cognitive,transcript,room"`
	GivenBy string `json:"givenBy" minLength:"1" maxLength:"200" doc:"Who said yes"`
	How     string `json:"how" minLength:"1" maxLength:"500" doc:"On paper, by telephone, ..."`
}

func (a *api) consents(h huma.API) {
	op := under("consents", personBase+"/consents")
	handle(a, h, op("list-consents", http.MethodGet, "", "The ledger of a person's consents, oldest first", http.StatusOK), about(a.find, a.listConsents))
	handle(a, h, op("give-consent", http.MethodPost, "", "Record a consent", http.StatusCreated), about(a.find, a.giveConsent))
	handle(a, h, op("revoke-consent", http.MethodDelete, "/{scope}", "Take back a consent; it holds at once, in live calls too", http.StatusOK), about(a.find, a.revokeConsent))
}

func (a *api) listConsents(ctx context.Context, p people.Person, _ *PersonPath) (items[consentLine], error) {
	lines, err := a.Store.Consents(ctx, p.ID)
	return items[consentLine]{each(lines, lineOut)}, err
}

type giveConsentIn struct {
	PersonPath

	Body consentGiven
}

func (a *api) giveConsent(ctx context.Context, p people.Person, in *giveConsentIn) (consentLine, error) {
	c, err := a.Store.GiveConsent(ctx, p.ID, people.Consent{Scope: people.Scope(in.Body.Scope), GivenBy: in.Body.GivenBy, How: in.Body.How})
	if err == nil {
		a.audit(ctx, "consent.give."+in.Body.Scope, p.ID)
	}
	return lineOut(c), err
}

type revokeConsentIn struct {
	PersonPath

	Scope string `path:"scope" enum:"calls,recording,memory,cognitive,transcript,room"`
	By    string `query:"by" default:"api" maxLength:"200" doc:"Who took it back"`
	How   string `query:"how" default:"api" maxLength:"500" doc:"On paper, by telephone, ..."`
}

// keptOut counts what is left after a consent is revoked, and says how to erase it.
type keptOut struct {
	Kept struct {
		Lines     int `json:"lines" doc:"Lines of transcripts"`
		Turns     int `json:"turns" doc:"What is remembered word for word"`
		Facts     int `json:"facts"`
		Promises  int `json:"promises"`
		Summaries int `json:"summaries"`
	} `json:"kept" doc:"What is kept from before; nothing of it is used without the consent"`
	Erase string `json:"erase,omitempty" doc:"How to erase it; absent where nothing is kept"`
}

func (a *api) revokeConsent(ctx context.Context, p people.Person, in *revokeConsentIn) (out keptOut, err error) {
	had, err := a.Store.RevokeConsent(ctx, p.ID, people.Scope(in.Scope), in.By, in.How)
	if err != nil {
		return out, err
	}
	if !had {
		return out, huma.Error404NotFound("There is no standing consent of this scope.")
	}
	a.audit(ctx, "consent.revoke."+in.Scope, p.ID)
	kept, err := a.Store.KeptOf(ctx, p.ID)
	if err != nil {
		return out, err
	}
	out.Kept.Lines, out.Kept.Turns, out.Kept.Facts, out.Kept.Promises, out.Kept.Summaries = kept.Lines, kept.Turns, kept.Facts, kept.Promises, kept.Summaries
	if kept.Any() {
		out.Erase = `POST /api/v1/people/` + p.ID.String() + `/forget {"all": true}`
	}
	return out, nil
}

func lineOut(c people.Consent) consentLine {
	return consentLine{
		ID: c.ID.String(), Scope: string(c.Scope), GivenAt: c.GivenAt.UTC(), GivenBy: c.GivenBy, How: c.How,
		RevokedAt: utc(c.RevokedAt), RevokedBy: c.RevokedBy, RevokedHow: c.RevokedHow,
	}
}
