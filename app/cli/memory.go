package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func memoryCmd(p Program) *cobra.Command {
	return group("memory", "What is remembered of people",
		memorySearch(p), memoryAdd(p), forgetCommand(p, false), memoryLimits(p), memoryExport(p), memoryImport(p), memoryReembed(p))
}

// remembering returns a command function that calls do with the person whom the
// first argument names, and explains [memory.ErrNoConsent].
func remembering(p Program, do func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error) func(*cobra.Command, []string) error {
	return about(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error {
		err := do(ctx, cmd, who, args, t)
		if errors.Is(err, memory.ErrNoConsent) {
			return fmt.Errorf("%s does not allow being remembered; see `naiber people consent --help`", who.Name)
		}
		return err
	})
}

func memorySearch(p Program) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "search NAME|ID|PHONE [WORDS...]", Short: "Search what somebody said, the best first; without words, the newest", Args: cobra.MinimumNArgs(1),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, words []string, t *Tools) error {
		if limit < 1 || limit > 100 {
			return misuse("--limit is a number from 1 to 100")
		}
		scopes, err := t.Store.ConsentScopes(ctx, who.ID)
		if err != nil {
			return err
		}
		if !scopes[people.ScopeMemory] {
			return memory.ErrNoConsent
		}
		found, err := searchMemory(ctx, t.Memory, who, strings.Join(words, " "), limit)
		if err != nil {
			return err
		}
		if !*asJSON {
			for _, part := range found.Degraded {
				cmd.PrintErrln(without(part))
			}
		}
		return list(cmd, *asJSON, api.MemoryShapes(found.Hits), []string{"SAID", "SCORE", "BY", "TEXT", "ID"}, found.Hits, func(h search.Hit) []string {
			return []string{h.At.In(who.Location()).Format("2006-01-02 15:04"), fmt.Sprintf("%.4f", h.Score), h.Name, english.Shorten(english.OneLine(h.Text), 80), h.ID.String()}
		})
	})
	cmd.Flags().IntVar(&limit, "limit", 10, "how many at most")
	return cmd
}

// without returns a sentence on the part that a search had to do without.
func without(part string) string {
	switch part {
	case "embedder":
		return "The embedding model could not be asked: the words alone were searched."
	case "vectors":
		return "The vectors could not be reached: the words alone were searched."
	default:
		return "Not all could be searched: " + part + "."
	}
}

func searchMemory(ctx context.Context, m *service.Service, who people.Person, words string, limit int) (search.Found, error) {
	in := memory.Scope{Person: who.ID}
	if words != "" {
		found, err := m.Search(ctx, search.Query{Scope: in, Text: words, Limit: limit})
		slices.SortStableFunc(found.Hits, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) })
		return found, err
	}
	turns, err := m.List(ctx, in, memory.Turn{}, limit)
	var found search.Found
	for _, t := range turns {
		found.Hits = append(found.Hits, search.Hit{Turn: t, Source: []uuid.UUID{t.ID}})
	}
	return found, err
}

func memoryAdd(p Program) *cobra.Command {
	var at, by string
	cmd := &cobra.Command{
		Use: "add NAME|ID|PHONE TEXT", Short: "Keep something that somebody said, word for word", Args: cobra.ExactArgs(2),
		Example: "  naiber memory add 'Ada King' 'My cat is called Whiskers.' --at 2026-11-03T15:00:00Z",
	}
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error {
		turn := memory.Turn{Scope: memory.Scope{Person: who.ID}, Speaker: calls.RoleUser, Name: by, Text: args[0], At: time.Now(), Source: memories.FromAPI}
		if at != "" {
			var err error
			if turn.At, err = time.Parse(time.RFC3339, at); err != nil {
				return misuse("--at is a time such as 2026-11-03T15:00:00Z: %w", err)
			}
		}
		kept, err := t.Memory.Keep(ctx, []memory.Turn{turn})
		if err != nil {
			return err
		}
		if kept.Left > 0 {
			return fmt.Errorf("not kept: it is about something that %s does not want stored", who.Name)
		}
		cmd.Println(kept.IDs[0])
		return t.audit(ctx, "memory.add", who)
	})
	cmd.Flags().StringVar(&at, "at", "", "when it was said (default: now)")
	cmd.Flags().StringVar(&by, "by", "", "who said it (default: the person)")
	return cmd
}

func memoryReembed(p Program) *cobra.Command {
	var pending bool
	cmd := &cobra.Command{
		Use: "reembed", Short: "Make the vectors of all that is remembered anew; it can be interrupted and goes on", Args: cobra.NoArgs,
	}
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		var n int
		var err error
		if pending {
			n, err = t.Memory.IndexPending(ctx)
		} else {
			n, err = t.Memory.Reembed(ctx)
		}
		if err != nil {
			return fmt.Errorf("%w; what is left is made by the server, or by `naiber memory reembed --pending`", err)
		}
		cmd.Printf("%d vectors are made.\n", n)
		return nil
	})
	cmd.Flags().BoolVar(&pending, "pending", false, "only those that are missing")
	return cmd
}
