package safety

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
)

// down is a store that is away until it is said to be back.
type down struct {
	Store

	mu   sync.Mutex // guards what follows
	back bool
	did  []string
}

func (d *down) try(what string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.back {
		return errors.New("the database is away")
	}
	d.did = append(d.did, what)
	return nil
}

func (d *down) RaiseAlert(ctx context.Context, n alerts.New) (alerts.Alert, bool, error) {
	if err := d.try("alert " + n.Kind); err != nil {
		return alerts.Alert{}, false, err
	}
	return d.Store.RaiseAlert(ctx, n)
}

func (d *down) MarkDanger(ctx context.Context, id store.CallID, kind string, at time.Time) error {
	if err := d.try("danger"); err != nil {
		return err
	}
	return d.Store.MarkDanger(ctx, id, kind, at)
}

func (d *down) EndDanger(ctx context.Context, id store.CallID, at time.Time) error {
	if err := d.try("over"); err != nil {
		return err
	}
	return d.Store.EndDanger(ctx, id, at)
}

// rulesOver are rules with a journal, and what they keep it in.
func rulesOver(t *testing.T, st Store, dir string) *Rules {
	t.Helper()
	w, err := New(Config{Store: st, Retry: time.Millisecond, Journal: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func onDisk(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// What is raised while the database is away is on disk before the answer, and the next
// process stores it once, in its order; a file that cannot be read holds nothing up.
func TestRedFlagsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	st, dir := storetest.New(t), filepath.Join(t.TempDir(), "journal")
	away := &down{Store: st}
	w := rulesOver(t, away, dir)
	k := &talk{rules: w, line: lineTo(t, st, "en"), persona: w.Middleware(broken)}
	k.hears(t, "I have fallen and I can't get up", "9 9 9")
	if got := onDisk(t, dir); len(got) != 2 {
		t.Fatalf("on disk: %v, want the alert and the danger", got)
	}
	if info, err := os.Stat(filepath.Join(dir, onDisk(t, dir)[0])); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read what was said: %v, %v", info.Mode(), err)
	}
	k.hears(t, "I'm all right, it was a mistake", languages["en"].Texts.Emergency.Over[:20])
	w.Close()
	if err := os.WriteFile(filepath.Join(dir, "1.json"), []byte(`{"call": "`), 0o600); err != nil {
		t.Fatal(err)
	}

	for range 2 { // the second process finds nothing left
		away = &down{Store: st, back: true}
		next := rulesOver(t, away, dir)
		next.Replay(t.Context())
		next.work.Wait()
	}
	list, err := st.Alerts(t.Context(), alerts.Filter{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Kind != "fall_stuck" || !strings.Contains(list[0].Quote, "fallen") || list[0].PersonID != k.line.Person.ID {
		t.Errorf("alerts: %+v, %v", list, err)
	}
	c, err := st.Call(t.Context(), k.line.Call.ID)
	if err != nil || c.Danger == nil || c.Danger.Kind != "fall_stuck" || c.Danger.OverAt == nil {
		t.Errorf("marked %+v, %v", c.Danger, err)
	}
	if got := onDisk(t, dir); len(got) != 1 || got[0] != "1.json" || len(away.did) != 0 {
		t.Errorf("left on disk: %v; stored again: %v", got, away.did)
	}
}

// A danger and its end are stored in the order in which they were told, however long the
// database is away; and a journal that cannot be written holds nothing up.
func TestDangerIsStoredInItsOrder(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for range 20 {
		away := &down{Store: st}
		w := rulesOver(t, away, "/dev/null/journal")
		k := &talk{rules: w, line: lineTo(t, st, "en"), persona: w.Middleware(broken)}
		for range 2 {
			k.hears(t, "I can't breathe", "9 9 9")
			k.hears(t, "I'm all right, it was a mistake", languages["en"].Texts.Emergency.Over[:20])
		}
		away.mu.Lock()
		away.back = true
		away.mu.Unlock()
		w.work.Wait()
		marks := slices.DeleteFunc(away.did, func(what string) bool { return strings.HasPrefix(what, "alert") })
		if !slices.Equal(marks, []string{"danger", "over", "danger", "over"}) {
			t.Fatalf("stored in the order %v", marks)
		}
		if len(w.marks) != 0 {
			t.Errorf("%d calls are remembered", len(w.marks))
		}
	}
}

// Of somebody who was deleted meanwhile nothing is kept, here or on disk.
func TestRedFlagsOfTheDeletedAreDropped(t *testing.T) {
	t.Parallel()
	st, dir := storetest.New(t), t.TempDir()
	w := rulesOver(t, &down{Store: st}, dir)
	k := &talk{rules: w, line: lineTo(t, st, "en"), persona: w.Middleware(broken)}
	k.hears(t, "I have fallen and I can't get up", "9 9 9")
	w.Close()
	if _, err := st.Pool().Exec(t.Context(), "delete from calls where id = $1", k.line.Call.ID.UUID); err != nil {
		t.Fatal(err)
	}
	if err := st.DeletePerson(t.Context(), k.line.Person.ID); err != nil {
		t.Fatal(err)
	}
	next := rulesOver(t, st, dir)
	next.Replay(t.Context())
	next.work.Wait()
	if got := onDisk(t, dir); len(got) != 0 {
		t.Errorf("left on disk: %v", got)
	}
}

// A disk that hangs keeps no alert from the store, nor the call waiting for long.
func TestAlertsDoNotWaitForTheDisk(t *testing.T) {
	t.Parallel()
	st := &tellsOf{alerts: make(chan string, 2)}
	w := rulesOver(t, st, t.TempDir())
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	for _, kind := range []string{"gas", "fire"} {
		w.Raise(t.Context(), alerts.New{Kind: kind, CallID: store.NewCallID()})
		select {
		case got := <-st.alerts:
			if got != kind {
				t.Errorf("stored %q, want %q", got, kind)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s waits for the disk", kind)
		}
	}
}

// tellsOf is a store that tells of alerts.
type tellsOf struct {
	nowhere

	alerts chan string
}

func (s *tellsOf) RaiseAlert(_ context.Context, n alerts.New) (alerts.Alert, bool, error) {
	s.alerts <- n.Kind
	return alerts.Alert{}, true, nil
}

// What another version has left in the journal stays there; it ends no danger.
func TestJournalOfAnotherVersion(t *testing.T) {
	t.Parallel()
	id := store.NewCallID().String()
	for _, c := range []struct {
		body string
		ours bool
	}{
		{`{"call": "` + id + `", "at": "2027-03-04T12:00:00Z"}`, true},
		{`{"call": "` + id + `", "danger": "fire", "at": "2027-03-04T12:00:00Z"}`, true},
		{`{"call": "` + id + `", "alert": {"Kind": "fire", "Later": 1}, "version": 2}`, true}, // somebody must know
		{`{"call": "` + id + `", "opted_out": true, "at": "2027-03-04T12:00:00Z"}`, false},
		{`{}`, false},
		{`null`, false},
		{`{"call": "` + id + `", "at": "2027-03-`, false},
		{``, false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "1.json"), []byte(c.body), 0o600); err != nil {
			t.Fatal(err)
		}
		j := journal{dir: dir}
		visited := 0
		err := j.each(func(string, record) { visited++ })
		if (visited == 1) != c.ours || (err == nil) != c.ours {
			t.Errorf("%s: %d records, %v", c.body, visited, err)
		}
	}
}
