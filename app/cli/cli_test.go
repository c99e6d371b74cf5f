package cli

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestEveryCommandIsDescribed(t *testing.T) {
	t.Parallel()
	var names []string
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		names = append(names, cmd.CommandPath())
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short = %q", cmd.CommandPath(), cmd.Short)
		}
		if cmd.RunE == nil && cmd.HasParent() {
			t.Errorf("%s does nothing", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s is not described", cmd.CommandPath(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look(Root(&program{}))
	got := strings.Join(names, "\n")
	want := `naiber
naiber agent
naiber agent sync
naiber alerts
naiber alerts acknowledge
naiber alerts close
naiber alerts list
naiber alerts show
naiber call
naiber council
naiber council list
naiber council show
naiber council start
naiber council stop
naiber council watch
naiber doctor
naiber healthcheck
naiber jobs
naiber jobs cancel
naiber jobs list
naiber jobs pause
naiber jobs resume
naiber jobs retry
naiber jobs show
naiber jobs stats
naiber memory
naiber memory add
naiber memory export
naiber memory forget
naiber memory import
naiber memory limits
naiber memory limits add
naiber memory limits list
naiber memory limits remove
naiber memory reembed
naiber memory search
naiber migrate
naiber openapi
naiber parts
naiber parts export
naiber parts import
naiber parts search
naiber parts show
naiber people
naiber people add
naiber people cognitive
naiber people consent
naiber people forget
naiber people health
naiber people list
naiber people opt-in
naiber people pin
naiber people revoke
naiber people show
naiber schedules
naiber schedules add
naiber schedules changes
naiber schedules list
naiber schedules next
naiber schedules pause
naiber schedules remove
naiber schedules resume
naiber schedules show
naiber serve
naiber simulate
naiber version
naiber webhooks
naiber webhooks add
naiber webhooks delete
naiber webhooks deliveries
naiber webhooks list
naiber webhooks replay`
	if got != want {
		t.Errorf("commands = %s\nwant %s", got, want)
	}
}

func TestMistakesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, want string
	}{
		{"frobnicate", `unknown command "frobnicate" for "naiber"`},
		{"peple list", `unknown command "peple" for "naiber"; did you mean people?`},
		{"jobs frobnicate", `unknown command "frobnicate" for "naiber jobs"`},
		{"agent frobnicate", `unknown command "frobnicate" for "naiber agent"`},
		{"serve --frobnicate", "unknown flag: --frobnicate"},
		{"serve now", `unknown command "now" for "naiber serve"`},
		{"call", "accepts 1 arg(s), received 0"},
		{"call ada --follow=perhaps", `invalid argument "perhaps"`},
		{"jobs list --limit many", `invalid argument "many"`},
		{"simulate --calls 0", "--calls must be at least 1"},
		{"simulate --wpm -5", "--wpm must be at least 1"},
		{"call ada --type foo", "--type is general or health_check or appliance_help or cognitive"},
		{"simulate --type foo", "--type is general or health_check or appliance_help or cognitive"},
		{"simulate --pace 0", "--pace must be above 0"},
		{"simulate --pace NaN", "--pace must be above 0"},
		{"people add --name Ada", `required flag(s) "phone", "timezone" not set`},
		{"people consent ada calls", `required flag(s) "by" not set`},
		{"--config wrong.yaml serve", "the configuration is not right"},
		{"people list", "no database"},
		{"call ada", "no token"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			p := &program{}
			err := p.refused(t, tt.want, strings.Fields(tt.line)...)
			_, usage := errors.AsType[*UsageError](err)
			if ours := slices.Contains([]string{"the configuration is not right", "no database", "no token"}, tt.want); usage == ours {
				t.Errorf("is an error of usage: %v: %v", usage, err)
			}
			if usage && !strings.Contains(err.Error(), "\nusage: naiber") {
				t.Errorf("says nothing of how it is used: %v", err)
			}
			if p.served {
				t.Error("it served all the same")
			}
		})
	}
}

func TestConfigurationIsLoadedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line    string
		file    string
		flags   map[string]string
		sandbox bool
	}{
		{"serve", "", map[string]string{}, false},
		{"serve --sandbox", "", map[string]string{}, true},
		{"serve --config a.yaml --server.port 4000", "a.yaml", map[string]string{"server.port": "4000"}, false},
		{"--log.level= serve", "", map[string]string{"log.level": ""}, false}, // empty is a value
		{"simulate", "", map[string]string{}, true},
		{"doctor", "", map[string]string{}, false},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			p := &program{well: true}
			p.must(t, strings.Fields(tt.line)...)
			if p.file != tt.file || !maps.Equal(p.flags, tt.flags) || p.sandbox != tt.sandbox {
				t.Errorf("loaded %q, %v, sandbox %v", p.file, p.flags, p.sandbox)
			}
		})
	}
}

func TestSomeCommandsNeedNoConfiguration(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"version": "naiber 1.2.3\n", "openapi": "{}", "--version": "naiber 1.2.3\n", "help": "serve --sandbox", "": "serve --sandbox", "jobs": "Run a job now", "completion bash": "bash completion",
	} {
		p := &program{}
		out := p.must(t, append([]string{"--config", "wrong.yaml"}, strings.Fields(line)...)...)
		if p.loaded || !strings.Contains(out, want) {
			t.Errorf("%q loaded %v and printed %q", line, p.loaded, out)
		}
	}
}

func TestDoctorSaysByItsExitThatSomethingIsWrong(t *testing.T) {
	t.Parallel()
	p := &program{well: true}
	if out := p.must(t, "doctor", "--json"); out != "json true\n" {
		t.Errorf("printed %q", out)
	}
	p.well = false
	if _, err := p.run(t, "doctor"); !errors.Is(err, ErrUnwell) {
		t.Errorf("err = %v", err)
	}
}

func TestAgentSyncAsksFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, answer string
		confirmed    bool
	}{
		{"agent sync", "y\n", true},
		{"agent sync", "YES", true},
		{"agent sync", "n\n", false},
		{"agent sync", "\n", false},
		{"agent sync", "", false},
		{"agent sync --yes", "", true},
		{"agent sync --dry-run --yes", "", false},
	} {
		p := &program{}
		out, err := p.runWith(t, t.Context(), tt.answer, strings.Fields(tt.line)...)
		if err != nil || p.confirmed != tt.confirmed || p.dryRun != strings.Contains(tt.line, "dry") {
			t.Errorf("%s, answered %q: %v, confirmed %v", tt.line, tt.answer, err, p.confirmed)
		}
		if asked := strings.Contains(p.errOut.String(), "[y/N]"); asked != (tt.line == "agent sync") {
			t.Errorf("%s printed %q", tt.line, out)
		}
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	if out := p.must(t, "migrate"); out != "The schema is up to date.\n" {
		t.Errorf("printed %q", out)
	}
	step, err := p.tools.Store.MigrateDown(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		lines := strings.Split(strings.TrimSpace(p.must(t, "migrate", "--status")), "\n")
		return strings.Join(strings.Fields(lines[len(lines)-1]), " ")
	}
	if got := state(); got != step.Name+" pending" {
		t.Errorf("status = %q", got)
	}
	if out := p.must(t, "migrate"); out != "applied "+step.Name+"\n" {
		t.Errorf("printed %q", out)
	}
	if got := state(); got != step.Name+" applied" {
		t.Errorf("status = %q", got)
	}
	if p.closed != 4 {
		t.Errorf("closed %d times", p.closed)
	}
}
