package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// program is what the commands run on in tests.
type program struct {
	tools  *Tools
	remote *Remote
	well   bool
	report Report

	// What the commands asked for.
	file      string
	flags     map[string]string
	sandbox   bool
	loaded    bool
	served    bool
	simulated SimulateOptions
	confirmed bool
	dryRun    bool
	closed    int

	errOut bytes.Buffer // what the last command wrote beside its answer
}

func (p *program) Load(file string, flags map[string]string, sandbox bool) error {
	if file == "wrong.yaml" {
		return errors.New("the configuration is not right")
	}
	p.file, p.flags, p.sandbox, p.loaded = file, flags, sandbox, true
	return nil
}

func (p *program) Serve(context.Context) error {
	p.served = true
	return nil
}

func (p *program) Open(context.Context) (*Tools, error) {
	if p.tools == nil {
		return nil, errors.New("no database")
	}
	t := *p.tools
	t.Close = func() { p.closed++ }
	return &t, nil
}

func (p *program) Remote(context.Context) (*Remote, error) {
	if p.remote == nil {
		return nil, errors.New("no token")
	}
	return p.remote, nil
}

func (p *program) Doctor(_ context.Context, out io.Writer, asJSON bool) (bool, error) {
	_, err := fmt.Fprintf(out, "json %v\n", asJSON)
	return p.well, err
}

func (p *program) Healthy(context.Context) error {
	if !p.well {
		return errors.New("nobody answers")
	}
	return nil
}

func (p *program) SyncAgent(_ context.Context, _ io.Writer, confirm func() bool, dryRun bool) error {
	p.dryRun = dryRun
	p.confirmed = !dryRun && confirm()
	return nil
}

func (p *program) Simulate(_ context.Context, opts SimulateOptions, progress io.Writer) (Report, error) {
	p.simulated = opts
	_, err := fmt.Fprintln(progress, "call 1 of 1")
	return p.report, err
}

func (*program) Options() []Option {
	return []Option{{Name: "server.port", Doc: "Where to listen."}, {Name: "log.level", Doc: "How much is told."}}
}

func (*program) OpenAPI() ([]byte, error) { return []byte("{}"), nil }

func (*program) Version() string { return "1.2.3" }

// run types a command line and returns what it printed.
func (p *program) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return p.runWith(t, t.Context(), "", args...)
}

func (p *program) runWith(t *testing.T, ctx context.Context, stdin string, args ...string) (string, error) { //nolint:revive // t first reads as in the others
	t.Helper()
	var out bytes.Buffer
	p.errOut.Reset()
	root := Root(p)
	root.SetOut(&out)
	root.SetErr(&p.errOut)
	root.SetIn(strings.NewReader(stdin))
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// must is run for what must work.
func (p *program) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.run(t, args...)
	if err != nil {
		t.Fatalf("naiber %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// refused is run for what must not; the error must contain want.
func (p *program) refused(t *testing.T, want string, args ...string) error {
	t.Helper()
	out, err := p.run(t, args...)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("naiber %s = %q, %v, want an error with %q", strings.Join(args, " "), out, err, want)
	}
	if out != "" {
		t.Errorf("naiber %s printed %q beside its error", strings.Join(args, " "), out)
	}
	return err
}

// withDatabase is a program with a real database and queue.
func withDatabase(t *testing.T) *program {
	t.Helper()
	st := storetest.New(t)
	log := slog.New(slog.DiscardHandler)
	if err := jobs.Migrate(t.Context(), st, log); err != nil {
		t.Fatal(err)
	}
	j, err := jobs.New(jobs.Config{}, st, nil, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := service.New(service.Config{Store: st, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return &program{tools: &Tools{
		Store: st, Jobs: j, Memory: m,
		Schedules: schedule.New(schedule.Config{Ahead: 3, Keep: 24 * time.Hour}, schedule.Deps{Store: st, Log: log}),
	}}
}

func (p *program) person(t *testing.T, name, preferred, phone string) people.Person {
	t.Helper()
	kept, err := p.tools.Store.CreatePerson(t.Context(), people.Person{
		Name: name, PreferredName: preferred, Phone: phone, Timezone: "Canada/Newfoundland", Language: "en",
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}
