package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// roleName is the role that owns the cluster, and databaseName its database.
const (
	roleName     = "naiber"
	databaseName = "naiber"
)

// Cluster is this process's share of a running server. Its methods may be
// called concurrently.
type Cluster struct {
	cfg      Config
	home     home
	password string
	port     int     // stays the same: connections are made to it
	server   *server // of who supervises, while somebody does
	users    *lock
	started  bool // or joined a running one

	endWatch context.CancelFunc // nil: nobody supervises
	watched  chan struct{}      // closed when nobody supervises any more

	stopOnce sync.Once
	stopErr  error
}

// URL is the connection string of the database, password included: never log it.
func (c *Cluster) URL() string { return c.url(databaseName) }

// Dir is the folder the cluster really lives in, links resolved.
func (c *Cluster) Dir() string { return c.home.dir }

// Stop gives up this process's share and stops the server if nobody else uses
// it; connections that are still open are cut. If ctx ends first, the server is
// stopped without a checkpoint, which costs a recovery at the next start but no
// data, and the error says so. Later calls return what the first did.
func (c *Cluster) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() {
		if c.endWatch != nil {
			c.endWatch()
			<-c.watched
		}
		if err := c.close(ctx); err != nil {
			c.stopErr = fmt.Errorf("stop postgres in %s: %w", c.home.dir, err)
		}
	})
	return c.stopErr
}

// open joins the server or starts it, as the only one at the gate.
func (c *Cluster) open(ctx context.Context) error {
	gate, err := c.passGate(ctx)
	if err != nil {
		return err
	}
	defer gate.release()
	pm, found, err := awaitRunning(ctx, c.home.cluster())
	if err != nil {
		return err
	}
	if c.password, err = c.home.makePassword(); err != nil {
		return err
	}
	if found {
		c.server = takeOver(c.cfg.Log, pm) //nolint:contextcheck // the server outlives the request for it
	} else if c.server, err = launch(ctx, c.cfg, c.home, c.password); err != nil {
		return err
	}
	c.started = !found
	return c.settle(ctx)
}

// settle takes this process's share of the running server and makes sure that
// the database is there. On failure, a server that nobody else uses is stopped.
func (c *Cluster) settle(ctx context.Context) error {
	c.port = c.server.port
	users, err := takeShared(c.home, "users")
	if err == nil {
		c.users = users
		err = c.ensureDatabase(ctx)
	}
	if err != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return errors.Join(err, c.closeGated(end))
	}
	return nil
}

// reviveRetry is the pause after a server could not be started again.
const reviveRetry = time.Second

// supervise has a server that ended by itself, or was killed, started again,
// until ctx ends.
func (c *Cluster) supervise(ctx context.Context) {
	defer close(c.watched)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.server.done:
		}
		began := time.Now()
		if await(ctx, reviveRetry, func() (bool, error) {
			err := c.revive(ctx)
			if err != nil && ctx.Err() == nil {
				c.cfg.Log.ErrorContext(ctx, "database is not up again", slog.String("dir", c.home.dir), slog.Any("err", err))
			}
			return err == nil, nil
		}) != nil {
			return
		}
		c.cfg.Log.WarnContext(ctx, "database is up again", slog.String("dir", c.home.dir), slog.Int("pid", c.server.pid),
			slog.Int64("elapsed_ms", time.Since(began).Milliseconds()))
	}
}

// revive joins the server that another process has started meanwhile, or starts
// it on the port that it had. A start is seen through where ctx ends: others may
// be connected already.
func (c *Cluster) revive(ctx context.Context) error {
	gate, err := c.passGate(ctx)
	if err != nil {
		return err
	}
	defer gate.release()
	pm, found, err := awaitRunning(ctx, c.home.cluster())
	if err != nil {
		return err
	}
	if found && pm.port != c.port {
		return fmt.Errorf("another process started it on port %d, since %d was taken: start this one again", pm.port, c.port)
	}
	ended := c.server
	if found {
		c.server = takeOver(c.cfg.Log, pm) //nolint:contextcheck // the server outlives the request for it
	} else {
		cfg := c.cfg
		cfg.Port = c.port
		started, err := launch(context.WithoutCancel(ctx), cfg, c.home, c.password)
		if err != nil {
			return err
		}
		c.server = started
	}
	ended.letGo()
	return nil
}

func (c *Cluster) close(ctx context.Context) error {
	gate, err := c.passGate(ctx)
	if err != nil {
		// Whoever holds the gate is about to join or to stop the server: either
		// way it is theirs now.
		c.users.release()
		c.server.letGo()
		return err
	}
	defer gate.release()
	return c.closeGated(ctx)
}

// closeGated stops the server unless others use it. The gate must be held.
func (c *Cluster) closeGated(ctx context.Context) error {
	alone := true
	if c.users != nil {
		alone = c.users.alone()
		defer c.users.release()
	}
	if !alone {
		c.cfg.Log.InfoContext(ctx, "database left running for others", slog.String("dir", c.home.dir))
		c.server.letGo()
		return nil
	}
	// Another process may have started it again without our having heard of it.
	if pm, found, err := running(c.home.cluster()); err == nil && found && pm.pid != c.server.pid {
		c.server.letGo()
		c.server = takeOver(c.cfg.Log, pm) //nolint:contextcheck // the server outlives the request for it
	}
	return c.server.stop(ctx)
}

func (c *Cluster) passGate(ctx context.Context) (*lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, gateTimeout, errGateBusy)
	defer cancel()
	return takeGate(ctx, c.home, func(holder string) {
		c.cfg.Progress("Waiting for process " + holder + ", which is starting or stopping PostgreSQL")
	})
}

// ensureDatabase connects to the database, and creates it when it is missing.
// Connecting also proves that the server is ours: SCRAM lets both sides show
// that they know the password.
func (c *Cluster) ensureDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.URL())
	if err == nil {
		return conn.Close(ctx)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != pgerrcode.InvalidCatalogName {
		return fmt.Errorf("connect: %w", err)
	}
	admin, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = admin.Close(ctx) }()
	if _, err = admin.Exec(ctx, "create database "+databaseName); err != nil {
		return fmt.Errorf("create database %s: %w", databaseName, err)
	}
	return nil
}

func (c *Cluster) url(database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(roleName, c.password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}
