package api

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// baseTime is when what is learned in tests was said.
var baseTime = time.Date(2026, time.November, 3, 15, 0, 0, 0, time.UTC)

func (r *rig) texts(path string) []string {
	r.t.Helper()
	var out []string
	for _, item := range r.ok(http.StatusOK, http.MethodGet, path, "").get("items").Array() {
		out = append(out, item.Get("text").String())
	}
	return out
}

// What is posted together is found each by itself, unless it says what conversation it is of.
func TestPostedMemoriesStandForThemselves(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	const items = `{"items": [
		{"text": "The shortbread factory on Mill Lane gave me my first wage.", %[1]s},
		{"text": "Our parrot is called Shortbread, a grey one.", %[1]s},
		{"text": "My hip was done in 1998.", %[1]s},
		{"text": "I never liked the sea.", %[1]s}]}`
	r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", fmt.Sprintf(items, `"source": "family"`))
	want := []string{"Our parrot is called Shortbread, a grey one.", "The shortbread factory on Mill Lane gave me my first wage."}
	if got := r.texts(ada + "/memories?q=the+grey+parrot+Shortbread&limit=2"); !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, ada+"/memories?q=parrot&limit=1", "").get("items.0.source").Array(); len(got) != 1 {
		t.Errorf("found in the midst of %v", got)
	}
	rose := "/api/v1/people/" + r.person("Rose Bell", "+15550100124")
	r.ok(http.StatusCreated, http.MethodPost, rose+"/memories", fmt.Sprintf(items, `"conversation": "visit"`))
	if got := r.ok(http.StatusOK, http.MethodGet, rose+"/memories?q=hip&limit=1", "").get("items.0.source").Array(); len(got) < 2 {
		t.Errorf("of one conversation: found in the midst of %v", got)
	}
}

func TestMemoriesAreKeptAndFound(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	body := `{"items": [
		{"id": "d1:1", "text": "My cat Whiskers sleeps in the hat box.", "at": "2026-11-03T15:00:00+01:00", "conversation": "visit"},
		{"id": "d1:2", "text": "He is “old” & <grey>.", "at": "2026-11-03T15:01:00+01:00", "conversation": "visit"},
		{"text": "I play bridge on Mondays.", "at": "2026-11-04T09:00:00Z"}]}`
	added := r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", body)
	ids := added.get("ids").Array()
	if len(ids) != 3 || ids[0].String() != "d1:1" || uuid.Validate(ids[2].String()) != nil {
		t.Fatalf("added %s", added.body)
	}
	if got := r.texts(ada + "/memories"); !slices.Equal(got, []string{"I play bridge on Mondays.", "He is “old” & <grey>.", "My cat Whiskers sleeps in the hat box."}) {
		t.Errorf("newest first: %q", got)
	}
	first := r.ok(http.StatusOK, http.MethodGet, ada+"/memories?q=where+does+Whiskers+sleep&limit=2", "")
	hit := first.get("items.0")
	if hit.Get("id").String() != "d1:1" || hit.Get("at").String() != "2026-11-03T14:00:00Z" || hit.Get("score").Float() <= 0 {
		t.Errorf("found %s", first.body)
	}
	if got := fmt.Sprint(hit.Get("source").Value()); got != "[d1:1]" {
		t.Errorf("source = %s", got)
	}
	scores := first.get("items.#.score").Array()
	if !slices.IsSortedFunc(scores, func(a, b gjson.Result) int { return cmp.Compare(b.Float(), a.Float()) }) {
		t.Errorf("not best first: %s", first.body)
	}
	page := r.ok(http.StatusOK, http.MethodGet, ada+"/memories?limit=2", "")
	next := r.ok(http.StatusOK, http.MethodGet, ada+"/memories?limit=2&cursor="+page.get("nextCursor").String(), "")
	if len(page.get("items").Array()) != 2 || next.get("items.0.id").String() != "d1:1" || next.get("nextCursor").Exists() {
		t.Errorf("pages %s and %s", page.body, next.body)
	}
	r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", `{"items": [{"id": "d1:1", "text": "My dog Rex."}]}`)
	if got := r.texts(ada + "/memories?q=Whiskers"); slices.Contains(got, "My cat Whiskers sleeps in the hat box.") {
		t.Errorf("what was replaced is found: %q", got)
	}
	r.ok(http.StatusNoContent, http.MethodDelete, ada+"/memories/d1:1", "")
	r.ok(http.StatusNoContent, http.MethodDelete, ada+"/memories/"+ids[2].String(), "")
	r.ok(http.StatusNotFound, http.MethodDelete, ada+"/memories/d1:1", "")
	if got := r.texts(ada + "/memories"); !slices.Equal(got, []string{"He is “old” & <grey>."}) {
		t.Errorf("left: %q", got)
	}
}

func TestMemoriesNeedConsent(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	item := `{"items": [{"text": "I like tea."}]}`
	r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", item)
	r.ok(http.StatusOK, http.MethodDelete, ada+"/consents/memory", "")
	for _, path := range []string{"/memories", "/memories?q=tea", "/facts", "/entities", "/promises"} {
		if got := r.ok(http.StatusForbidden, http.MethodGet, ada+path, ""); !strings.Contains(got.get("detail").String(), "consent") {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	r.ok(http.StatusForbidden, http.MethodPost, ada+"/memories", item)
	r.ok(http.StatusForbidden, http.MethodPost, ada+"/memory/import", `{"text": "x", "at": "2026-11-03T15:00:00Z"}`, "Content-Type", typeLines)
	// One's own rights need none.
	if got := r.ok(http.StatusOK, http.MethodGet, ada+"/memory/export", ""); !strings.Contains(got.body, "I like tea.") {
		t.Errorf("export: %s", got.body)
	}
	if got := r.ok(http.StatusOK, http.MethodPost, ada+"/forget", `{"all": true}`); got.get("turns").Int() != 1 {
		t.Errorf("forgot %s", got.body)
	}
}

func TestLimitsOverTheAPI(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	limit := r.ok(http.StatusCreated, http.MethodPost, ada+"/limits", `{"topic": "brother", "rule": "never_store", "by": "Ada"}`)
	added := r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", `{"items": [{"text": "My brothers fought."}, {"text": "I like tea."}]}`)
	if len(added.get("ids").Array()) != 1 || added.get("leftOut.0").Int() != 0 || !added.get("leftOut.0").Exists() {
		t.Errorf("added %s", added.body)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, ada+"/limits", ""); got.get("items.#").Int() != 1 || got.get("items.0.rule").String() != "never_store" {
		t.Errorf("limits %s", got.body)
	}
	r.ok(http.StatusNoContent, http.MethodDelete, ada+"/limits/"+limit.get("id").String(), "")
	r.ok(http.StatusNotFound, http.MethodDelete, ada+"/limits/"+limit.get("id").String(), "")
	if got := r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", `{"items": [{"text": "My brothers fought."}]}`); len(got.get("ids").Array()) != 1 {
		t.Errorf("added %s", got.body)
	}
}

// learned gives a person a fact about a cat, and a relation to it.
func (r *rig) learned(person, turn string) (fact, entity string) {
	r.t.Helper()
	id, err := store.ParsePersonID(person)
	if err != nil {
		r.t.Fatal(err)
	}
	from := []uuid.UUID{uuid.MustParse(turn)}
	f, cat, self := uuid.New(), uuid.New(), uuid.New()
	err = r.st.InTx(r.t.Context(), func(tx store.Tx) error {
		if err := r.st.AddMemoryFact(r.t.Context(), tx, memories.Fact{
			ID: f, PersonID: id, Text: "Ada has a cat called Whiskers.", Kind: "pet", Confidence: 0.9, LearnedAt: baseTime,
		}, from, nil); err != nil {
			return err
		}
		for _, e := range []memories.Entity{{ID: cat, Kind: "pet", Name: "Whiskers", Aliases: []string{"whiskers"}}, {ID: self, Kind: "person", Name: "Ada", Aliases: []string{"ada"}}} {
			if err := r.st.SaveMemoryEntity(r.t.Context(), tx, id, e, baseTime, from); err != nil {
				return err
			}
		}
		if err := r.st.AddMemoryPromise(r.t.Context(), tx, memories.Promise{ID: uuid.New(), PersonID: id, Text: "Ask after the cat.", Kind: "follow_up", TurnID: from[0]}); err != nil {
			return err
		}
		return r.st.AddMemoryRelation(r.t.Context(), tx, memories.Relation{ID: uuid.New(), From: self, To: cat, Label: "owns", FactID: f, Since: baseTime})
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return f.String(), cat.String()
}

// What a search finds of old says since when it is so no more, and what is true.
func TestOutdatedMemories(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.person("Ada King", "+15550100123")
	ada := "/api/v1/people/" + id
	ids := r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", `{"items": [
		{"text": "Tom, my son, is in hospital.", "at": "2026-09-03T15:00:00Z"},
		{"text": "Tom came home.", "at": "2026-11-03T15:00:00Z"}]}`).get("ids").Array()
	person, err := store.ParsePersonID(id)
	if err != nil {
		t.Fatal(err)
	}
	old, now := uuid.New(), uuid.New()
	err = r.st.InTx(t.Context(), func(tx store.Tx) error {
		for i, f := range []memories.Fact{{ID: old, Text: "Tom is in hospital."}, {ID: now, Text: "Tom is at home."}} {
			f.PersonID, f.Kind, f.Confidence, f.LearnedAt = person, "life", 1, baseTime.AddDate(0, 0, i-60)
			if err := r.st.AddMemoryFact(t.Context(), tx, f, []uuid.UUID{uuid.MustParse(ids[i].String())}, nil); err != nil {
				return err
			}
		}
		_, err := r.st.CloseMemoryFact(t.Context(), tx, person, old, now, baseTime.AddDate(0, 0, -1), baseTime.AddDate(0, 0, -1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := r.ok(http.StatusOK, http.MethodGet, ada+"/memories?q=Where+is+Tom", "")
	items := map[string]gjson.Result{}
	for _, item := range got.get("items").Array() {
		items[item.Get("id").String()] = item
	}
	if o := items[ids[0].String()].Get("outdated"); o.Get("since").String() != "2026-11-02T15:00:00Z" || o.Get("now").String() != "Tom is at home." {
		t.Errorf("what is no longer so: %s", got.body)
	}
	if item := items[ids[1].String()]; !item.Exists() || item.Get("outdated").Exists() {
		t.Errorf("what is so: %s", got.body)
	}
}

func TestLearnedOverTheAPI(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id, other := r.person("Ada King", "+15550100123"), r.person("Bo Lee", "+15550100124")
	ada, bo := "/api/v1/people/"+id, "/api/v1/people/"+other
	turn := r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", `{"items": [{"text": "My cat is called Whiskers."}]}`).get("ids.0").String()
	fact, cat := r.learned(id, turn)
	facts := r.ok(http.StatusOK, http.MethodGet, ada+"/facts?current=true", "")
	if facts.get("items.0.id").String() != fact || facts.get("items.0.source.0").String() != turn || facts.get("items.0.confidence").Raw != "0.9" {
		t.Errorf("facts %s", facts.body)
	}
	near := r.ok(http.StatusOK, http.MethodGet, ada+"/entities/"+cat+"/neighbours", "")
	if near.get("entity.name").String() != "Whiskers" || near.get("neighbours.0.name").String() != "Ada" || near.get("relations.0.factId").String() != fact {
		t.Errorf("neighbours %s", near.body)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, ada+"/promises?status=open", ""); got.get("items.0.source.0").String() != turn {
		t.Errorf("promises %s", got.body)
	}
	for _, path := range []string{"/facts", "/entities", "/promises"} {
		if got := r.ok(http.StatusOK, http.MethodGet, bo+path, ""); got.get("items.#").Int() != 0 {
			t.Errorf("somebody else's %s: %s", path, got.body)
		}
	}
	r.ok(http.StatusNotFound, http.MethodGet, bo+"/entities/"+cat+"/neighbours", "")
	r.ok(http.StatusNotFound, http.MethodDelete, bo+"/facts/"+fact, "")
	r.ok(http.StatusNotFound, http.MethodDelete, bo+"/memories/"+turn, "")
	r.ok(http.StatusConflict, http.MethodPost, bo+"/memories", `{"items": [{"id": "`+turn+`", "text": "Mine."}]}`)
	r.ok(http.StatusNoContent, http.MethodDelete, ada+"/facts/"+fact, "")
	for _, path := range []string{"/facts", "/entities", "/promises", "/memories"} {
		if got := r.ok(http.StatusOK, http.MethodGet, ada+path, ""); got.get("items.#").Int() != 0 {
			t.Errorf("left of a fact in %s: %s", path, got.body)
		}
	}
}

func TestForgetExportImportOverTheAPI(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	r.ok(http.StatusCreated, http.MethodPost, ada+"/memories", `{"items": [
		{"text": "My cat is called Whiskers.", "at": "2026-11-03T15:00:00Z"}, {"text": "I like tea.", "at": "2026-11-04T15:00:00Z"}]}`)
	file := r.ok(http.StatusOK, http.MethodGet, ada+"/memory/export", "")
	if got := file.header.Get("Content-Type"); got != typeLines || strings.Count(file.body, "\n") != 3 {
		t.Errorf("export as %q: %s", got, file.body)
	}
	f := r.ok(http.StatusOK, http.MethodPost, ada+"/forget", `{"topic": "cats", "verify": true}`)
	if f.get("turns").Int() != 1 || !f.get("verified").Bool() || f.get("checks.#").Int() < 19 {
		t.Errorf("forgot %s", f.body)
	}
	if got := r.texts(ada + "/memories"); !slices.Equal(got, []string{"I like tea."}) {
		t.Errorf("left %q", got)
	}
	im := r.ok(http.StatusOK, http.MethodPost, ada+"/memory/import", file.body, "Content-Type", typeLines)
	if im.get("added").Int() != 0 || im.get("unchanged").Int() != 1 || im.get("forgotten").Int() != 1 {
		t.Errorf("imported %s", im.body)
	}
	if got := r.texts(ada + "/memories"); !slices.Equal(got, []string{"I like tea."}) {
		t.Errorf("after the import there is %q", got)
	}
	bad := r.ok(http.StatusUnprocessableEntity, http.MethodPost, ada+"/memory/import", file.body+"{}\n", "Content-Type", typeLines)
	if bad.get("errors.0.location").String() != "body line 4" {
		t.Errorf("bad line: %s", bad.body)
	}
	if got := r.ok(http.StatusOK, http.MethodPost, ada+"/memory/import?skipBad=true", "{}\n", "Content-Type", typeLines); got.get("bad.0.line").Int() != 1 {
		t.Errorf("bad line left out: %s", got.body)
	}
	if got := r.ok(http.StatusOK, http.MethodPost, ada+"/forget", `{"day": "2026-11-04"}`); got.get("turns").Int() != 1 {
		t.Errorf("forgot %s", got.body)
	}
}

func TestBadMemoryRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	const post, get, del = http.MethodPost, http.MethodGet, http.MethodDelete
	for _, tt := range []struct {
		name               string
		status             int
		method, path, body string
	}{
		{"no items", 422, post, "/memories", `{"items": []}`},
		{"no text", 422, post, "/memories", `{"items": [{"text": "One."}, {"text": " \n"}]}`},
		{"a field of nobody", 422, post, "/memories", `{"items": [{"text": "One.", "mood": "good"}]}`},
		{"no time", 422, post, "/memories", `{"items": [{"text": "One.", "at": "yesterday"}]}`},
		{"before all", 422, post, "/memories", `{"items": [{"text": "One.", "at": "0042-01-01T00:00:00Z"}]}`},
		{"a stranger speaks", 422, post, "/memories", `{"items": [{"text": "One.", "speaker": "nurse"}]}`},
		{"too many wanted", 422, get, "/memories?limit=101", ""},
		{"none wanted", 422, get, "/memories?limit=0", ""},
		{"no cursor", 422, get, "/memories?cursor=x", ""},
		{"no cursor of facts", 422, get, "/facts?cursor=x", ""},
		{"no cursor of entities", 422, get, "/entities?cursor=x", ""},
		{"no status", 422, get, "/promises?status=lost", ""},
		{"forget nothing", 422, post, "/forget", `{}`},
		{"forget two things", 422, post, "/forget", `{"all": true, "topic": "cats"}`},
		{"forget no day", 422, post, "/forget", `{"day": "2026-13-01"}`},
		{"forget no fact", 422, post, "/forget", `{"fact": "x"}`},
		{"forget an unknown one", 404, post, "/forget", `{"memories": ["x"]}`},
		{"limit without rule", 422, post, "/limits", `{"topic": "war", "rule": "never", "by": "Ada"}`},
		{"cool-down without end", 422, post, "/limits", `{"topic": "war", "rule": "cool_down", "by": "Ada"}`},
		{"unknown limit", 404, del, "/limits/x", ""},
		{"unknown fact", 404, del, "/facts/x", ""},
		{"unknown entity", 404, get, "/entities/x/neighbours", ""},
		{"unknown promise", 404, del, "/promises/" + uuid.NewString(), ""},
	} {
		if got := r.do(tt.method, ada+tt.path, tt.body); got.status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.name, got.status, got.body, tt.status)
		}
	}
	why := r.problem(422, post, ada+"/forget", `{}`).get("errors.0.message").String()
	if !strings.HasPrefix(why, "forget: say one thing") || strings.HasSuffix(why, "not valid") {
		t.Errorf("forgetting nothing is refused with %q", why)
	}
	nobody := "/api/v1/people/0190a7a2-0000-7000-8000-000000000000"
	for _, path := range []string{"/memories", "/facts", "/entities", "/promises", "/limits", "/memory/export"} {
		if got := r.do(get, nobody+path, ""); got.status != http.StatusNotFound {
			t.Errorf("%s of nobody: %d", path, got.status)
		}
	}
	if got := r.texts(ada + "/memories"); len(got) != 0 {
		t.Errorf("kept %q", got)
	}
}
