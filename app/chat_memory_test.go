package app

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/qdranttest"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// The text channel recalls what was said in calls and in its own sessions, from
// within its scope, and what is forgotten or has moved is not recalled.
func TestChatMemory(t *testing.T) {
	t.Parallel()
	a := made(t, "") // no embeddings: words alone
	m := &chatMemory{store: a.store, service: a.memory, learner: a.learner, log: a.log, settings: a.cfg.memorySettings()}
	ada, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada Winter", PreferredName: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"},
		nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	_, err = a.memory.Keep(t.Context(), []memory.Turn{
		{Scope: memory.Scope{Person: ada.ID}, Conversation: "call", Speaker: calls.RoleAssistant, Text: "How is Biscuit?", At: now, Source: memories.FromCall, SourceKey: "c/1"},
		{Scope: memory.Scope{Person: ada.ID}, Conversation: "call", Speaker: calls.RoleUser, Text: "My cat sleeps all day.", At: now, Source: memories.FromCall, SourceKey: "c/2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	hers := chat.Scope{Session: uuid.Must(uuid.NewV7()), Person: ada.ID}
	family, other := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	one := chat.Scope{Session: uuid.Must(uuid.NewV7()), Project: family}
	two := chat.Scope{Session: uuid.Must(uuid.NewV7()), Project: family}
	for i, e := range []struct {
		scope    chat.Scope
		id       int64
		message  string
		response string
	}{
		{hers, 1, "The cat caught a mouse.", "Clever cat."},
		{one, 2, "Our reunion is in Whitby, with a cat.", "How nice."},
		{hers, 3, "Yes.", ""},
		{hers, 4, "\x00", strings.Repeat("On and on. ", 10_000)},
	} {
		for range 2 { // again changes nothing
			if err := m.Remember(t.Context(), e.scope, chat.Episode{ID: e.id, Message: e.message, Response: e.response, At: now.Add(time.Duration(i) * time.Minute)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	recall := func(scope chat.Scope, text string, exclude ...int64) (all string, found []chat.Recalled) {
		t.Helper()
		rec, err := m.Recall(t.Context(), scope, chat.Query{Text: text, Now: now, Limit: 10, MinScore: 0.4, KeywordWeight: 1, SemanticWeight: 1, Exclude: exclude})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, r := range rec.Recalled {
			texts = append(texts, r.Text)
		}
		return strings.Join(texts, "\n"), rec.Recalled
	}

	all, found := recall(hers, "the cat")
	if !strings.Contains(all, "nAIber: How is Biscuit?\nAda: My cat sleeps all day.") || !strings.Contains(all, "mouse") || strings.Contains(all, "Whitby") {
		t.Errorf("recalled %q", all)
	}
	for _, r := range found {
		call, written := strings.Contains(r.Text, "Biscuit"), strings.Contains(r.Text, "mouse")
		if r.Person != ada.ID || r.At.IsZero() || call && (r.Episode != 0 || r.Session != uuid.Nil) || written && (r.Episode != 1 || r.Session != hers.Session) {
			t.Errorf("recalled %+v", r)
		}
	}
	if all, _ := recall(hers, "the cat", 1); strings.Contains(all, "mouse") {
		t.Errorf("an episode that stands in the prompt is recalled: %q", all)
	}
	if all, _ := recall(two, "reunion"); !strings.Contains(all, "Whitby") || strings.Contains(all, "mouse") {
		t.Errorf("a sibling recalled %q", all)
	}
	rec, err := m.Recall(t.Context(), two, chat.Query{Text: "reunion", Now: now, Limit: 10})
	if err != nil || len(rec.Recalled) > 0 {
		t.Errorf("with both lists switched off: %+v, %v", rec, err)
	}

	// The session moves: its old siblings see it no more, the new ones do.
	one.Project = other
	if err := m.Remember(t.Context(), one, chat.Episode{ID: 2, Message: "Our reunion is in Whitby, with a cat.", Response: "How nice.", At: now.Add(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	if all, _ := recall(two, "reunion"); all != "" {
		t.Errorf("after the move a former sibling recalled %q", all)
	}
	two.Project = other
	if all, _ := recall(two, "reunion"); !strings.Contains(all, "Whitby") {
		t.Errorf("after the move the new sibling recalled %q", all)
	}

	if err := m.Forget(t.Context(), hers.Session, 1, 99); err != nil {
		t.Fatal(err)
	}
	if all, _ := recall(hers, "the cat"); strings.Contains(all, "mouse") || !strings.Contains(all, "Biscuit") {
		t.Errorf("after an episode was forgotten: %q", all)
	}
	if err := m.Forget(t.Context(), one.Session); err != nil {
		t.Fatal(err)
	}
	if all, _ := recall(two, "reunion"); all != "" {
		t.Errorf("after a session was forgotten: %q", all)
	}
	if err := m.Forget(t.Context(), uuid.Must(uuid.NewV7())); err != nil {
		t.Errorf("a session that memory never held: %v", err)
	}
}

// Whom a question is about without a name is found by what is known of them.
func TestGraphByMeaning(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(model.New(model.Config{}))
	t.Cleanup(server.Close)
	client, err := llm.New(llm.Config{BaseURL: server.URL + "/v1", Models: []string{"gpt-4o"}, EmbeddingModel: "text-embedding-3-small"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	st := storetest.New(t)
	shelf := vectors.NewPostgres(st, vectors.PostgresConfig{})
	t.Cleanup(func() { _ = shelf.Close() })
	svc, err := service.New(service.Config{Store: st, Vectors: shelf, Embedder: client, Model: "sandbox", VectorWait: time.Minute, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	m := &chatMemory{store: st, service: svc, settings: search.DefaultSettings()}
	var persons []people.Person
	for _, name := range []string{"Ada", "Ben"} {
		p, err := st.CreatePerson(t.Context(), people.Person{Name: name, Phone: "+15550100123", Timezone: "UTC", Language: "en"},
			nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: name, How: "on paper"}})
		if err != nil {
			t.Fatal(err)
		}
		persons = append(persons, p)
	}
	err = st.InTx(t.Context(), func(tx store.Tx) error {
		for _, e := range []memories.Entity{
			{ID: uuid.New(), Kind: "person", Name: "Thomas", Aliases: []string{"thomas"}, Notes: "plays the organ in church"},
			{ID: uuid.New(), Kind: "place", Name: "Gander", Aliases: []string{"gander"}, Notes: "a town with an airport"},
		} {
			if err := st.SaveMemoryEntity(t.Context(), tx, persons[0].ID, e, time.Now(), nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"- Thomas (person): plays the organ in church\n", ""} {
		rec, err := m.Recall(t.Context(), chat.Scope{Session: uuid.New(), Person: persons[i].ID},
			chat.Query{Text: "Who plays the church organ?", Now: time.Now(), Limit: 5, MinScore: 0.4, KeywordWeight: 1, SemanticWeight: 1})
		if err != nil || rec.Graph != want || len(rec.Degraded) > 0 {
			t.Errorf("%s: graph %q, degraded %v, %v", persons[i].Name, rec.Graph, rec.Degraded, err)
		}
	}
}

// What a call begins with: what was learned, and what was promised, which is
// used up by it, and comes again when the line is picked up.
func TestOpenings(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	ada, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada Winter", PreferredName: "Ada", Phone: "+15550100124", Timezone: "UTC", Language: "en", Notes: "Keeps bees."},
		nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}, {Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(of calls.CallType) calls.Call {
		t.Helper()
		c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: of, Direction: calls.Inbound, Phone: ada.Phone})
		if err != nil {
			t.Fatal(err)
		}
		// Only one call of a person is live at a time.
		_, _, err = a.store.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"},
			func(store.Tx, calls.Call) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	earlier := call(calls.CallGeneral)
	err = a.store.InTx(t.Context(), func(tx store.Tx) error {
		if err := a.store.AddMemoryPromise(t.Context(), tx, memories.Promise{
			ID: uuid.Must(uuid.NewV7()), PersonID: ada.ID, Text: "how the eye visit went", Kind: "follow_up", CallID: earlier.ID,
		}); err != nil {
			return err
		}
		return a.store.AddMemoryFact(t.Context(), tx, memories.Fact{
			ID: uuid.Must(uuid.NewV7()), PersonID: ada.ID, Text: "Thomas lives in Lisbon.", Kind: "person", Confidence: 1, LearnedAt: time.Now().Add(-time.Hour),
		}, nil, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.store.SaveTopics(t.Context(), ada.ID, earlier.ID, time.Now(), []memories.TopicMention{{Label: "brother", Mentions: 9}, {Label: "bees", Mentions: 1}}); err != nil {
		t.Fatal(err)
	}
	err = a.store.InTx(t.Context(), func(tx store.Tx) error {
		_, err := a.store.AddMemoryLimit(t.Context(), tx, memories.Limit{ID: uuid.Must(uuid.NewV7()), PersonID: ada.ID, Topic: "brother", Rule: memories.NeverRaise, By: "person"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	opens := func(c calls.Call) (memories, promises, topics string) {
		t.Helper()
		r, err := a.openings.Recollect(t.Context(), c, ada)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(r.Memories, "\n"), strings.Join(r.Promises, "\n"), strings.Join(r.Topics, "\n")
	}
	memories, promises, topics := opens(call(calls.CallHealthCheck))
	if !strings.Contains(memories, "Lisbon") || !strings.Contains(memories, "bees") || promises != "" || topics != "bees" {
		t.Errorf("a health check begins with %q, %q, %q", memories, promises, topics)
	}
	c := call(calls.CallGeneral)
	for range 2 { // and when the line was picked up again
		if _, promises, _ := opens(c); promises != "how the eye visit went" {
			t.Errorf("the call begins with the promise %q", promises)
		}
	}
	if _, promises, _ := opens(call(calls.CallGeneral)); promises != "" {
		t.Errorf("the next call begins with what was used: %q", promises)
	}
	if r, err := a.openings.Recollect(t.Context(), calls.Call{}, people.Person{}); err != nil || len(r.Memories)+len(r.Promises)+len(r.Topics) > 0 {
		t.Errorf("of nobody: %+v, %v", r, err)
	}
}

// However long episodes are, as many are recalled as are wanted: the long ones in
// part. The budget of calls has no say in it.
func TestChatRecallsLongEpisodes(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	m := &chatMemory{store: a.store, service: a.memory, learner: a.learner, log: a.log, settings: a.cfg.memorySettings()}
	session := chat.Scope{Session: uuid.Must(uuid.NewV7())}
	now := time.Now()
	for i := range 20 {
		e := chat.Episode{
			ID: int64(i + 1), Message: fmt.Sprintf("Letter %d about the garden. ", i) + strings.Repeat("It rained all day again. ", 300),
			Response: "Thank you for the letter.", At: now.Add(time.Duration(i-100) * time.Hour),
		}
		if err := m.Remember(t.Context(), session, e); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := m.Recall(t.Context(), session, chat.Query{
		Text: "What about the garden?", Now: now, Limit: 20, Budget: a.cfg.Chat.RecallBudget, MinScore: 0.4, KeywordWeight: 1, SemanticWeight: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	episodes, size := map[int64]bool{}, 0
	for _, r := range rec.Recalled {
		episodes[r.Episode] = strings.Contains(r.Text, "about the garden. It rained") && strings.Contains(r.Text, "…")
		size += len([]rune(r.Text))
	}
	maps.DeleteFunc(episodes, func(_ int64, inPart bool) bool { return !inPart })
	if len(episodes) != 20 || size > 4*a.cfg.Chat.RecallBudget {
		t.Errorf("%d of 20 episodes were recalled, in %d characters", len(episodes), size)
	}
}

// What a message costs the database does not grow with its session.
func TestChatMessageCostsTheSameInALongSession(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	m := &chatMemory{store: a.store, service: a.memory, learner: a.learner, log: a.log, settings: a.cfg.memorySettings()}
	_, err := a.store.Pool().Exec(t.Context(), `
		create sequence row_changes;
		create function count_change() returns trigger language plpgsql as 'begin perform nextval(''row_changes''); return null; end';
		create trigger counted after insert or update or delete on memory_turns for each row execute function count_change();
		create trigger counted after insert or update or delete on memory_windows for each row execute function count_change();
		create trigger counted after insert or update or delete on memory_terms for each row execute function count_change();
		create trigger counted after insert or update or delete on memory_queue for each row execute function count_change()`)
	if err != nil {
		t.Fatal(err)
	}
	cost := map[int]int{}
	for _, length := range []int{60, 600} {
		scope := chat.Scope{Session: uuid.Must(uuid.NewV7()), Project: uuid.Must(uuid.NewV7())}
		episode := func(n int) chat.Episode {
			return chat.Episode{ID: int64(n), Message: "The garden again.", Response: "How nice.", At: time.Now().Add(time.Duration(n) * time.Second)}
		}
		var before []memory.Turn
		for n := range length - 1 {
			e := episode(n + 1)
			for part, text := range map[calls.Role]string{calls.RoleUser: e.Message, calls.RoleAssistant: e.Response} {
				before = append(before, memory.Turn{
					Scope: memoryScope(scope), Conversation: scope.Session.String(), Speaker: part, Text: text, At: e.At,
					Source: memories.FromChat, SourceKey: memory.EpisodeKey(scope.Session, e.ID, part),
				})
			}
		}
		if _, err := a.memory.Keep(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		var from, to int
		read := func(n *int) {
			if err := a.store.Pool().QueryRow(t.Context(), "select nextval('row_changes')").Scan(n); err != nil {
				t.Fatal(err)
			}
		}
		read(&from)
		if err := m.Remember(t.Context(), scope, episode(length)); err != nil {
			t.Fatal(err)
		}
		read(&to)
		cost[length] = to - from - 1
	}
	if cost[60] == 0 || cost[600] != cost[60] {
		t.Errorf("rows changed by a message, by the length of its session: %v", cost)
	}
}

// Sessions of one project may be written to and moved at the same time.
func TestConcurrentMovesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	m := &chatMemory{store: a.store, service: a.memory, learner: a.learner, log: a.log, settings: a.cfg.memorySettings()}
	projects := []uuid.UUID{uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())}
	words := strings.Fields("garden roses soup doctor puppy terrier rain tea bread window letter church spade harbour orchard candle")
	var writers sync.WaitGroup
	for w := range 6 {
		session := uuid.Must(uuid.NewV7())
		random := rand.New(rand.NewPCG(1, uint64(w)))
		writers.Go(func() {
			for n := range 12 {
				said := make([]string, len(words))
				for i, at := range random.Perm(len(words)) {
					said[i] = words[at]
				}
				scope := chat.Scope{Session: session, Project: projects[(w+n/2)%2]}
				e := chat.Episode{ID: int64(n + 1), Message: strings.Join(said, " "), Response: "How nice.", At: time.Now()}
				if err := m.Remember(t.Context(), scope, e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
}

// Where relations cannot be read, whom a message names is still known, in writing
// and on the telephone, and it is counted.
func TestGraphFallsBackToItsEntities(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	m := &chatMemory{store: a.store, service: a.memory, learner: a.learner, log: a.log, settings: a.cfg.memorySettings()}
	ada, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"},
		nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	err = a.store.InTx(t.Context(), func(tx store.Tx) error {
		tom := memories.Entity{ID: uuid.New(), Kind: "person", Name: "Tom", Notes: "a neighbour", Aliases: []string{"tom"}}
		return a.store.SaveMemoryEntity(t.Context(), tx, ada.ID, tom, time.Now(), nil)
	})
	if err == nil {
		_, err = a.store.Pool().Exec(t.Context(), "alter table memory_relations rename column created_at to created_at_away")
	}
	if err != nil {
		t.Fatal(err)
	}
	q := chat.Query{Text: "How is Tom?", Now: time.Now(), Limit: 5, KeywordWeight: 1, SemanticWeight: 1}
	rec, err := m.Recall(t.Context(), chat.Scope{Session: uuid.Must(uuid.NewV7()), Person: ada.ID}, q)
	if err != nil || !strings.Contains(rec.Graph, "- Tom (person): a neighbour") || !slices.Contains(rec.Degraded, "graph") {
		t.Errorf("in writing: %+v, %v", rec, err)
	}
	known, err := a.recall.Recall(t.Context(), ada, "How is Tom?", nil)
	if err != nil || !slices.Contains(known, "Tom (person): a neighbour") {
		t.Errorf("on the telephone: %q, %v", known, err)
	}
	if all := a.Degraded(); !slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, "recall: graph") }) {
		t.Errorf("degraded: %v", all)
	}
}

// The text channel says so when the embedding model is away, or Qdrant.
func TestChatAsksAfterItsEmbeddings(t *testing.T) {
	t.Parallel()
	cfg := complete()
	cfg.DataDir, cfg.Server.Host, cfg.Server.Port = t.TempDir(), "127.0.0.1", 0
	qdrant := qdranttest.New(t, qdranttest.Options{})
	cfg.Qdrant.URL = qdrant.URL()
	srv := httptest.NewServer(model.New(model.Config{}))
	t.Cleanup(srv.Close)
	cfg.OpenAI.BaseURL = srv.URL + "/v1"
	a, err := New(t.Context(), cfg, Options{DatabaseURL: storetest.URL(t)}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.release(context.Background()) })
	down := func() (out []string) {
		r := httptest.NewRequest(http.MethodGet, "/health/services", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+cfg.Auth.APIToken.Reveal())
		w := httptest.NewRecorder()
		a.http.Handler.ServeHTTP(w, r)
		for _, name := range gjson.Get(w.Body.String(), `#(status=="down")#.name`).Array() {
			out = append(out, name.String())
		}
		return out
	}
	until(t, "all are there", func() bool { return len(down()) == 0 })
	srv.Close()
	qdrant.Stop()
	if got := down(); !slices.Equal(got, []string{"qdrant", "model", "embeddings"}) && !slices.Equal(got, []string{"model", "embeddings", "qdrant"}) {
		t.Errorf("down: %v", got)
	}
}

// In the sandbox a session gets a title that speaks of its message, and a project a
// summary of what was written, not small talk.
func TestSandboxNamesAndSumsUp(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(model.New(model.Config{}))
	t.Cleanup(srv.Close)
	client, err := llm.New(llm.Config{BaseURL: srv.URL + "/v1", Models: []string{"gpt-4o"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	st := storetest.New(t)
	channel, err := chat.New(chat.Config{Store: st, Model: client})
	if err != nil {
		t.Fatal(err)
	}
	h := chi.NewRouter()
	api.Mount(h, api.Deps{Store: st, Chat: channel, ChatPerMinute: 60, ChatBurst: 60}, func(next http.Handler) http.Handler { return next })
	do := func(method, path, body string) gjson.Result {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		return gjson.Parse(w.Body.String())
	}
	project := do("POST", "/projects", `{"name":"Family"}`).Get("id").String()
	do("POST", "/chat", `{"sessionId":"one","projectId":"`+project+`","message":"Hello! My daughter Anna visits me in Whitby on Sunday with the children. How are you?"}`)
	if err := channel.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if name := do("GET", "/sessions/one", "").Get("name").String(); name != "Daughter Anna visits" {
		t.Errorf("the session is named %q", name)
	}
	if text := do("POST", "/summaries/project/"+project+"/generate", "").Get("text").String(); text != "The person wrote: My daughter Anna visits me in Whitby on Sunday with the children." {
		t.Errorf("the project is summed up as %q", text)
	}
}
