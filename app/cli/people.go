package cli

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
)

func peopleCommand(p Program) *cobra.Command {
	return group("people", "The people who are phoned", peopleList(p), peopleShow(p), peopleAdd(p), peopleConsent(p), peopleRevoke(p), peopleOptIn(p), peoplePIN(p), peopleHealth(p), peopleCognitive(p), forgetCommand(p, true))
}

func peopleList(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List people", Args: cobra.NoArgs}
	asJSON := jsonFlag(cmd)
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		persons, err := everybody(ctx, t.Store)
		if err != nil {
			return err
		}
		shapes, allowed := make([]any, len(persons)), make(map[store.PersonID]string)
		for i, person := range persons {
			if *asJSON {
				shapes[i], err = api.PersonShape(ctx, t.Store, person)
			} else {
				allowed[person.ID], err = scopesOf(ctx, t.Store, person.ID)
			}
			if err != nil {
				return err
			}
		}
		return list(cmd, *asJSON, shapes, []string{"ID", "NAME", "PHONE", "TIME ZONE", "CONSENT"}, persons, func(p people.Person) []string {
			return []string{p.ID.String(), p.Name, p.Phone, p.Timezone, allowed[p.ID]}
		})
	})
	return cmd
}

// scopesOf returns the scopes to which a person consents now, separated by
// commas.
func scopesOf(ctx context.Context, s *store.Store, id store.PersonID) (string, error) {
	scopes, err := s.ConsentScopes(ctx, id)
	var allowed []string
	for _, sc := range people.Scopes {
		if scopes[sc] {
			allowed = append(allowed, string(sc))
		}
	}
	return strings.Join(allowed, ","), err
}

func peopleShow(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "show NAME|ID|PHONE", Short: "Show one person", Args: cobra.ExactArgs(1)}
	cmd.RunE = about(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		shape, err := api.PersonShape(ctx, t.Store, who)
		if err != nil {
			return err
		}
		consents, err := t.Store.Consents(ctx, who.ID)
		if err != nil {
			return err
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"person": shape, "consents": api.ConsentShapes(consents)})
	})
	return cmd
}

func peopleAdd(p Program) *cobra.Command {
	var np NewPerson
	cmd := &cobra.Command{
		Use: "add", Short: "Add a person", Args: cobra.NoArgs,
		Example: "  naiber people add --name 'Ada King' --phone +15550100123 --timezone America/New_York --consent calls,recording,memory --consent-by 'Ada King, by telephone'",
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := knownScopes(np.Consents...); err != nil {
			return err
		}
		if len(np.Consents) > 0 && np.ConsentBy == "" {
			return misuse("--consent needs --consent-by: the ledger says who gave a consent, and how")
		}
		r, err := p.Remote(cmd.Context())
		if err != nil {
			return err
		}
		id, err := r.AddPerson(cmd.Context(), np)
		if err != nil {
			return err
		}
		cmd.Println(id)
		return nil
	}
	f := cmd.Flags()
	f.StringVar(&np.Name, "name", "", "full name")
	f.StringVar(&np.PreferredName, "preferred-name", "", "what they like to be called")
	f.StringVar(&np.Phone, "phone", "", "telephone with country code")
	f.StringVar(&np.SecondPhone, "second-phone", "", "where else they answer, with country code")
	f.StringVar(&np.Timezone, "timezone", "", "IANA time zone, such as Europe/Berlin")
	f.StringVar(&np.Language, "language", "en", "language")
	f.StringVar(&np.Email, "email", "", "e-mail address")
	f.StringVar(&np.BirthDate, "birth-date", "", "date of birth, such as 1941-03-29")
	f.StringVar(&np.Notes, "notes", "", "what nAIber should know")
	f.BoolVar(&np.Facility, "facility", false, "they live in a care home")
	f.StringVar(&np.Region, "region", "", "state or province where they live, such as CA")
	f.StringSliceVar(&np.Consents, "consent", nil, "what is allowed: calls, recording, memory, cognitive, transcript, room")
	f.StringVar(&np.ConsentBy, "consent-by", "", "who gave the consent, and how")
	for _, name := range []string{"name", "phone", "timezone"} {
		_ = cmd.MarkFlagRequired(name) // the flag exists: it was added above
	}
	return cmd
}

func peopleConsent(p Program) *cobra.Command {
	var by, how string
	cmd := &cobra.Command{Use: "consent NAME|ID|PHONE SCOPE", Short: "Record a consent: calls, recording, memory, cognitive, transcript or room", Args: cobra.ExactArgs(2)}
	cmd.RunE = aboutScope(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, scope string, t *Tools) error {
		if _, err := t.Store.GiveConsent(ctx, who.ID, people.Consent{Scope: people.Scope(scope), GivenBy: by, How: how}); err != nil {
			return err
		}
		cmd.Printf("%s: consent for %s is recorded.\n", who.Name, scope)
		return t.audit(ctx, "consent.give."+scope, who)
	})
	cmd.Flags().StringVar(&by, "by", "", "who gave it")
	cmd.Flags().StringVar(&how, "how", "cli", "how it was given")
	_ = cmd.MarkFlagRequired("by") // the flag exists: it was added above
	return cmd
}

func peopleRevoke(p Program) *cobra.Command {
	var by, how string
	cmd := &cobra.Command{Use: "revoke NAME|ID|PHONE SCOPE", Short: "Take back a consent", Args: cobra.ExactArgs(2)}
	cmd.RunE = aboutScope(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, scope string, t *Tools) error {
		had, err := t.Store.RevokeConsent(ctx, who.ID, people.Scope(scope), by, how)
		if err != nil {
			return err
		}
		if !had {
			return fmt.Errorf("%s has no standing consent for %s", who.Name, scope)
		}
		cmd.Printf("%s: consent for %s is taken back.\n", who.Name, scope)
		kept, err := t.Store.KeptOf(ctx, who.ID)
		if err != nil {
			return err
		}
		if kept.Any() {
			cmd.Printf("Kept from before: %d lines of transcripts, %d turns, %d facts, %d promises, %d summaries.\nTo erase them: naiber people forget %s --all\n",
				kept.Lines, kept.Turns, kept.Facts, kept.Promises, kept.Summaries, who.ID)
		}
		return t.audit(ctx, "consent.revoke."+scope, who)
	})
	cmd.Flags().StringVar(&by, "by", "cli", "who takes it back")
	cmd.Flags().StringVar(&how, "how", "cli", "how")
	return cmd
}

// whoami returns the name of the user who runs the program.
func whoami() string {
	if me, err := user.Current(); err == nil {
		return me.Username
	}
	return "somebody at the command line"
}

func peopleOptIn(p Program) *cobra.Command {
	by := whoami()
	cmd := &cobra.Command{
		Use: "opt-in NAME|ID|PHONE", Short: "Take an opt-out back", Args: cobra.ExactArgs(1),
		Long: "Takes back that somebody asked not to be phoned any more, once they want calls again.\nThe consent to calls that went with it is given anew; one that was never given is not: see `naiber people consent`.",
	}
	cmd.RunE = about(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		was, err := t.Store.OptIn(ctx, who.ID, "cli", by)
		if err != nil {
			return err
		}
		if !was {
			return fmt.Errorf("%s has not opted out", who.Name)
		}
		cmd.Printf("%s: the opt-out is taken back.\n", who.Name)
		scopes, err := t.Store.ConsentScopes(ctx, who.ID)
		if err == nil && !scopes[people.ScopeCalls] {
			cmd.Printf("They have not agreed to be phoned: naiber people consent %s calls --by WHO\n", who.ID)
		}
		return err
	})
	cmd.Flags().StringVar(&by, "by", by, "who takes it back")
	return cmd
}

// aboutScope returns a command function that calls do with the person and the
// scope that the arguments name.
func aboutScope(p Program, do func(ctx context.Context, cmd *cobra.Command, who people.Person, scope string, t *Tools) error) func(*cobra.Command, []string) error {
	run := about(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error {
		return do(ctx, cmd, who, args[0], t)
	})
	return func(cmd *cobra.Command, args []string) error {
		if err := knownScopes(args[1]); err != nil {
			return err
		}
		return run(cmd, args)
	}
}

// everybody returns all people, read a page at a time.
func everybody(ctx context.Context, s *store.Store) ([]people.Person, error) {
	const page = 200
	var all []people.Person
	var after store.PersonID
	for {
		list, err := s.People(ctx, after, page)
		all = append(all, list...)
		if err != nil || len(list) < page {
			return all, err
		}
		after = list[page-1].ID
	}
}

// findPerson returns the one person with the id, telephone number or name who;
// it fails if there is none or more than one.
func findPerson(ctx context.Context, s *store.Store, who string) (people.Person, error) {
	if id, err := store.ParsePersonID(who); err == nil {
		p, err := s.Person(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return p, fmt.Errorf("nobody has the id %s", who)
		}
		return p, err
	}
	var list []people.Person
	var err error
	if strings.HasPrefix(who, "+") {
		list, err = s.PeopleByPhone(ctx, strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(who))
	} else {
		list, err = s.PeopleByName(ctx, who)
	}
	if err != nil {
		return people.Person{}, err
	}
	return pick(who, list, func(p people.Person) (string, string) { return p.Name, p.PreferredName })
}

func knownScopes(scopes ...string) error {
	for _, s := range scopes {
		if !slices.Contains(people.Scopes, people.Scope(s)) {
			return misuse("%q is nothing that one can consent to; there are calls, recording, memory, cognitive, transcript and room", s)
		}
	}
	return nil
}

// pick returns the one person that the name who matches. A whole name wins over
// a part of one. If several people match, pick fails rather than guess.
func pick[P any](who string, list []P, names func(P) (name, preferred string)) (P, error) {
	exact := slices.DeleteFunc(slices.Clone(list), func(p P) bool {
		name, preferred := names(p)
		return !strings.EqualFold(name, who) && !strings.EqualFold(preferred, who)
	})
	if len(exact) > 0 {
		list = exact
	}
	var none P
	switch len(list) {
	case 0:
		return none, fmt.Errorf("nobody is called %q", who)
	case 1:
		return list[0], nil
	}
	found := make([]string, len(list))
	for i, p := range list {
		found[i], _ = names(p)
	}
	return none, fmt.Errorf("several people match %q: %s; say who by the whole name or the id", who, strings.Join(found, ", "))
}
