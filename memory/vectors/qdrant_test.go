package vectors_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/qdranttest"
)

var anyone = vectors.Scope{Person: uuid.MustParse("00000000-0000-4000-8000-000000000001")}

func qdrantOf(t *testing.T, srv *qdranttest.Server, change func(*vectors.QdrantConfig)) *vectors.Qdrant {
	t.Helper()
	cfg := vectors.QdrantConfig{URL: srv.URL(), TLS: srv.ClientTLS()}
	if change != nil {
		change(&cfg)
	}
	return openQdrant(t, cfg)
}

func mustEnsure(t *testing.T, st vectors.Store, dims int) {
	t.Helper()
	if err := st.Ensure(t.Context(), dims); err != nil {
		t.Fatalf("ensure: %v", err)
	}
}

// TestQdrantIndexes holds that every key of a filter has its index, also in a
// collection that was made without, and that the person's is the tenant's.
func TestQdrantIndexes(t *testing.T) {
	t.Parallel()
	srv := qdranttest.New(t, qdranttest.Options{})
	raw, err := qdrant.NewClient(rawConfig(t, srv))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	if err := raw.CreateCollection(t.Context(), &qdrant.CreateCollection{
		CollectionName: "bare", VectorsConfig: qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: 2, Distance: qdrant.Distance_Cosine}),
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{vectors.DefaultCollection, "bare"} {
		mustEnsure(t, qdrantOf(t, srv, func(c *vectors.QdrantConfig) { c.Collection = name }), 2)
		for key, want := range map[string]string{
			"person": "Keyword, tenant", "session": "Keyword", "project": "Keyword", "kind": "Keyword", "model": "Keyword", "at": "",
		} {
			if got := srv.Index(name, key); got != want {
				t.Errorf("index %s of %s is %q, want %q", key, name, got, want)
			}
		}
	}
	made := srv.Calls("CreateFieldIndex")
	mustEnsure(t, qdrantOf(t, srv, nil), 2)
	if again := srv.Calls("CreateFieldIndex"); again != made {
		t.Errorf("indexes that are there were made %d times again", again-made)
	}
}

// TestQdrantRefusesForeignCollections names collections that were made for
// something else; the error says what to do.
func TestQdrantRefusesForeignCollections(t *testing.T) {
	t.Parallel()
	srv := qdranttest.New(t, qdranttest.Options{})
	raw, err := qdrant.NewClient(rawConfig(t, srv))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	params := func(size uint64, by qdrant.Distance) *qdrant.VectorParams {
		return &qdrant.VectorParams{Size: size, Distance: by}
	}
	for name, c := range map[string]struct {
		config *qdrant.VectorsConfig
		want   error
	}{
		"larger": {qdrant.NewVectorsConfig(params(3, qdrant.Distance_Cosine)), vectors.ErrDimension},
		"by dot": {qdrant.NewVectorsConfig(params(2, qdrant.Distance_Dot)), vectors.ErrNotReady},
		"named": {
			qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"text": params(2, qdrant.Distance_Cosine)}),
			vectors.ErrNotReady,
		},
	} {
		if err := raw.CreateCollection(t.Context(), &qdrant.CreateCollection{CollectionName: name, VectorsConfig: c.config}); err != nil {
			t.Fatal(err)
		}
		st := qdrantOf(t, srv, func(cfg *vectors.QdrantConfig) { cfg.Collection = name })
		err := st.Ensure(t.Context(), 2)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "name another collection") {
			t.Errorf("%s: got %v, want %v and what to do", name, err, c.want)
		}
		if err := st.Upsert(t.Context(), nil); err != nil {
			t.Errorf("%s: upsert of nothing: %v", name, err)
		}
		_, err = st.Search(t.Context(), vectors.Query{Vector: []float32{1, 0}, Scope: anyone, Model: "m@1", Limit: 1})
		wantIs(t, name+": search", err, vectors.ErrNotReady)
	}
}

func TestQdrantKeyAndTLS(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		srv := qdranttest.New(t, qdranttest.Options{APIKey: "open-sesame", TLS: secure})
		st := qdrantOf(t, srv, func(c *vectors.QdrantConfig) { c.APIKey = "open-sesame" })
		mustEnsure(t, st, 2)
		ids := write(t, st, anyone, 2)
		if got := found(t, st, anyone); len(got) != len(ids) {
			t.Errorf("tls %v: found %v, want %v", secure, got, ids)
		}
		for _, key := range []string{"", "open-barley"} {
			err := qdrantOf(t, srv, func(c *vectors.QdrantConfig) { c.APIKey = key }).Ensure(t.Context(), 2)
			if err == nil || errors.Is(err, vectors.ErrUnreachable) || strings.Contains(err.Error(), "open-") {
				t.Errorf("tls %v: the key %q: got %v, want a refusal that is final and does not quote the key", secure, key, err)
			}
			if err := qdrantOf(t, srv, func(c *vectors.QdrantConfig) { c.APIKey = key }).Ping(t.Context()); err == nil {
				t.Errorf("tls %v: the key %q: a ping is answered", secure, key)
			}
		}
		if !secure {
			continue
		}
		stranger := qdrantOf(t, srv, func(c *vectors.QdrantConfig) { c.APIKey, c.TLS, c.ReadTimeout = "open-sesame", nil, time.Second })
		wantIs(t, "a certificate that nobody vouches for", stranger.Ping(t.Context()), vectors.ErrUnreachable)
	}
}

func TestQdrantBatches(t *testing.T) {
	t.Parallel()
	srv := qdranttest.New(t, qdranttest.Options{MaxBatch: 128})
	st := qdrantOf(t, srv, nil)
	mustEnsure(t, st, 2)
	write(t, st, anyone, 300)
	if got := srv.Calls("Upsert"); got != 3 {
		t.Errorf("300 points took %d calls, want 3", got)
	}
	if n, err := st.Count(t.Context(), anyone, ""); err != nil || n != 300 {
		t.Errorf("count = %d, %v", n, err)
	}
}

// TestQdrantTrouble has calls fail in each way, and counts how often they were tried.
func TestQdrantTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults []codes.Code
		calls  int
		want   error // nil: it works
	}{
		"gone for a moment": {[]codes.Code{codes.Unavailable}, 2, nil},
		"gone":              {[]codes.Code{codes.Unavailable, codes.Unavailable}, 2, vectors.ErrUnreachable},
		"too much at once":  {[]codes.Code{codes.ResourceExhausted}, 1, vectors.ErrUnreachable},
		"collection gone":   {[]codes.Code{codes.NotFound}, 1, vectors.ErrNotReady},
		"refused":           {[]codes.Code{codes.InvalidArgument}, 1, errFinal},
		"its own fault":     {[]codes.Code{codes.Internal}, 1, errFinal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := qdranttest.New(t, qdranttest.Options{})
			st := qdrantOf(t, srv, nil)
			mustEnsure(t, st, 2)
			write(t, st, anyone, 1)
			srv.FailNext(c.faults...)
			_, err := st.Search(t.Context(), vectors.Query{Vector: []float32{1, 0}, Scope: anyone, Model: "m@1", Limit: 1})
			switch {
			case c.want == nil && err != nil:
				t.Errorf("got %v", err)
			case c.want == errFinal: //nolint:errorlint // it is a mark, not an error
				if err == nil || errors.Is(err, vectors.ErrUnreachable) || errors.Is(err, vectors.ErrNotReady) {
					t.Errorf("got %v, want an error that is final", err)
				}
			case c.want != nil:
				wantIs(t, "search", err, c.want)
			}
			if got := srv.Calls("Query"); got != c.calls {
				t.Errorf("tried %d times, want %d", got, c.calls)
			}
		})
	}
}

// TestQdrantPatience holds that where nobody waits, a call is tried for longer.
func TestQdrantPatience(t *testing.T) {
	t.Parallel()
	srv := qdranttest.New(t, qdranttest.Options{})
	st := qdrantOf(t, srv, nil)
	mustEnsure(t, st, 2)
	srv.FailNext(codes.Unavailable, codes.Unavailable, codes.Unavailable)
	write(t, st, anyone, 1)
	if got := srv.Calls("Upsert"); got != 4 {
		t.Errorf("tried %d times, want 4", got)
	}
}

var errFinal = errors.New("final")

// TestQdrantSlow holds that each call has a limit of its own, that the caller's
// is told apart from it, and that a server which comes back is found again.
func TestQdrantSlow(t *testing.T) {
	t.Parallel()
	srv := qdranttest.New(t, qdranttest.Options{})
	patient := qdrantOf(t, srv, nil)
	mustEnsure(t, patient, 2)
	hasty := qdrantOf(t, srv, func(c *vectors.QdrantConfig) { c.ReadTimeout = 50 * time.Millisecond })
	srv.Hold(time.Minute)
	err := hasty.Ping(t.Context())
	wantIs(t, "slow", err, vectors.ErrUnreachable)
	wantIs(t, "slow", err, context.DeadlineExceeded)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, cancel)
	err = patient.Ping(ctx)
	if !errors.Is(err, context.Canceled) || errors.Is(err, vectors.ErrUnreachable) {
		t.Errorf("the caller gave up: got %v", err)
	}
	srv.Hold(0)

	ids := write(t, patient, anyone, 1)
	srv.Stop()
	wantIs(t, "stopped", patient.Ping(t.Context()), vectors.ErrUnreachable)
	srv.Start(t)
	for patient.Ping(t.Context()) != nil {
		if t.Context().Err() != nil {
			t.Fatal("it is not found again")
		}
	}
	if got := found(t, patient, anyone); len(got) != 1 || got[0] != ids[0] {
		t.Errorf("found %v, want %v", got, ids)
	}
}

func TestQdrantURL(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "localhost:6334", "ftp://localhost", "http://", "http://:6334", "http://h:0", "http://h:70000", "http://user:secret@h", "http://h/path",
		"http://h?key=secret", "http://h#x", "http://h:secret",
	} {
		if _, err := vectors.NewQdrant(vectors.QdrantConfig{URL: bad}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want an error that does not quote it", bad, err)
		}
	}
	for good, want := range map[string]string{
		"http://h": "h:6334", "http://h:6333": "h:6334", "https://h:443": "h:443", "grpc://h:1/": "h:1", "http://[::1]:7": "[::1]:7",
	} {
		var log bytes.Buffer
		st := openQdrant(t, vectors.QdrantConfig{URL: good, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if got := vectors.Target(st); got != want {
			t.Errorf("%q leads to %q, want %q", good, got, want)
		}
		if told := log.Len() > 0; told != (good == "http://h:6333") {
			t.Errorf("%q: log %q", good, log.String())
		}
	}
	var log bytes.Buffer
	openQdrant(t, vectors.QdrantConfig{URL: "http://qdrant:6334", APIKey: "secret", Log: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), "in the clear") || strings.Contains(log.String(), "secret") {
		t.Errorf("a key in the clear: log %q", log.String())
	}
}

func wantIs(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func rawConfig(t *testing.T, srv *qdranttest.Server) *qdrant.Config {
	t.Helper()
	host, port := srv.HostPort()
	return &qdrant.Config{Host: host, Port: port, PoolSize: 1, SkipCompatibilityCheck: true}
}
