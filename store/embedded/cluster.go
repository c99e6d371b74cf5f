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

// Cluster is this process's share of a running server. Its methods may be called
// concurrently.
type Cluster struct {
	cfg      Config
	home     home
	password string
	port     int     // never changes: connections use it
	server   *server // owned by supervise while it runs
	users    *lock
	started  bool // started by this process, not joined

	endWatch context.CancelFunc // nil if supervise does not run
	watched  chan struct{}      // closed when supervise has returned

	stopOnce sync.Once
	stopErr  error
}

// URL returns the connection string of the database, password included: never log it.
func (c *Cluster) URL() string { return c.url(databaseName) }

// Dir returns the real folder of the cluster, with links resolved.
func (c *Cluster) Dir() string { return c.home.dir }

// Stop gives up this process's share and stops the server if no one else uses it;
// connections that are still open are cut. If ctx is done first, the server is stopped
// without a checkpoint, which costs a recovery at the next start but no data, and the error
// says so. Later calls return the result of the first.
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

// open joins the server or starts it, while holding the gate.
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

// settle takes this process's share of the running server and ensures that the database
// exists. On failure, it stops a server that no one else uses.
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

// reviveRetry is the pause after a failed restart of the server.
const reviveRetry = time.Second

// supervise restarts the server whenever it exits, until ctx is done.
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

// revive joins the server if another process has started it in the meantime, or starts it
// on its previous port. Once begun, a start is completed even if ctx is done: others may
// already be connected.
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
		// The holder of the gate is about to join or stop the server, which is then its
		// responsibility.
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
	// Another process may have restarted it unnoticed.
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

// ensureDatabase connects to the database, and creates it if it is missing. Connecting also
// proves that the server is ours: with SCRAM, both sides prove that they know the password.
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
