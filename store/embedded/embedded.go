package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Config describes the cluster to start. Only Dir is required.
type Config struct {
	// Dir is the cluster's folder; it is created if missing. As root, a folder that the
	// server's user cannot reach becomes a link into /var/lib/naiber.
	Dir string
	// Port is the loopback port. Default 0: any free one. A server that is already running
	// keeps its port.
	Port int
	// Fast trades durability for speed and makes the server die with the process that
	// started it (on Linux). For tests.
	Fast bool
	// Cache is the folder for downloaded binaries. Default: naiber in the user's cache
	// folder, or /var/cache/naiber as root.
	Cache string
	// Mirror is the Maven repository for downloads. Default: Maven Central.
	Mirror string
	// Log receives messages for the operator. If nil, they are discarded.
	Log *slog.Logger
	// Progress, if set, is called with a line for people whenever something takes a while,
	// from one goroutine at a time.
	Progress func(string)

	shelter string                           // for unreachable folders; default /var/lib/naiber
	find    func(context.Context) []binaries // installed binaries; default findInstalled
}

// ErrVersion is returned (wrapped) if the data was written by a major version of PostgreSQL
// that is not available. The message says what to do.
var ErrVersion = errors.New("no matching PostgreSQL")

// Time limits for parts of a start. Crash recovery replays at most maxWALSize; a download
// is limited only by the caller's context.
const (
	startTimeout = 90 * time.Second
	gateTimeout  = 5 * time.Minute
)

var errNotReady = errors.New("the server is not ready after a long time")

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if c.Mirror == "" {
		c.Mirror = mavenCentral
	}
	if c.shelter == "" {
		c.shelter = "/var/lib/naiber"
	}
	if c.find == nil {
		c.find = findInstalled
	}
	return c
}

// Start joins the cluster in cfg.Dir, after starting it if it is not running, and creating
// it if it does not exist. It returns once the database answers. A server that ends before
// [Cluster.Stop] is restarted, on the same port.
//
// While another process is starting or stopping the same cluster, Start waits for it. A
// failed or canceled Start leaves no server that it started, and no half-made cluster.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg = cfg.withDefaults()
	began := time.Now()
	h, err := openHome(cfg)
	if err != nil {
		return nil, err
	}
	c := &Cluster{home: h, cfg: cfg}
	if err := c.open(ctx); err != nil {
		return nil, fmt.Errorf("start postgres in %s: %w", cfg.Dir, err)
	}
	watch, end := context.WithCancel(context.WithoutCancel(ctx))
	c.endWatch, c.watched = end, make(chan struct{})
	go c.supervise(watch)
	cfg.Log.InfoContext(ctx, "database ready", slog.String("dir", h.dir), slog.Int("port", c.port),
		slog.Bool("started", c.started), slog.Int64("elapsed_ms", time.Since(began).Milliseconds()))
	return c, nil
}
