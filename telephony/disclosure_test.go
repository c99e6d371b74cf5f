package telephony

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/prompts"
)

// What the first words disclose, by where the telephone and the person are, what was
// agreed to, and whether nAIber has spoken with them before.
func TestDisclosureByPlace(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	for _, c := range []struct {
		name, phone, region string
		first               bool
		recorded, written   bool
		keyIn               []string
		want                disclosed
		says                []string
		not                 string
	}{
		{
			name: "the first call", phone: "+13125551234", region: "OH", first: true, recorded: true,
			want: disclosed{Place: "US-OH", AI: true, Full: true, Recording: "recorded", OptOutKey: true},
			says: []string{"artificial intelligence", "This call is recorded", "press 9"}, not: "put the receiver down",
		},
		{
			name: "a later call where the law leaves it short", phone: "+13125551234", region: "OH", recorded: true,
			want: disclosed{Place: "US-OH", AI: true, Recording: "recorded", OptOutKey: true},
			says: []string{"As you know, I'm a computer", "press 9"}, not: "artificial intelligence",
		},
		{
			name: "a later call to New York", phone: "+16465551234",
			want: disclosed{Place: "US-NY", AI: true, Full: true, Recording: "not_kept", OptOutKey: true},
			says: []string{"artificial intelligence", "is not recorded"}, not: "As you know",
		},
		{
			name: "a later call to Germany", phone: "+493012345678", recorded: true,
			want: disclosed{Place: "DE", AI: true, Recording: "recorded"},
			says: []string{"As you know, I'm a computer, not a person", "is recorded"}, not: "put the receiver down",
		},
		{
			name: "the first call to Germany", phone: "+493012345678", first: true, recorded: true,
			want: disclosed{Place: "DE", AI: true, Full: true, Recording: "recorded"},
			says: []string{"artificial intelligence", "put the receiver down"}, not: "press",
		},
		{
			name: "the key by configuration", phone: "+493012345678", written: true, keyIn: []string{"DE"},
			want: disclosed{Place: "DE", AI: true, Recording: "written_down", OptOutKey: true},
			says: []string{"not recorded, but written down", "press 9"}, not: "put the receiver down",
		},
		{
			name: "nobody knows where", phone: "+15550100123", recorded: true,
			want: disclosed{AI: true, Full: true, Recording: "recorded", OptOutKey: true},
			says: []string{"artificial intelligence", "is recorded", "press 9"}, not: "put the receiver down",
		},
	} {
		h.cfg.OptOutKeyIn = c.keyIn
		p := h.person("Ada", c.phone)
		line := calls.Line{Call: calls.Call{PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound, Phone: c.phone}, Person: p}
		line.Person.Region = c.region
		rule := lawOf(line)
		d := h.openingData(t.Context(), line)
		if d.Full != rule.Full || d.AskRecording != rule.Ask || d.OptOutKey != c.want.OptOutKey {
			t.Errorf("%s: the texts are told %+v, and the rule is %+v", c.name, d, rule)
		}
		d.FirstCall, d.Recorded, d.WrittenDown = c.first, c.recorded, c.written
		first, err := h.dep.Prompts.Text(h.firstMessage(d, line.Call, true), d)
		if err != nil {
			t.Fatal(err)
		}
		said, told, err := h.disclose(first, d, line)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&c.want, told); diff != "" {
			t.Errorf("%s: disclosed (-want +got):\n%s", c.name, diff)
		}
		if said != first {
			t.Errorf("%s: the built-in text lacks the disclosure: %q", c.name, first)
		}
		for _, s := range c.says {
			if !strings.Contains(said, s) {
				t.Errorf("%s: %q is not in %q", c.name, s, said)
			}
		}
		if strings.Contains(said, c.not) {
			t.Errorf("%s: %q is in %q", c.name, c.not, said)
		}
	}
}

// A text of an operator's that says nothing of it begins with the disclosure all the same.
func TestDisclosureIsNotLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "general"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "general", "first_message.returning.txt"), []byte("Hello, it's me."), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, nil)
	lib, err := prompts.Load(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.dep.Prompts = lib
	said, told, err := h.disclose("Hello, it's me.", prompts.Data{CallType: "general", Language: "en"}, calls.Line{Call: calls.Call{Phone: "+13125551234"}, Person: people.Person{Region: "OH"}})
	if err != nil || !strings.HasPrefix(said, "I'm a computer, an artificial intelligence, not a person. This call is not recorded") || !strings.HasSuffix(said, "Hello, it's me.") || !told.Full {
		t.Errorf("said %q, disclosed %+v, %v", said, told, err)
	}
}
