package doctor

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		ahead time.Duration // of the server
		want  want
	}{
		{"right", 0, want{OK, "right"}},
		{"a little slow", 10 * time.Second, want{OK, "10s slow"}},
		{"slow", time.Minute, want{Warn, "slow|NTP"}},
		{"fast", -time.Minute, want{Warn, "fast|NTP"}},
		{"far too slow", time.Hour, want{Fail, "slow|replays|NTP"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", time.Now().Add(tt.ahead).UTC().Format(http.TimeFormat))
				w.WriteHeader(http.StatusNotFound)
			}))
			t.Cleanup(s.Close)
			tt.want.check(t, find(t, Clock(nil, closed(), s.URL)))
		})
	}
	mute := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header()["Date"] = nil }))
	t.Cleanup(mute.Close)
	want{Skip, "nobody"}.check(t, find(t, Clock(nil, mute.URL, closed())))
}

func TestTimeZones(t *testing.T) {
	t.Parallel()
	want{OK, "known"}.check(t, find(t, TimeZones("Canada/Newfoundland")))
	want{Fail, "Mars/Olympus|tzdata"}.check(t, find(t, TimeZones("Mars/Olympus")))
}

func TestDataDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, dir string
		want      want
	}{
		{"there", dir, want{OK, dir + " can be written to"}},
		{"to be made", filepath.Join(dir, "a", "b"), want{OK, "will be created"}},
		{"a file", file, want{Fail, "not a folder|NAIBER_DATA_DIR"}},
		{"below a file", filepath.Join(file, "data"), want{Fail, "NAIBER_DATA_DIR"}},
		{"not to be written to", "/proc", want{Fail, "cannot be written to|NAIBER_DATA_DIR"}},
		{"none", "", want{Fail, "NAIBER_DATA_DIR"}},
	}
	for _, tt := range tests {
		if tt.dir == "/proc" {
			if _, err := os.Stat(tt.dir); err != nil {
				continue // only Linux has it
			}
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, find(t, DataDir(tt.dir)))
		})
	}
	t.Cleanup(func() {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	})
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	const one, two = "0123456789abcdef-hunter2", "fedcba9876543210-hunter2"
	tests := []struct {
		name string
		all  []NamedSecret
		want want
	}{
		{"good", []NamedSecret{{"A", one, true}, {"B", two, true}, {"C", "", false}, {"D", "", false}}, want{OK, "long enough"}},
		{"missing", []NamedSecret{{"A", "", true}, {"B", "", true}}, want{Fail, "A is not set; B is not set|openssl"}},
		{"short", []NamedSecret{{"A", "hunter2", true}}, want{Fail, "A has fewer than 16"}},
		{"same", []NamedSecret{{"A", one, true}, {"B", two, true}, {"C", one, false}}, want{Fail, "C is the same as A"}},
		{"monotonous", []NamedSecret{{"A", "aaaaaaaaaaaaaaaaaaaaaaaaa", true}}, want{Fail, "A repeats"}},
		{"a placeholder", []NamedSecret{{"A", "ChangeMe-hunter2-please", true}}, want{Fail, "A is a placeholder"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, find(t, Secrets(tt.all...)), "hunter2", "aaaaaa")
		})
	}
}
