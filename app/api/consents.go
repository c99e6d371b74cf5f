package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
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
	Scope   string `json:"scope" enum:"calls,recording,memory"`
	GivenBy string `json:"givenBy" minLength:"1" maxLength:"200" doc:"Who said yes"`
	How     string `json:"how" minLength:"1" maxLength:"500" doc:"On paper, by telephone, ..."`
}

func (a *api) consents(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-consents", Method: http.MethodGet, Path: "/api/v1/people/{id}/consents", Tags: []string{"consents"},
		Summary: "The ledger of a person's consents",
	}, func(ctx context.Context, in *personPath) (*one[items[consentLine]], error) {
		p, err := a.find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		lines, err := a.Store.Consents(ctx, p.ID)
		if err != nil {
			return nil, a.problem(err)
		}
		out := &one[items[consentLine]]{Body: items[consentLine]{Items: make([]consentLine, len(lines))}}
		for i, l := range lines {
			out.Body.Items[i] = lineOut(l)
		}
		return out, nil
	})
	huma.Register(h, huma.Operation{
		OperationID: "give-consent", Method: http.MethodPost, Path: "/api/v1/people/{id}/consents", Tags: []string{"consents"},
		Summary: "Record a consent", DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, in *struct {
		personPath

		Body consentGiven
	},
	) (*one[consentLine], error) {
		p, err := a.find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		c, err := a.Store.GiveConsent(ctx, p.ID, store.Consent{Scope: store.Scope(in.Body.Scope), GivenBy: in.Body.GivenBy, How: in.Body.How})
		if err != nil {
			return nil, a.problem(err)
		}
		a.audit(ctx, "consent.give."+in.Body.Scope, p.ID)
		return &one[consentLine]{Body: lineOut(c)}, nil
	})
	huma.Register(h, huma.Operation{
		OperationID: "revoke-consent", Method: http.MethodDelete, Path: "/api/v1/people/{id}/consents/{scope}", Tags: []string{"consents"},
		Summary: "Take back a consent; the next dial already sees it", DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, in *struct {
		personPath

		Scope string `path:"scope" enum:"calls,recording,memory"`
		By    string `query:"by" default:"api"`
		How   string `query:"how" default:"api"`
	},
	) (*struct{}, error) {
		p, err := a.find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		had, err := a.Store.RevokeConsent(ctx, p.ID, store.Scope(in.Scope), in.By, in.How)
		if err != nil {
			return nil, a.problem(err)
		}
		if !had {
			return nil, huma.Error404NotFound("There is no standing consent of this scope.")
		}
		a.audit(ctx, "consent.revoke."+in.Scope, p.ID)
		return nil, nil
	})
}

func lineOut(c store.Consent) consentLine {
	return consentLine{
		ID: c.ID.String(), Scope: string(c.Scope), GivenAt: c.GivenAt.UTC(), GivenBy: c.GivenBy, How: c.How,
		RevokedAt: c.RevokedAt, RevokedBy: c.RevokedBy, RevokedHow: c.RevokedHow,
	}
}

