package parts_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/storetest"
)

var benchParts = flag.Int("parts", 100_000, "parts in the catalogue of the benchmark, a hundred a model")

const (
	benchEach = 100  // parts of a model
	benchAsks = 2000 // of each kind of lookup
)

var benchSymptoms = []string{
	"Will Not Start", "Not draining", "Leaking from the door", "Door will not close", "Not cleaning dishes properly", "Loud noise when draining",
	"Dishes stay wet", "Stops in the middle of a cycle", "Dispenser lid does not open", "Overfills", "Not filling with water", "Lights flash",
	"Buttons do not respond", "Spray arm does not turn", "Rack does not slide", "Water stays in the bottom", "Burnt smell", "Drum does not turn",
	"Will not spin", "Shakes and moves", "Fridge is too warm", "Not making ice", "Door does not seal", "Takes too long to dry", "Oven does not heat",
}

var benchSaid = []string{
	"it won't start", "it leaks", "the dishes come out dirty", "won't drain", "there is a loud noise when it drains", "the door won't shut",
	"it stopped filling with water", "it stops in mid-cycle", "the fridge is not cold", "the drum won't turn", "buttons don't do anything",
}

// BenchmarkLookup imports a catalogue and asks it, and prints what the slowest
// hundredth of the lookups takes, and the most memory that the process has had:
//
//	go test ./store/parts -run '^$' -bench Lookup -benchtime 1x -timeout 60m -args -parts 1000000
func BenchmarkLookup(b *testing.B) {
	st := storetest.New(b)
	r := rand.New(rand.NewPCG(1, 2))
	n := *benchParts
	b.Run("import", func(b *testing.B) {
		began := time.Now()
		done, err := st.ImportCatalogue(b.Context(), benchFile(b, n), parts.ImportOptions{Invalid: func(e parts.RowError) { b.Error(e) }})
		if err != nil || done.Parts != n {
			b.Fatal(done, err)
		}
		b.ReportMetric(float64(n)/time.Since(began).Seconds(), "parts/s")
		b.ReportMetric(peakMB(b), "MB-peak")
	})
	b.Run("import again", func(b *testing.B) {
		began := time.Now()
		done, err := st.ImportCatalogue(b.Context(), benchFile(b, n), parts.ImportOptions{})
		if err != nil || done.Unchanged() != n {
			b.Fatal(done, err)
		}
		b.ReportMetric(float64(n)/time.Since(began).Seconds(), "parts/s")
		b.ReportMetric(peakMB(b), "MB-peak")
	})
	if _, err := st.Pool().Exec(b.Context(), "vacuum (analyze) catalogue_parts, catalogue_models, catalogue_grams"); err != nil {
		b.Fatal(err)
	}
	if b.Failed() {
		return
	}
	part := func() int { return r.IntN(n) }
	for _, l := range []struct {
		name string
		ask  func(ctx context.Context, i int) error
	}{
		{"CatalogueModel", func(ctx context.Context, i int) error {
			_, err := st.CatalogueModel(ctx, benchModel(i))
			return err
		}},
		{"CataloguePart", func(ctx context.Context, i int) error {
			_, err := st.CataloguePart(ctx, benchModel(i), benchNumber(i))
			return err
		}},
		{"CatalogueParts", func(ctx context.Context, i int) error {
			return some(st.CatalogueParts(ctx, benchNumber(i), 10))
		}},
		{"CatalogueHost", func(ctx context.Context, i int) error {
			found, err := st.CatalogueHost(ctx, []string{"parts.example", "videos.example", "evil.example"}[i%3])
			if found == (i%3 == 2) {
				return errors.Join(err, errors.New("another host"))
			}
			return err
		}},
		{"MatchParts", func(ctx context.Context, i int) error {
			_, err := st.MatchParts(ctx, benchModel(i), []string{benchSaid[i%len(benchSaid)], benchSaid[i/7%len(benchSaid)], benchSymptoms[i%len(benchSymptoms)]}, 3)
			return err
		}},
		{"NearModels", func(ctx context.Context, i int) error {
			return some(st.NearModels(ctx, misheard(r, benchModel(i)), 3))
		}},
		{"NearParts of a model", func(ctx context.Context, i int) error {
			return some(st.NearParts(ctx, benchModel(i), misheard(r, benchNumber(i)), 3))
		}},
		{"NearParts of all", func(ctx context.Context, i int) error {
			return some(st.NearParts(ctx, "", misheard(r, benchNumber(i)), 3))
		}},
		{"NearParts of none", func(ctx context.Context, _ int) error {
			_, err := st.NearParts(ctx, "", fmt.Sprintf("ZZ%07d", r.IntN(1e7)), 3)
			return err
		}},
	} {
		b.Run(l.name, func(b *testing.B) { benchLookup(b, st, part, l.ask) })
	}
}

func some[T any](found []T, err error) error {
	if err == nil && len(found) == 0 {
		err = errors.New("nothing is found")
	}
	return err
}

func benchLookup(b *testing.B, st *store.Store, part func() int, ask func(ctx context.Context, i int) error) {
	b.Helper()
	took := make([]time.Duration, benchAsks)
	for range b.N {
		for j := range took {
			i := part()
			began := time.Now()
			err := ask(b.Context(), i)
			took[j] = time.Since(began)
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	slices.Sort(took)
	for _, q := range []int{50, 99} {
		b.ReportMetric(float64(took[len(took)*q/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", q))
	}
}

func benchModel(i int) string {
	i = i / benchEach * 7919
	return fmt.Sprintf("K%c%c%03d%c%c", 'A'+i/1000%26, 'A'+i/26000%26, i%1000, 'A'+i/676000%26, 'S')
}

func benchNumber(i int) string { return fmt.Sprintf("KP%07d", i*7919%10_000_000) }

// misheard is a number with one or two letters taken for others.
func misheard(r *rand.Rand, number string) string {
	out := []byte(number)
	for range 1 + r.IntN(2) {
		i := 2 + r.IntN(len(out)-2)
		switch alike := map[byte]string{'5': "9", '9': "5", '0': "O", '1': "7", '3': "8", 'S': "F"}[out[i]]; {
		case alike != "":
			out[i] = alike[0]
		case r.IntN(2) == 0:
			out[i], out[i-1] = out[i-1], out[i]
			return string(out)
		default:
			out[i] = '0' + byte(r.IntN(10))
			return string(out)
		}
	}
	return string(out)
}

// benchFile is a catalogue of so many parts. It is written as it is read.
func benchFile(b *testing.B, n int) io.Reader {
	b.Helper()
	in, out := io.Pipe()
	b.Cleanup(func() { _ = in.Close() })
	go func() {
		r := rand.New(rand.NewPCG(3, 4))
		text := "Fits behind the panel and is held by two screws. "
		_, err := io.WriteString(out, "{")
		for i := 0; i < n && err == nil; i++ {
			between := ",\n"
			if i%benchEach == 0 {
				between = fmt.Sprintf(`}},%q: {"parts": {`, benchModel(i))
				if i == 0 {
					between = between[3:]
				}
			}
			_, err = fmt.Fprintf(out, `%s%q: {"name": "Part number %d of the %s", "price": %d.%02d, "description": %q, "image_url": "https://parts.example/%d.jpg",
				"repair_video_url": "https://videos.example/embed/%d", "solves_symptoms": [%q, %q, %q], "steps": [%q, %q]}`,
				between, benchNumber(i), i%benchEach, []string{"pump", "valve", "door", "rack", "heater", "board"}[i%6], r.IntN(300), r.IntN(100), text+text+text, i, i,
				benchSymptoms[r.IntN(len(benchSymptoms))], benchSymptoms[r.IntN(len(benchSymptoms))], fmt.Sprintf("Sign %d lights", r.IntN(30)), text, text)
		}
		if err == nil {
			_, err = io.WriteString(out, "}}}")
		}
		_ = out.CloseWithError(err) // nil: the end
	}()
	return in
}

// peakMB returns the most memory that the process has had so far, 0 where the system
// does not say.
func peakMB(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kB, _ := strconv.Atoi(string(m[1]))
	return float64(kB) / 1024
}
