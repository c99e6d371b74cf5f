package relaytest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	stampHead = "NAIB"
	stampLen  = len(stampHead) + 4 + 8 + 16 // call, number, time: digits are base64 too
)

// Stamped returns 20 ms of base64 audio with room for a stamp. call must be below 10,000.
func Stamped(call int) string {
	s := fmt.Sprintf("%s%04d%08d%016d", stampHead, call, 0, 0)
	return s + strings.Repeat("A", 216-len(s))
}

func putDigits(b []byte, v int64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
}

func digits(b []byte) (v int64) {
	for _, c := range b {
		v = v*10 + int64(c-'0')
	}
	return v
}

// epoch is the time that stamps count from: both ends of a flow are in one process.
var epoch = time.Now()

// Sender is the near end of one direction of one call. Only one goroutine may use it.
type Sender struct {
	Sent int64 // frames sent so far

	conn  *Conn
	frame []byte
	stamp []byte // a part of frame
}

// NewSender returns a sender of copies of frame, which must contain [Stamped] audio.
func NewSender(conn *Conn, frame []byte) *Sender {
	at := bytes.Index(frame, []byte(stampHead))
	return &Sender{conn: conn, frame: frame, stamp: frame[at : at+stampLen]}
}

// Send stamps and sends the next frame.
func (s *Sender) Send() error {
	s.Sent++
	putDigits(s.stamp[8:16], s.Sent)
	putDigits(s.stamp[16:32], int64(time.Since(epoch)))
	_, err := s.conn.Write(s.frame)
	return err
}

// Close closes the connection.
func (s *Sender) Close() error { return s.conn.Close() }

// Speak sends 50 frames a second from each sender for the duration d. Calls do not all speak in the
// same instant, so they are spread over the 20 ms.
func Speak(senders []*Sender, d time.Duration) {
	const slots = 10
	tick := time.NewTicker(20 * time.Millisecond / slots)
	defer tick.Stop()
	for i := range int(d / (20 * time.Millisecond) * slots) {
		<-tick.C
		slot := i % slots
		for _, s := range senders[slot*len(senders)/slots : (slot+1)*len(senders)/slots] {
			if s.Send() != nil {
				return // frames that did not arrive count as lost
			}
		}
	}
}

// Receiver is the far end of one direction of one call. It may be used concurrently.
type Receiver struct {
	call int

	mu sync.Mutex // guards all below
	n  Tally
}

// Tally holds the counts of a [Receiver].
type Tally struct {
	// Lost, Swapped and Crossed count frames that did not arrive, arrived out of order, or belong
	// to another call.
	Lost, Swapped, Crossed int64
	// Last is the number of the last frame in order.
	Last int64
	// Late is the delay of each frame.
	Late []time.Duration
}

// NewReceiver returns a receiver for about n frames of a call.
func NewReceiver(call, n int) *Receiver {
	return &Receiver{call: call, n: Tally{Late: make([]time.Duration, 0, n)}}
}

// Tally returns the counts so far, and begins a new list of delays.
func (r *Receiver) Tally() Tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.n
	r.n.Late = make([]time.Duration, 0, cap(n.Late))
	return n
}

// Listen receives frames until the connection ends.
func (r *Receiver) Listen(conn *Conn) {
	buf := make([]byte, 0, 512)
	for {
		b, err := conn.Read(buf)
		if err != nil {
			return
		}
		r.Take(b)
		buf = b
	}
}

// Take counts a message. It ignores one without a stamp.
func (r *Receiver) Take(message []byte) {
	at := bytes.Index(message, []byte(stampHead))
	if at < 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.n
	s := message[at : at+stampLen]
	if digits(s[4:8]) != int64(r.call) {
		t.Crossed++
		return
	}
	switch n := digits(s[8:16]); {
	case n == t.Last+1:
		t.Last = n
	case n > t.Last:
		t.Lost += n - t.Last - 1
		t.Last = n
	default:
		t.Swapped++
		return
	}
	t.Late = append(t.Late, time.Since(epoch)-time.Duration(digits(s[16:32])))
}

// Percentile returns the p-th quantile, p from 0 to 1, of durations, which it sorts; 0 if there are
// none.
func Percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(float64(len(all))*p))]
}
