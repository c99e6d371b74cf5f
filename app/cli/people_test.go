package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store/people"
)

func TestPeople(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	ada := p.person(t, "Ada King", "Ada", "+15550100123")
	p.person(t, "Bo Example", "", "+15550100124")

	if out := p.must(t, "people", "consent", "ada", "calls", "--by", "Byron", "--how", "on paper"); out != "Ada King: consent for calls is recorded.\n" {
		t.Errorf("printed %q", out)
	}
	p.must(t, "people", "consent", "+1 555-010-0123", "memory", "--by", "Ada")
	lines := strings.Split(strings.TrimSpace(p.must(t, "people", "list")), "\n")
	if len(lines) != 3 || strings.Join(strings.Fields(lines[1]), " ") != ada.ID.String()+" Ada King +15550100123 Canada/Newfoundland calls,memory" {
		t.Errorf("list = %q", lines)
	}
	var list []people.Person
	if err := json.Unmarshal([]byte(p.must(t, "people", "list", "--json")), &list); err != nil || len(list) != 2 {
		t.Errorf("list = %v, %v", list, err)
	}

	if out := p.must(t, "people", "revoke", ada.ID.String(), "calls"); out != "Ada King: consent for calls is taken back.\n" {
		t.Errorf("printed %q", out)
	}
	p.refused(t, "Ada King has no standing consent for calls", "people", "revoke", "Ada King", "calls")
	var shown struct{ Consents []people.Consent }
	if err := json.Unmarshal([]byte(p.must(t, "people", "show", "ada")), &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown.Consents) != 2 || shown.Consents[0].GivenBy != "Byron" || shown.Consents[0].How != "on paper" || shown.Consents[0].RevokedBy != "cli" {
		t.Errorf("ledger = %+v", shown.Consents)
	}
}

func TestNobodyIsGuessed(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.person(t, "Margaret Hill", "Maggie", "+15550100123")
	p.person(t, "Margaret Moor", "", "+15550100124")
	p.person(t, "Maggie Stone", "Maggie", "+15550100125")
	p.person(t, "Bo", "", "+15550100126")
	p.person(t, "Bo Example", "", "+15550100126")
	for _, tt := range []struct{ who, want string }{
		{"margaret", `several people match "margaret": Margaret Hill, Margaret Moor`},
		{"maggie", `several people match "maggie": Margaret Hill, Maggie Stone`},
		{"nobody", `nobody is called "nobody"`},
		{"+15550100199", `nobody is called "+15550100199"`},
		{"+15550100126", `several people match "+15550100126": Bo, Bo Example`},
		{"0190a7a2-0000-7000-8000-000000000000", "nobody has the id"},
	} {
		p.refused(t, tt.want, "people", "show", tt.who)
	}
	for who, want := range map[string]string{"bo": `"name": "Bo"`, "hill": "Margaret Hill", "margaret moor": "Margaret Moor"} {
		if out := p.must(t, "people", "show", who); !strings.Contains(out, want) {
			t.Errorf("%s = %s", who, out)
		}
	}
}

func TestUnknownConsentIsRefused(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.person(t, "Ada", "", "+15550100123")
	const want = `"all" is nothing that one can consent to`
	p.refused(t, want, "people", "consent", "ada", "all", "--by", "Ada")
	p.refused(t, want, "people", "revoke", "ada", "all")
	p.refused(t, want, "people", "add", "--name", "Bo", "--phone", "+1", "--timezone", "UTC", "--consent", "calls,all", "--consent-by", "Bo")
	p.refused(t, "--consent needs --consent-by", "people", "add", "--name", "Bo", "--phone", "+1", "--timezone", "UTC", "--consent", "calls")
}

func TestEverybodyIsListed(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	_, err := p.tools.Store.Pool().Exec(t.Context(),
		"insert into people (id, name, phone, timezone) select gen_random_uuid(), 'P' || i, '+1555010' || 1000 + i, 'UTC' from generate_series(1, 450) i")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(p.must(t, "people", "list"), "\n"); n != 451 {
		t.Errorf("lines = %d", n)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	names := func(p [2]string) (string, string) { return p[0], p[1] }
	for _, tt := range []struct {
		name string
		who  string
		list [][2]string
		want string // the name, or empty for an error
	}{
		{"nobody", "ada", nil, ""},
		{"a part of the name", "ada", [][2]string{{"Ada King", ""}}, "Ada King"},
		{"the whole name wins", "ada", [][2]string{{"Ada King", ""}, {"Ada", ""}}, "Ada"},
		{"the preferred name wins", "ada", [][2]string{{"Ada King", ""}, {"Augusta", "ADA"}}, "Augusta"},
		{"two are called so", "ada", [][2]string{{"Ada King", "Ada"}, {"Augusta", "Ada"}}, ""},
		{"two have it in their name", "ada", [][2]string{{"Ada King", ""}, {"Ada Moor", ""}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := pick(tt.who, tt.list, names)
			if got[0] != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("pick(%v) = %v, %v, want %q", tt.list, got, err, tt.want)
			}
		})
	}
}

func TestPeoplePIN(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	ada := p.person(t, "Ada King", "Ada", "+15550100123")
	for _, bad := range []string{"", "12\n", "abcdef\n"} {
		if _, err := p.runWith(t, t.Context(), bad, "people", "pin", "ada"); !errors.Is(err, people.ErrPIN) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if out, err := p.runWith(t, t.Context(), "271828\n", "people", "pin", "ada"); err != nil || out != "Ada King: the PIN is set.\n" {
		t.Errorf("%q, %v", out, err)
	}
	if right, err := p.tools.Store.TryPIN(t.Context(), ada.ID, "271828", time.Now()); !right || err != nil {
		t.Errorf("the PIN opens: %t, %v", right, err)
	}
	if out := p.must(t, "people", "pin", "ada", "--remove"); out != "Ada King: the PIN is removed.\n" {
		t.Errorf("%q", out)
	}
	p.refused(t, "remove pin", "people", "pin", "ada", "--remove")
}
