// Package cli is the command line that an operator types. It parses arguments, asks the program
// for what a command needs, and prints; the work is done elsewhere.
package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// Program does the work of the commands; package app implements it.
type Program interface {
	// Load reads the configuration: the file, then the environment, then flags by option name.
	Load(file string, flags map[string]string, sandbox bool) error
	// Serve runs the server until ctx is done.
	Serve(ctx context.Context) error
	// Open connects to the database, starting the private one if no process runs it.
	Open(ctx context.Context) (*Tools, error)
	// Remote returns a client for the API of the running server.
	Remote(ctx context.Context) (*Remote, error)
	// Doctor checks every dependency, prints what it finds and reports whether all is well.
	Doctor(ctx context.Context, out io.Writer, asJSON bool) (bool, error)
	// Healthy returns an error unless the running server says that it can carry calls.
	Healthy(ctx context.Context) error
	// SyncAgent creates or updates the voice agents, and shows the difference first.
	SyncAgent(ctx context.Context, out io.Writer, confirm func() bool, dryRun bool) error
	// Simulate places calls to scripted elders.
	Simulate(ctx context.Context, opts SimulateOptions, progress io.Writer) (Report, error)
	// Options returns every option that may be set by a flag, with its description.
	Options() []Option
	Version() string
	// OpenAPI returns the description of the API, as JSON.
	OpenAPI() ([]byte, error)
}

// Option is one option of the configuration.
type Option struct{ Name, Doc string }

// Tools are what a command works with; Close releases them.
type Tools struct {
	Store  *store.Store
	Jobs   *jobs.Jobs
	Memory *service.Service
	// Schedules plans schedules; it places no calls.
	Schedules *schedule.Scheduler
	// PublicURL is the root of this nAIber's URLs, without a trailing slash.
	PublicURL string
	Close     func()
}

// ErrUnwell makes the process exit with a failure after the reason was printed.
var ErrUnwell = errors.New("not well")

// Root returns the whole command line.
func Root(p Program) *cobra.Command {
	root := &cobra.Command{
		Use:   "naiber",
		Short: "Phones elderly people, keeps them company and remembers what matters to them",
		Long: "nAIber phones elderly people, keeps them company, asks after their health, remembers what\n" +
			"matters to them until the next call. It misses much of what is told of danger: do not\n" +
			"rely on it for anybody's safety.\n\n" +
			"Try it without any account:  naiber serve --sandbox",
		SilenceUsage: true, SilenceErrors: true, Version: p.Version(), SuggestionsMinimumDistance: 2,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("naiber {{.Version}}\n")
	root.SetFlagErrorFunc(ofUsage)
	var file string
	root.PersistentFlags().StringVar(&file, "config", "", "configuration file (default: ./config.yaml where there is one)")
	values := optionFlags(root.PersistentFlags(), p.Options())
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if needsNothing(cmd) {
			return nil
		}
		if err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()); err != nil {
			return ofUsage(cmd, err) // cobra would report this too, but only after the configuration was read
		}
		sandbox := false
		if f := cmd.Flags().Lookup("sandbox"); f != nil {
			sandbox = f.Value.String() == "true"
		}
		return p.Load(file, values(), sandbox)
	}
	root.AddCommand(serve(p), call(p), simulate(p), peopleCommand(p), schedulesCmd(p), memoryCmd(p), alertsCmd(p), webhooksCmd(p), councilCmd(p), partsCmd(p), jobsCmd(p), migrate(p), doctor(p), agent(p), health(p), openAPI(p), version(p))
	checkUsage(root)
	return root
}

// needsNothing reports whether a command works without a configuration, and so also with a broken
// one.
func needsNothing(cmd *cobra.Command) bool {
	if cmd.HasSubCommands() || strings.HasPrefix(cmd.Name(), "__") { // groups print their help; __ commands complete a line
		return true
	}
	switch cmd.Name() {
	case "version", "help", "openapi":
		return true
	default:
		return cmd.HasParent() && cmd.Parent().Name() == "completion"
	}
}

// group returns a command that only has subcommands.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: noSuchCommand, SuggestionsMinimumDistance: 2}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}

// opened returns a command function that calls do with the database and the queue.
func opened(p Program, do func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		t, err := p.Open(cmd.Context())
		if err != nil {
			return err
		}
		defer t.Close()
		return do(cmd.Context(), cmd, args, t)
	}
}

// about returns a command function that calls do with the person whom the first argument names,
// and the other arguments.
func about(p Program, do func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error) func(*cobra.Command, []string) error {
	return opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		who, err := findPerson(ctx, t.Store, args[0])
		if err != nil {
			return err
		}
		return do(ctx, cmd, who, args[1:], t)
	})
}

// audit records that a command acted on a person.
func (t *Tools) audit(ctx context.Context, action string, who people.Person) error {
	return t.Store.AddAudit(ctx, calls.Audit{Actor: "cli", Action: action, PersonID: who.ID})
}

// jsonFlag adds the flag that makes a command print JSON.
func jsonFlag(cmd *cobra.Command) *bool { return cmd.Flags().Bool("json", false, "print JSON") }

// optionFlags adds a flag for each option and returns a function that returns the values of those
// that were set.
func optionFlags(flags *pflag.FlagSet, options []Option) func() map[string]string {
	for _, o := range options {
		flags.String(o.Name, "", o.Doc)
		_ = flags.MarkHidden(o.Name) // the options are described in config.yaml; the help lists commands
	}
	return func() map[string]string {
		set := make(map[string]string)
		for _, o := range options {
			if f := flags.Lookup(o.Name); f.Changed {
				set[o.Name] = f.Value.String()
			}
		}
		return set
	}
}

func serve(p Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run nAIber: telephony, the model endpoint, the console and the jobs",
		Long: "Runs everything in one process until Ctrl-C. With --sandbox, Twilio, ElevenLabs and the model are\n" +
			"simulated inside the process, a few elders live in the database, and nothing leaves this machine.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.Serve(cmd.Context()) },
	}
	cmd.Flags().Bool("sandbox", false, "simulate Twilio, ElevenLabs and the model; needs no account")
	return cmd
}

func version(p Program) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.Println("naiber " + p.Version())
			return nil
		},
	}
}

func openAPI(p Program) *cobra.Command {
	return &cobra.Command{
		Use: "openapi", Short: "Print the description of the API, for linters and generators of clients", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := p.OpenAPI()
			if err == nil {
				cmd.Println(string(spec))
			}
			return err
		},
	}
}

func doctor(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "doctor", Short: "Check every dependency and say what to do about what is wrong", Args: cobra.NoArgs}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		well, err := p.Doctor(cmd.Context(), cmd.OutOrStdout(), *asJSON)
		if err == nil && !well {
			err = ErrUnwell
		}
		return err
	}
	cmd.Flags().Bool("sandbox", false, "check the sandbox of this folder instead: whether it runs, or can be started")
	return cmd
}

// health returns the command for containers and supervisors: the image has no other program to
// check the server with.
func health(p Program) *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Ask the running server whether it can carry calls; says so by the exit code", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.Healthy(cmd.Context()); err != nil {
				return err
			}
			cmd.Println("ready")
			return nil
		},
	}
}

func agent(p Program) *cobra.Command {
	var yes, dry bool
	sync := &cobra.Command{
		Use: "sync", Short: "Create or update the agent; shows the difference first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			confirm := func() bool { return yes || ask(cmd, "Apply these changes?") }
			return p.SyncAgent(cmd.Context(), cmd.OutOrStdout(), confirm, dry)
		},
	}
	sync.Flags().BoolVarP(&yes, "yes", "y", false, "apply without asking")
	sync.Flags().BoolVar(&dry, "dry-run", false, "only show the difference")
	return group("agent", "The voice agent at ElevenLabs", sync)
}
