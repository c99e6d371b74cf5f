package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// announcement tells commands in another terminal where the server listens.
type announcement struct {
	URL string `json:"url"`
}

func announcementFile(dataDir string) string { return filepath.Join(dataDir, "server.json") }

// announce writes the server's address to a file in the data folder, and
// returns a function that removes it. Without the file, commands use the
// configured port. If several servers share a folder, commands find the one
// that started last and, when it stops, the one before it.
func announce(cfg Config, addr net.Addr, log *slog.Logger) func() {
	path := announcementFile(cfg.DataDir)
	before, _ := os.ReadFile(path) // usually there is none
	body, err := json.Marshal(announcement{URL: localURL(addr)})
	if err == nil {
		err = os.MkdirAll(cfg.DataDir, 0o755) //nolint:gosec // the database's user passes through
	}
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		log.Warn("commands will not find this server by themselves", "err", err)
	}
	return func() {
		if now, err := os.ReadFile(path); err == nil && !bytes.Equal(now, body) {
			return // another server's announcement
		}
		err := os.Remove(path)
		if answers(before) {
			err = os.WriteFile(path, before, 0o600) //nolint:gosec // a file of ours in the operator's own folder
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("stale word of this server is left behind", "err", err)
		}
	}
}

// answers reports whether the server of an announcement still accepts
// connections.
func answers(body []byte) bool {
	var a announcement
	if json.Unmarshal(body, &a) != nil {
		return false
	}
	u, err := url.Parse(a.URL)
	if err != nil || u.Host == "" {
		return false
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).Dial("tcp", u.Host)
	if err != nil {
		return false
	}
	_ = conn.Close() // only the connection was of interest
	return true
}

// announced returns the URL of the server that announced itself in the data
// folder, or else the one that the configuration implies.
func announced(cfg Config) string {
	var a announcement
	body, err := os.ReadFile(announcementFile(cfg.DataDir))
	if err == nil && json.Unmarshal(body, &a) == nil && a.URL != "" {
		return a.URL
	}
	return "http://127.0.0.1:" + strconv.Itoa(cfg.Server.Port)
}

// localURL returns the URL of a listening address, as seen from this machine.
func localURL(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
