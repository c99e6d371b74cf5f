package learn

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

func TestListen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		say  string
		want string // rule and topic, or "forget topic", "forget that"
	}{
		{"Don't mention my brother.", "never_raise brother"},
		{"Please don’t bring up my brother again.", "never_raise brother"},
		{"Oh, please never ask me about the war.", "never_raise war"},
		{"I don't want to talk about the accident any more.", "never_raise accident"},
		{"Could you not bring my hip up all the time?", "never_raise hip"},
		{"I'd rather not talk about money today.", "cool_down money"},
		{"Let's not talk about it again.", "never_raise ?"},
		{"Please don't remember anything about my brother.", "never_store brother"},
		{"Don't write that down.", "never_store ?"},
		{"I don't want you to keep what happened with Frank.", "never_store frank"},
		{"You can talk about my brother again.", "lift brother"},
		{"Forget that, please.", "forget that"},
		{"Can you forget what I just said?", "forget that"},
		{"Please forget everything I told you about my brother.", "forget brother"},
		{"I want you to forget what I said about the money.", "forget money"},
		{"Forget everything I said yesterday.", "forget yesterday"},
		{"Please forget what we talked about on Monday.", "forget on monday"},
		{"Forget that Tom is in hospital.", "forget tom is in hospital"},
		{"Please forget that he is ill.", "forget that"},
		{"Forget about my brother.", "forget brother"},
		{"Oh, forget about Tom.", "forget tom"},
		{"Could you forget about the war, please?", "forget war"},

		{"Don't talk about my brother or my sister.", "never_raise brother, never_raise sister"},
		{"Please don't mention my brother, my sister and the war again.", "never_raise brother, never_raise sister, never_raise war"},
		{"Don't mention my brother, or I'll hang up.", "never_raise brother"},
		{"Don't mention my brother, because he and I fell out.", "never_raise brother"},
		{"Don't mention my brother, my dear.", "never_raise brother"},
		{"I'd rather not talk about money or my hip today.", "cool_down money, cool_down hip"},
		{"Please don't remember anything about my brother and his wife.", "never_store brother, never_store wife"},
		{"Please forget everything I told you about my brother and the money.", "forget brother, forget money"},
		{"I don't want to hear about my brother.", "never_raise brother"},
		{"I can't bear to hear any more about the war.", "never_raise war"},
		{"I don't want to hear another word about my brother again.", "never_raise brother"},
		{"Leave my brother out of it.", "never_raise brother"},
		{"Could we please leave my brother and my sister out of this?", "never_raise brother, never_raise sister"},
		{"Let's keep my brother out of our conversations.", "never_raise brother"},
		{"Just leave him out of it, please.", "never_raise ?"},
		{"Let's not talk about my brother.", "never_raise brother"},
		{"Let's drop the subject of my brother.", "never_raise brother"},
		{"Please steer clear of the topic of money today.", "cool_down money"},

		// Not asked for.
		{"Don't mention my", ""},
		{"I never hear about my son.", ""},
		{"I left my brother out of it.", ""},
		{"He told me to leave my brother out of it.", ""},
		{"Keep the cat out of the garden.", ""},
		{"Keep me out of it.", ""},
		{"I want to hear about your day.", ""},
		{"Forget about the shopping.", ""},
		{"You can forget that he comes.", ""},
		{"I forget that Tom is in hospital.", ""},
		{"Forget that nonsense.", ""},
		{"Forget everything about me.", ""}, // asked back
		{"Don't mention it.", ""},
		{"Don't forget that I am out on Monday.", ""},
		{"I will never forget what he said about my brother.", ""},
		{"I don't mention my brother much.", ""},
		{"He doesn't talk about the war.", ""},
		{"I don't remember anything about it.", ""},
		{"Forget about it.", ""},
		{"I forget that sometimes.", ""},
		{"You can talk about my brother.", ""},
		{"They never ask about my hip.", ""},
	} {
		t.Run(test.say, func(t *testing.T) {
			t.Parallel()
			r := listen([]calls.Utterance{{Role: calls.RoleUser, Text: "I owe my neighbour some money."}, {Role: calls.RoleUser, Text: test.say}})
			var heard []string
			for _, l := range r.limits {
				what := string(l.rule) + " " + l.topic
				if l.lift {
					what = "lift " + l.topic
				}
				if l.that {
					what += "?"
				}
				heard = append(heard, what)
			}
			if len(r.limits) == 0 {
				for _, f := range r.forget {
					asked := "forget " + f.topic + f.day
					if f.that() {
						asked = "forget that"
					}
					heard = append(heard, asked)
				}
			}
			got := strings.Join(heard, ", ")
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if said := listen([]calls.Utterance{{Role: calls.RoleAssistant, Text: test.say}}); len(said.limits)+len(said.forget) > 0 {
				t.Error("nAIber gives itself orders")
			}
		})
	}
}

// All is forgotten only where that was asked back, in whichever words it was asked.
func TestListenToForgettingAll(t *testing.T) {
	t.Parallel()
	for _, say := range []string{
		"Forget me.", "Please forget everything about me!", "Delete all my memories.", "I want you to forget everything I ever told you.",
		"Could you erase everything you know about me, please?", "Well, forget all I've said.",
	} {
		if !AsksToForgetAll(say) {
			t.Errorf("%q is not heard", say)
		}
	}
	for _, say := range []string{
		"Don't forget me.", "I forget everything.", "Forget everything I said about Tom.", "Forget everything I just said.", "He forgot me.",
		"Forget everything I said yesterday.",
	} {
		if AsksToForgetAll(say) {
			t.Errorf("%q is heard", say)
		}
	}
	for answer, want := range map[string]bool{
		"Yes.": true, "Oh yes, please do.": true, "Forget everything about me.": true, "Go ahead, dear.": true, "No.": false, "No, don't.": false,
		"Yes, but not the roses.": false, "Hm?": false, "Only what I said about Tom.": false, "I like roses.": false,
	} {
		for asked, counts := range map[string]bool{ForgetAllQuestion("en"): true, "I can forget everything you have": true, "Did you forget all your pills?": false} {
			r := listen([]calls.Utterance{
				{Role: calls.RoleUser, Text: "Forget me."}, {Role: calls.RoleAssistant, Text: asked}, {Role: calls.RoleUser, Text: answer},
			})
			if got := len(r.forget) == 1 && r.forget[0].all; got != (want && counts) {
				t.Errorf("%q after %q: %+v", answer, asked, r.forget)
			}
		}
	}
}

func TestDayMeant(t *testing.T) {
	t.Parallel()
	said := time.Date(2026, time.November, 3, 23, 30, 0, 0, time.UTC) // a Tuesday
	for named, want := range map[string]string{
		"today": "2026-11-03", "yesterday": "2026-11-02", "the day before yesterday": "2026-11-01", "day before yesterday": "2026-11-01",
		"on monday": "2026-11-02", "monday": "2026-11-02", "last wednesday": "2026-10-28", "on tuesday": "2026-10-27",
	} {
		if got := dayMeant(named, said); got != want {
			t.Errorf("%q is %s, want %s", named, got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		old, fresh string
		want       Verdict
	}{
		{"Margaret's son Tom is in hospital", "Tom came home", Delete},
		{"Margaret's son Tom is in hospital", "Margaret's son Tom is still in hospital", Pass},
		{"Margaret's son Tom is in hospital", "Margaret's daughter Susan came home", Append},
		{"Margaret lives in Boston", "Margaret moved to Chicago", Replace},
		{"Margaret lives in Boston", "Margaret's son lives in Chicago", Append},
		{"Margaret drives to church", "Margaret no longer drives to church", Delete},
		{"Margaret has a cat called Whiskers", "Margaret's cat Whiskers died", Append}, // the model may say more
		{"Margaret grows roses", "Margaret grows roses", Pass},
		{"Margaret grows roses and tulips", "Margaret grows roses", Pass},
		{"Margaret grows roses", "Margaret does not grow roses", Append},
		{"Margaret takes 10 mg of lisinopril", "Margaret takes 20 mg of lisinopril", Replace},
		{"Margaret takes 10 mg of lisinopril", "Margaret takes 20 mg of warfarin", Append},
		{"Margaret's favourite flower is the rose", "Margaret's favourite dish is stew", Append},
		{"Margaret's knee hurts", "Margaret's knee is much better", Delete},
		{"Margaret's knee hurts", "Margaret's cough is much better", Append},
		{"Margaret is 81", "Margaret turned 82", Replace},
	} {
		got, _ := judge(memories.Fact{Text: test.fresh}, []memories.Fact{{Text: test.old}})
		if got != test.want {
			t.Errorf("%q after %q: got %s, want %s", test.fresh, test.old, got, test.want)
		}
	}
}

func TestSameName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		have, fresh []string
		asserted    bool
		want        bool
	}{
		{[]string{"thomas"}, []string{"tom"}, false, true},
		{[]string{"thomas", "son"}, []string{"tom", "son tom"}, false, true},
		{[]string{"tom"}, []string{"tim"}, true, false},
		{[]string{"susan"}, []string{"susan miller"}, false, true},
		{[]string{"susan smith"}, []string{"susan miller"}, false, false},
		{[]string{"son"}, []string{"son"}, false, false}, // there may be two
		{[]string{"son"}, []string{"son"}, true, true},
		{[]string{"husband"}, []string{"husband"}, false, true},
		{[]string{"husband"}, []string{"frank"}, false, false},
		{[]string{"husband"}, []string{"frank"}, true, true},
	} {
		if got := sameName(test.have, test.fresh, test.asserted); got != test.want {
			t.Errorf("%v and %v (asserted %t): got %t", test.have, test.fresh, test.asserted, got)
		}
	}
}

func TestFormatGraph(t *testing.T) {
	t.Parallel()
	a, b, p := idOf("a"), idOf("b"), idOf("p")
	got := FormatGraph(memories.Graph{
		Nodes: []memories.Entity{
			{ID: a, Name: "Alice", Kind: "person", Notes: "a friend from church"}, {ID: p, Name: "St Mary", Kind: "place"}, {ID: b, Name: "Bob", Kind: "person"},
		},
		Edges: []memories.Relation{{From: a, To: p, Label: "sings_in"}, {From: a, To: b, Label: "knows"}, {From: b, To: idOf("gone"), Label: "owns"}},
	})
	want := "- Alice (person): a friend from church\n  → sings_in St Mary (place)\n  → knows Bob (person)\n- St Mary (place)\n- Bob (person)\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRecurrences(t *testing.T) {
	t.Parallel()
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, test := range []struct {
		kind, due, repeat string
		now               string
		used              string
		want              string // the day that is due, or empty
	}{
		{"birthday", "2026-03-12", "yearly", "2027-03-12", "", "2027-03-12"},
		{"birthday", "2026-03-12", "yearly", "2027-03-11", "", "2027-03-12"},
		{"birthday", "2026-03-12", "yearly", "2027-03-16", "", "2027-03-12"},
		{"birthday", "2026-03-12", "yearly", "2027-03-16", "2027-03-12", ""},
		{"birthday", "2026-03-12", "yearly", "2027-03-12", "2026-03-13", "2027-03-12"},
		{"birthday", "2026-03-12", "yearly", "2027-04-01", "", ""},
		{"birthday", "2028-02-29", "yearly", "2029-02-28", "", "2029-02-28"},
		{"birthday", "2028-02-29", "yearly", "2032-02-29", "", "2032-02-29"},
		{"other", "2026-11-03", "weekly", "2026-11-10", "2026-11-03", "2026-11-10"},
		{"appointment", "2026-11-10", "", "2026-11-08", "", ""},
		{"appointment", "2026-11-10", "", "2026-11-09", "", "2026-11-10"},
		{"appointment", "2026-11-10", "", "2026-11-12", "", "2026-11-10"},
		{"appointment", "2026-11-10", "", "2026-12-12", "", ""},
		{"follow_up", "2026-11-10", "", "2026-11-09", "", ""},
	} {
		due := day(test.due)
		p := memories.Promise{Kind: test.kind, DueOn: &due, Recurrence: recurrence(test.kind, test.repeat, due)}
		if test.used != "" {
			used := day(test.used).Add(15 * time.Hour)
			p.UsedAt = &used
		}
		got, ok, err := dueNow(p, day(test.now).Add(10*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if text := got.Format(time.DateOnly); ok != (test.want != "") || ok && text != test.want {
			t.Errorf("%+v: %t, %s", test, ok, text)
		}
	}
	if _, _, err := dueNow(memories.Promise{Kind: "other", DueOn: new(time.Time), Recurrence: "FREQ=SOMETIMES"}, tuesday); err == nil {
		t.Error("a rule that nobody can read is read")
	}
}
