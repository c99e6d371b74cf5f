package telephony

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive/survivetest"
)

// Whatever of an opening panics, the conversation begins without it.
func TestPanicInAnOpening(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.OpeningDeadline = time.Minute }) // a busy machine is slow
	log, expect := survivetest.Watch(t, "opening")
	h.Service.log = log
	h.dep.Recollection = recollection(func(context.Context, calls.Call, people.Person) (Recollected, error) { panic("no memory") })
	ada := h.person("Ada", "+15550100123")
	c := h.place(ada)
	for n := range 2 {
		in, _, err := h.opening(t.Context(), calls.Line{Call: c, Person: ada}, false)
		if err != nil || !strings.Contains(in.Prompt, "Ada Example") || strings.Contains(in.Prompt, "WHAT YOU REMEMBER") {
			t.Errorf("%v:\n%s", err, in.Prompt)
		}
		expect(n + 1)
	}
}

// A panic in giving up the stream that another one replaces ends that call, and no
// other.
func TestPanicInReplacingAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		log, expect := survivetest.Watch(t, "stream")
		r.bridge.log = log
		other := r.another()
		r.begin()
		c, ok := r.bridge.live.get(rigCall.ID)
		if !ok {
			t.Fatal("no call")
		}
		old := c.loop.stream
		c.loop.stream = &stream{} // it has no socket to close
		defer func() { _ = old.conn.CloseNow() }()
		r.mu.Lock()
		r.tokens["t1"] = rigCall // as a new stream of the call has
		r.mu.Unlock()
		if err := r.step("phone", "dial good"); err != nil {
			t.Fatal(err)
		}
		if err := r.step("phone", "start t1"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second) //nolint:forbidigo // the bubble's own time
		expect(1)
		if out := strings.Join(r.said(), "\n"); !strings.Contains(out, "cause internal by naiber") {
			t.Errorf("said:\n%s", out)
		}
		if _, ok := r.bridge.live.get(other.id); !ok || other.ending() {
			t.Error("the other call has ended, too")
		}
	})
}
