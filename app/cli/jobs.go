package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/jobs"
)

func jobsCmd(p Program) *cobra.Command {
	return group("jobs", "Look at and steer the work that follows calls",
		jobsList(p), jobsStats(p),
		oneJob(p, "show ID", "Show one job with what went wrong", (*jobs.Jobs).Show),
		oneJob(p, "retry ID", "Run a job now, also one that gave up", (*jobs.Jobs).Retry),
		oneJob(p, "cancel ID", "Take a job off the queue", (*jobs.Jobs).Cancel),
		queueCmd(p, "pause [QUEUE]", "Begin no more jobs of a queue (default: all)", (*jobs.Jobs).Pause, "paused"),
		queueCmd(p, "resume [QUEUE]", "Let a paused queue go on (default: all)", (*jobs.Jobs).Resume, "resumed"),
	)
}

// maxJobs is the most that the queue lists at once.
const maxJobs = 10000

func jobsList(p Program) *cobra.Command {
	var state string
	var kinds []string
	var limit int
	cmd := &cobra.Command{Use: "list", Short: "List jobs, newest first, without the housekeeping", Args: cobra.NoArgs}
	asJSON := jsonFlag(cmd)
	run := opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		found, err := t.Jobs.List(ctx, state, limit, kinds...)
		if err != nil {
			return err
		}
		shapes := make([]shownJob, len(found))
		for i, job := range found {
			shapes[i] = shown(job)
		}
		return list(cmd, *asJSON, shapes, []string{"ID", "KIND", "STATE", "TRIES", "DUE", "ARGS", "LAST ERROR"}, found, func(job jobs.Job) []string {
			last := ""
			if n := len(job.Errors); n > 0 {
				last = english.Shorten(english.OneLine(job.Errors[n-1].Error), 60)
			}
			return []string{
				strconv.FormatInt(job.ID, 10), job.Kind, job.State, fmt.Sprintf("%d/%d", job.Attempt, job.MaxAttempts),
				clock(job.ScheduledAt), job.Args, last,
			}
		})
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if state != "" && !slices.Contains(jobs.States, state) {
			return misuse("--state is one of %s", strings.Join(jobs.States, ", "))
		}
		for _, kind := range kinds {
			if kind != jobs.AllKinds && !slices.Contains(jobs.Kinds, kind) {
				return misuse("--kind is %s or %s", strings.Join(jobs.Kinds, ", "), jobs.AllKinds)
			}
		}
		if limit < 1 || limit > maxJobs {
			return misuse("--limit is a number from 1 to %d", maxJobs)
		}
		return run(cmd, args)
	}
	cmd.Flags().StringVar(&state, "state", "", "only jobs in this state: "+strings.Join(jobs.States, ", "))
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "only jobs of these kinds: "+strings.Join(jobs.Kinds, ", ")+", or all")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	return cmd
}

func jobsStats(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "stats", Short: "Count jobs by kind and state", Args: cobra.NoArgs}
	asJSON := jsonFlag(cmd)
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		st, err := t.Jobs.Stats(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), st)
		}
		var rows [][]string
		for _, kind := range sortedKeys(st.Counts) {
			for _, state := range sortedKeys(st.Counts[kind]) {
				rows = append(rows, []string{kind, state, strconv.Itoa(st.Counts[kind][state])})
			}
		}
		table(cmd.OutOrStdout(), []string{"KIND", "STATE", "JOBS"}, rows)
		if st.Oldest != nil {
			cmd.Printf("The longest-waiting job was due %s ago.\n", time.Since(*st.Oldest).Round(time.Second))
		}
		for _, q := range st.Paused {
			cmd.Printf("Queue %s is paused.\n", q)
		}
		return nil
	})
	return cmd
}

// shownJob is a job whose arguments are JSON, not a string that holds JSON.
type shownJob struct {
	jobs.Job
	Args json.RawMessage `json:"args"`
}

func shown(j jobs.Job) shownJob { return shownJob{Job: j, Args: json.RawMessage(j.Args)} }

type jobVerb = func(*jobs.Jobs, context.Context, int64) (jobs.Job, error)

func oneJob(p Program, use, short string, verb jobVerb) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(1)}
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return misuse("%q is not a job id", args[0])
		}
		job, err := verb(t.Jobs, ctx, id)
		if err != nil {
			return err
		}
		return printJSON(cmd.OutOrStdout(), shown(job))
	})
	return cmd
}

func queueCmd(p Program, use, short string, verb func(*jobs.Jobs, context.Context, string) error, done string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.MaximumNArgs(1)}
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		queue, named := "*", "all queues"
		if len(args) == 1 {
			queue, named = args[0], args[0]
		}
		if err := verb(t.Jobs, ctx, queue); err != nil {
			return err
		}
		cmd.Println(done, named)
		return nil
	})
	return cmd
}
