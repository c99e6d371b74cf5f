package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// forgetting holds the flags of the forget command.
type forgetting struct {
	memories         []string
	fact, topic, day string
	keepWords, all   bool
	verify, asJSON   bool
	yes              bool
}

// forgetCommand returns the forget command, of the people group if person is set, else of the
// memory group. What to forget must be named, because none of it can be restored.
func forgetCommand(p Program, person bool) *cobra.Command {
	var f forgetting
	cmd := &cobra.Command{
		Use: "forget NAME|ID|PHONE", Short: "Forget something that somebody said, wherever it is kept", Args: cobra.ExactArgs(1),
		Long: "Forgets a memory, a fact, a topic, a day or everything of somebody: what was said, full text, vectors, facts,\n" +
			"whom they speak of, promises, summaries, the words in transcripts, chats and health answers, and the discussions\n" +
			"of the care council that had it before them, sessions about appliances and mails. Values of health answers stay, and so do limits. With --verify,\n" +
			"every place is searched afterwards; it ends with a failure where anything is found. --all asks before it acts, unless there is --yes. To remove the person altogether,\n" +
			"delete the person by the API (DELETE /api/v1/people/{id}).",
		Example: "  naiber people forget 'Ada King' --topic brother --verify\n  naiber people forget 'Ada King' --all --verify",
	}
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		return f.run(ctx, cmd, who, t)
	})
	fl := cmd.Flags()
	fl.StringSliceVar(&f.memories, "memory", nil, "the id of something that was said")
	fl.StringVar(&f.fact, "fact", "", "the id of a fact; what was said of it goes too")
	fl.BoolVar(&f.keepWords, "keep-words", false, "with --fact: what was said stays")
	fl.StringVar(&f.topic, "topic", "", "a topic, in one or a few words")
	fl.StringVar(&f.day, "day", "", "a day where the person lives, as YYYY-MM-DD")
	fl.BoolVar(&f.all, "all", false, "everything")
	fl.BoolVar(&f.verify, "verify", false, "search for it afterwards in every place and in every way")
	fl.BoolVarP(&f.yes, "yes", "y", false, "with --all: do not ask")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("memory", "fact", "topic", "day", "all")
	cmd.MarkFlagsOneRequired("memory", "fact", "topic", "day", "all")
	if !person {
		cmd.Example = strings.ReplaceAll(cmd.Example, "people forget", "memory forget")
	}
	return cmd
}

func (f forgetting) run(ctx context.Context, cmd *cobra.Command, who people.Person, t *Tools) error {
	if f.all && !f.yes {
		if !terminal(cmd.InOrStdin()) {
			return misuse("--all forgets everything of %s for good, and there is no terminal to ask on: say --yes", who.Name)
		}
		if !ask(cmd, "Forget everything that "+who.Name+" said? None of it comes back.") {
			cmd.PrintErrln("Nothing is forgotten.")
			return ErrUnwell
		}
	}
	r := forget.Request{Person: who.ID, KeepWords: f.keepWords, Topic: f.topic, Day: f.day, All: f.all, By: "cli"}
	for _, s := range f.memories {
		id, err := uuid.Parse(s)
		if err != nil { // not an id, but the key under which the memory was added
			id = memory.TurnID(memory.Scope{Person: who.ID}, memories.FromAPI, s)
		}
		r.Memories = append(r.Memories, id)
	}
	if f.fact != "" {
		id, err := uuid.Parse(f.fact)
		if err != nil {
			return misuse("--fact is the id of a fact: %w", err)
		}
		r.Fact = id
	}
	gone, err := t.Memory.Forget(ctx, r)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%s has nothing like that: %w", who.Name, err)
	}
	if err != nil {
		return err
	}
	var checks []forget.Check
	if f.verify {
		if checks, err = t.Memory.Verify(ctx, gone); err != nil {
			f.told(cmd, who, gone) // it is forgotten even so
			return fmt.Errorf("forgotten, but not verified: %w", err)
		}
	}
	found := 0
	for _, c := range checks {
		found += c.Found
	}
	if err := f.print(cmd, who, gone, checks, found); err != nil {
		return err
	}
	if found > 0 {
		return ErrUnwell
	}
	return nil
}

func (f forgetting) print(cmd *cobra.Command, who people.Person, gone forget.Forgotten, checks []forget.Check, found int) error {
	if f.asJSON {
		return printJSON(cmd.OutOrStdout(), map[string]any{"forgotten": gone, "checks": checks, "verified": f.verify && found == 0})
	}
	f.told(cmd, who, gone)
	if !f.verify {
		return nil
	}
	rows := make([][]string, len(checks))
	for i, c := range checks {
		rows[i] = []string{c.Place, strconv.Itoa(c.Found)}
	}
	table(cmd.OutOrStdout(), []string{"LOOKED IN", "FOUND"}, rows)
	if found == 0 {
		cmd.Println("Nothing resurfaces.")
	} else {
		cmd.Printf("%d are still there.\n", found)
	}
	return nil
}

// told prints how much was forgotten, unless JSON is asked for.
func (f forgetting) told(cmd *cobra.Command, who people.Person, gone forget.Forgotten) {
	if f.asJSON {
		return
	}
	if f.day != "" && gone.Turns+gone.Lines+gone.Episodes+gone.Repairs+gone.Mails == 0 {
		cmd.Printf("Nothing that %s said on %s was kept: days are those of %s.\n", who.Name, f.day, who.Timezone)
		return
	}
	cmd.Printf("%s: forgot %d turns, %d facts, %d entities, %d promises, %d summaries, %d lines of transcripts, %d episodes of chats, the words of %d health answers, %d discussions, %d sessions about appliances, %d mails.\n",
		who.Name, gone.Turns, gone.Facts, gone.Entities, gone.Promises, gone.Summaries, gone.Lines, gone.Episodes, gone.Quotes, gone.Discussions, gone.Repairs, gone.Mails)
}
