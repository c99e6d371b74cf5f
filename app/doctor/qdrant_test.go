package doctor

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestQdrant(t *testing.T) {
	t.Parallel()
	keyed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Api-Key") != "hunter2" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(keyed.Close)
	grpc := "http://" + listen(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "\x00\x00\x12\x04\x00\x00\x00\x00\x00") // what a gRPC server begins with
	})
	tests := []struct {
		name, url, key string
		want           want
	}{
		{"none", "", "", want{Skip, "PostgreSQL"}},
		{"healthy", serve(t, map[string]reply{"/healthz": {200, "healthz check passed"}}).URL + "/", "", want{OK, "healthy"}},
		{"with its key", keyed.URL, "hunter2", want{OK, "healthy"}},
		{"with another key", keyed.URL, "hunter3", want{Fail, "refused|QDRANT_API_KEY"}},
		{"gRPC", grpc, "hunter2", want{OK, "takes connections"}},
		{"another service", serve(t, nil).URL, "", want{Fail, "404|QDRANT_URL"}},
		{"nobody listens", closed(), "hunter2", want{Fail, "refused|QDRANT_URL"}},
		{"not an address", "http://u:hunter2@%", "", want{Fail, "not an address"}},
		{"not http", "grpc://h:6334", "", want{Fail, "not an address"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, find(t, Qdrant(tt.url, tt.key)), "hunter2", "hunter3")
		})
	}
}
