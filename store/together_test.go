package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/store/survive"
)

// Turns that come while others are written share a round trip; a call that is locked
// holds up no other, and a turn that is refused takes none along.
func TestTurnsAreWrittenTogether(t *testing.T) {
	t.Parallel()
	const many = 20
	url := pooled(t, storetest.URL(t), "6") // others pass while one waits
	s, trips := storetest.Counted(t, url)
	locks, watch := storetest.Open(t, url), storetest.Open(t, url)
	locked := newCall(t, s, ada(t, s))
	free, err := s.CreateCall(t.Context(), calls.NewCall{Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100777"})
	if err != nil {
		t.Fatal(err)
	}
	startMany := func() {
		var all sync.WaitGroup
		for place := range many {
			all.Go(func() { startTurn(t, s, free.ID, place) })
		}
		all.Wait()
	}
	var held sync.WaitGroup
	err = locks.InTx(t.Context(), func(tx store.Tx) error {
		if _, err := tx.Exec(t.Context(), "select 1 from calls where id = $1 for update", locked.ID); err != nil {
			return err
		}
		held.Go(func() { startTurn(t, s, locked.ID, 1) })
		waiting(t, watch, 1)
		if n, statements := trips.Of(startMany); statements != many || n >= many {
			t.Errorf("%d turns took %d round trips and %d statements", many, n, statements)
		}
		var refused sync.WaitGroup
		refused.Go(func() {
			turn := calls.Turn{ID: store.NewTurnID(), CallID: store.NewCallID(), Kind: calls.TurnSpeech, At: time.Now()}
			if err := s.StartTurn(t.Context(), turn); !errors.Is(err, store.ErrConflict) {
				t.Errorf("turn of no call: %v; want a conflict", err)
			}
		})
		startMany()
		refused.Wait()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	held.Wait()
	for id, want := range map[store.CallID]int{locked.ID: 1, free.ID: 2 * many} {
		if got, err := s.Turns(t.Context(), id); err != nil || len(got) != want {
			t.Errorf("%d turns, %v; want %d", len(got), err, want)
		}
	}
}

// A statement that panics ends with an error, and so do those that are asked with it.
func TestPanicTogether(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.URL(t))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.Together(ctx, func(db.DBTX) error { panic("lost") }); !errors.Is(err, survive.ErrPanic) {
		t.Errorf("got %v", err)
	}
	if err := s.Together(ctx, func(conn db.DBTX) error { _, err := conn.Exec(ctx, "select 1"); return err }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Who tells a call's timeline and who ends the call at the same time do not wait for each
// other.
func TestTimelineIsToldWhileACallEnds(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	s, other := storetest.Open(t, url), storetest.Open(t, url)
	c := newCall(t, s, ada(t, s))
	told := make(chan error, 1)
	_, ended, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: calls.OutcomeReached}, func(tx store.Tx, c calls.Call) error {
		go func() {
			_, err := other.AddEvent(t.Context(), c.ID, "revoked", nil, "revoked")
			told <- err
		}()
		select {
		case err := <-told: // while the ending is not committed
			told <- err
		case <-time.After(10 * time.Second):
			t.Error("the timeline waits for the ending")
		}
		_, err := s.AddEventTx(t.Context(), tx, c.ID, "ended", nil, "ended")
		return err
	})
	if err := errors.Join(err, <-told); err != nil || !ended {
		t.Errorf("ended %t, %v", ended, err)
	}
}
