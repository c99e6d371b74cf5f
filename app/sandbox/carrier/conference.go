package carrier

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
)

// A conference is a room in which two calls hear each other.
type conference struct {
	over chan struct{} // closed when the conference ends

	mu    sync.Mutex       // guards unmet
	unmet map[*line][]byte // audio that each participant has yet to hear
}

// exchange adds a frame that a participant says and returns at most one frame that they hear.
func (f *conference) exchange(of *line, said []byte) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l, waits := range f.unmet {
		if l != of && len(waits) < maxBuffered {
			f.unmet[l] = append(waits, said...)
		}
	}
	waits := f.unmet[of]
	n := min(len(waits), audio.FrameBytes)
	f.unmet[of] = waits[n:]
	return waits[:n]
}

// join adds a line to the named conference. It reports whether there was room.
func (c *Carrier) join(name string, l *line, most int) (*conference, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.rooms[name]
	if f == nil {
		f = &conference{over: make(chan struct{}), unmet: make(map[*line][]byte)}
		c.rooms[name] = f
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.unmet) >= most {
		return nil, false
	}
	f.unmet[l] = nil
	return f, true
}

// leave removes a line from its conference, which ends if ends is set or the conference is empty.
func (c *Carrier) leave(name string, f *conference, l *line, ends bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.unmet, l)
	if c.rooms[name] != f {
		return // over already
	}
	if ends || len(f.unmet) == 0 {
		close(f.over)
		delete(c.rooms, name)
	}
}

// confer carries out a Dial to a Conference, until that is over or the time is up.
func (k *call) confer(ctx context.Context, doc document, verb node) (*source, error) {
	for _, noun := range verb.Children {
		name := noun.text()
		most, err := strconv.Atoi(noun.attr("maxParticipants"))
		if noun.name() != "Conference" || name == "" || err != nil || most != 2 {
			k.c.warn(ctx, 12200, k.sid, "noun not supported: "+noun.name()) // more than two would have to be mixed
			continue
		}
		limit, err := strconv.Atoi(verb.attr("timeLimit"))
		if err != nil || limit < 1 {
			limit = 4 * 60 * 60
		}
		f, ok := k.c.join(name, k.line, most)
		if !ok {
			continue
		}
		k.line.enter(f)
		timer := time.NewTimer(k.c.seconds(float64(limit)))
		select {
		case <-ctx.Done():
		case <-f.over:
		case <-timer.C:
		}
		timer.Stop()
		k.line.enter(nil)
		k.c.leave(name, f, k.line, noun.attr("endConferenceOnExit") == "true")
	}
	if action := verb.attr("action"); action != "" && ctx.Err() == nil {
		return k.follows(ctx, doc, action)
	}
	return nil, nil //nolint:nilnil // on to the next verb
}
