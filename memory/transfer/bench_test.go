package transfer_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// BenchmarkTransfer imports the talks of two years, 10,000 turns, exports them
// and forgets them again.
func BenchmarkTransfer(b *testing.B) {
	const turns = 10_000
	h := newBenchHouse(b)
	p, err := h.Store.CreatePerson(b.Context(), people.Person{Name: "Margaret", Phone: "+15550100123", Timezone: "UTC", Language: "en"}, nil,
		[]people.Consent{{Scope: people.ScopeMemory, GivenBy: "Margaret", How: "by telephone"}})
	if err != nil {
		b.Fatal(err)
	}
	words := strings.Fields("garden roses dog Biscuit brother Karl church soup doctor knee rain bridge tea letter train Boston")
	var file strings.Builder
	for i := range turns {
		fmt.Fprintf(&file, `{"text": "Today it was the %s and the %s, and then %s again, number %d.", "at": %q, "conversation": "call %d"}`+"\n",
			words[i%16], words[i*7%16], words[i*5%16], i, memtest.November.Add(time.Duration(i)*time.Hour).Format(time.RFC3339), i/40)
	}
	var in, read, out time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := h.Import(b.Context(), p.ID, strings.NewReader(file.String()), transfer.Options{}); err != nil {
			b.Fatal(err)
		}
		in += time.Since(began)
		began = time.Now()
		if n, err := h.Export(b.Context(), p.ID, io.Discard, memtest.November); err != nil || n != turns {
			b.Fatal(n, err)
		}
		read += time.Since(began)
		began = time.Now()
		f, err := h.Forget(b.Context(), forget.Request{Person: p.ID, All: true})
		if err != nil || f.Turns != turns {
			b.Fatal(f.Turns, err)
		}
		out += time.Since(began)
	}
	b.ReportMetric(float64(turns*b.N)/in.Seconds(), "imported/s")
	b.ReportMetric(float64(turns*b.N)/read.Seconds(), "exported/s")
	b.ReportMetric(float64(turns*b.N)/out.Seconds(), "forgotten/s")
}

// newBenchHouse is a service without vectors: they are made later.
func newBenchHouse(b *testing.B) *memtest.House {
	b.Helper()
	h := &memtest.House{Store: storetest.New(b)}
	var err error
	if h.Service, err = service.New(service.Config{Store: h.Store, Log: slog.New(slog.DiscardHandler)}); err != nil {
		b.Fatal(err)
	}
	return h
}
