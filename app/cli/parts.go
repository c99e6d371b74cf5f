package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/parts"
)

func partsCmd(p Program) *cobra.Command {
	return group("parts", "The catalogue of the appliance helper: which parts a model has", partsImport(p), partsSearch(p), partsShow(p), partsExport(p))
}

func partsImport(p Program) *cobra.Command {
	var skip bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take models and their parts into the catalogue, from a file of JSON; - is standard input", Args: cobra.ExactArgs(1),
		Long: "Takes in a file that names the parts of each model; see docs/parts.md. Parts that are in the catalogue already take\n" +
			"what the file says, others stay. What is not right is told of and left out; the rest is taken in, and the command\n" +
			"ends with a failure, unless there is --skip-invalid. To import a file again changes nothing, and goes on after a break.",
		Example: "  naiber parts import parts.json\n  zcat parts.json.gz | naiber parts import - --skip-invalid",
	}
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		in, length := cmd.InOrStdin(), int64(0)
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				length = info.Size()
			}
			in = f
		}
		done, err := importParts(ctx, cmd, in, length, t)
		if err != nil {
			return err
		}
		if done.Invalid > 0 && !skip {
			return ErrUnwell
		}
		return nil
	})
	cmd.Flags().BoolVar(&skip, "skip-invalid", false, "end well though something was left out")
	return cmd
}

// importParts imports a file of length bytes, or of unknown length if that is 0, and shows the
// progress.
func importParts(ctx context.Context, cmd *cobra.Command, in io.Reader, length int64, t *Tools) (parts.Imported, error) {
	began, far := time.Now(), newFar(cmd, length)
	done, err := t.Store.ImportCatalogue(ctx, io.TeeReader(in, far), parts.ImportOptions{
		Invalid:  func(e parts.RowError) { far.log("left out: " + e.Error()) },
		Progress: far.at,
	})
	far.end(err)
	if err != nil {
		return done, fmt.Errorf("%w\n%d parts were taken in before; to import the file again goes on from there", err, done.Parts)
	}
	cmd.Printf("%d parts of %d models in %s: %d are new, %d have changed, %d were there", done.Parts, done.Models, time.Since(began).Round(time.Millisecond),
		done.Added, done.Changed, done.Unchanged())
	if done.Invalid > 0 {
		cmd.Printf("; %d entries are not right and were left out", done.Invalid)
	}
	cmd.Println(".")
	return done, nil
}

// far shows the progress of an import: as a bar on a terminal, elsewhere as a line for every
// farStep parts.
type far struct {
	cmd   *cobra.Command
	bar   *progress.Tracker // nil without a terminal
	draws progress.Writer
	drawn chan struct{} // closed when the bar is no longer drawn
	told  int           // number of parts at the last line
}

// farStep is the number of parts between two lines.
const farStep = 100_000

func newFar(cmd *cobra.Command, length int64) *far {
	f := &far{cmd: cmd}
	if _, isTerminal := size(cmd.ErrOrStderr()); !isTerminal {
		return f
	}
	f.bar = &progress.Tracker{Message: "Importing", Total: length, Units: progress.UnitsBytes, AutoStopDisabled: true}
	f.draws = progress.NewWriter()
	f.draws.SetOutputWriter(cmd.ErrOrStderr())
	f.draws.SetAutoStop(true)
	f.draws.SetNumTrackersExpected(1)
	f.draws.AppendTracker(f.bar)
	f.drawn = make(chan struct{})
	go func() {
		defer close(f.drawn)
		f.draws.Render()
	}()
	return f
}

// Write counts the bytes that were read. It never fails.
func (f *far) Write(p []byte) (int, error) {
	if f.bar != nil {
		f.bar.Increment(int64(len(p)))
	}
	return len(p), nil
}

func (f *far) log(line string) {
	if f.bar != nil {
		f.draws.Log("%s", line)
		return
	}
	f.cmd.PrintErrln(line)
}

func (f *far) at(done parts.Imported) {
	if f.bar != nil {
		f.bar.UpdateMessage(fmt.Sprintf("%d parts", done.Parts))
	} else if done.Parts/farStep > f.told/farStep {
		f.told = done.Parts
		f.cmd.PrintErrf("%d parts\n", done.Parts)
	}
}

// end draws the bar for the last time.
func (f *far) end(err error) {
	if f.bar == nil {
		return
	}
	if err != nil {
		f.bar.MarkAsErrored()
	} else {
		f.bar.MarkAsDone()
	}
	<-f.drawn
}

func partsSearch(p Program) *cobra.Command {
	var model string
	var limit int
	cmd := &cobra.Command{
		Use: "search WORDS", Short: "Find parts by their number, their name or what they are for", Args: cobra.MinimumNArgs(1),
		Long: "Finds parts by their number, or by words of their name, symptoms and description. With --model, words are looked for\n" +
			"among the symptoms first, as the appliance helper does.",
		Example: "  naiber parts search drain pump\n  naiber parts search --model KDW482SS \"it won't start\"",
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		if limit < 1 {
			return misuse("--limit must be at least 1")
		}
		words := strings.Join(args, " ")
		model, err := knownModel(ctx, t.Store, model)
		if err != nil {
			return err
		}
		found, err := searchParts(ctx, t.Store, words, model, limit)
		if err != nil {
			return err
		}
		if len(found) == 0 && !*asJSON {
			near, err := t.Store.NearParts(ctx, model, words, maxNear)
			cmd.PrintErrln("Nothing is found." + didYouMean(near))
			return err
		}
		return list(cmd, *asJSON, partShapes(found), []string{"MODEL", "NUMBER", "PRICE", "NAME", "SOLVES"}, found, func(p parts.Part) []string {
			return []string{p.Model, p.Number, dollars(p.PriceCents), p.Name, english.Shorten(strings.Join(p.Symptoms, ", "), 80)}
		})
	})
	cmd.Flags().StringVar(&model, "model", "", "only parts of this model")
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many")
	return cmd
}

// searchParts returns parts by number, else by symptom, else by any words.
func searchParts(ctx context.Context, s *store.Store, words, model string, limit int) ([]parts.Part, error) {
	found, err := partsByNumber(ctx, s, words, model, limit)
	if err != nil || len(found) > 0 {
		return found, err
	}
	if model != "" {
		matches, err := s.MatchParts(ctx, model, []string{words}, limit)
		if err != nil || len(matches) > 0 {
			for _, m := range matches {
				found = append(found, m.Part)
			}
			return found, err
		}
	}
	return s.SearchCatalogue(ctx, words, model, limit)
}

func partsByNumber(ctx context.Context, s *store.Store, number, model string, limit int) ([]parts.Part, error) {
	if model == "" {
		return s.CatalogueParts(ctx, number, limit)
	}
	p, err := s.CataloguePart(ctx, model, number)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []parts.Part{p}, err
}

// maxNear is how many similar numbers are suggested for an unknown one.
const maxNear = 3

// knownModel returns a model as the catalogue spells it. The empty model stands for any and is
// returned as it is.
func knownModel(ctx context.Context, s *store.Store, model string) (string, error) {
	if model == "" {
		return "", nil
	}
	known, err := s.CatalogueModel(ctx, model)
	if errors.Is(err, store.ErrNotFound) {
		near, err := s.NearModels(ctx, model, maxNear)
		return "", errors.Join(fmt.Errorf("the catalogue has no model %s.%s", model, didYouMean(near)), err)
	}
	return known, err
}

func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return " Did you mean " + strings.Join(near, " or ") + "?"
}

func partsShow(p Program) *cobra.Command {
	var model string
	cmd := &cobra.Command{Use: "show NUMBER", Short: "Show a part, and which models it fits", Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(cmd)
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		model, err := knownModel(ctx, t.Store, model)
		if err != nil {
			return err
		}
		found, err := partsByNumber(ctx, t.Store, args[0], model, maxFits)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			near, err := t.Store.NearParts(ctx, model, args[0], maxNear)
			where := "the catalogue"
			if model != "" {
				where = model
			}
			return errors.Join(fmt.Errorf("%s has no part %s.%s", where, args[0], didYouMean(near)), err)
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), partShapes(found))
		}
		showPart(cmd, found)
		return nil
	})
	cmd.Flags().StringVar(&model, "model", "", "as this model has it (default: as the first does)")
	return cmd
}

// maxFits is how many of the models that a part fits are shown.
const maxFits = 100

func showPart(cmd *cobra.Command, found []parts.Part) {
	p := found[0]
	cmd.Printf("%s  %s\n", p.Number, p.Name)
	models := make([]string, len(found))
	for i, f := range found {
		models[i] = f.Model
	}
	for _, line := range [][2]string{
		{"Price", dollars(p.PriceCents)},
		{"Fits", strings.Join(models, ", ")},
		{"Solves", strings.Join(p.Symptoms, ", ")},
		{"Picture", p.ImageURL},
		{"Video", p.VideoURL},
	} {
		if line[1] != "" {
			cmd.Printf("%-9s %s\n", line[0]+":", line[1])
		}
	}
	if p.Description != "" {
		cmd.Printf("\n%s\n", p.Description)
	}
	for i, step := range p.Steps {
		if i == 0 {
			cmd.Println()
		}
		cmd.Printf("%d. %s\n", i+1, step)
	}
}

// dollars formats an amount in cents, or returns the empty string for an unknown one, which is 0.
func dollars(cents int64) string {
	if cents == 0 {
		return ""
	}
	return fmt.Sprintf("$%d.%02d", cents/100, cents%100)
}

// partShape is the JSON form of a part.
type partShape struct {
	Model       string   `json:"model"`
	PartNumber  string   `json:"partNumber"`
	Name        string   `json:"name"`
	Price       float64  `json:"price,omitempty"`
	Description string   `json:"description"`
	ImageURL    string   `json:"imageUrl"`
	VideoURL    string   `json:"videoUrl"`
	Symptoms    []string `json:"symptoms"`
	Steps       []string `json:"steps"`
}

func partShapes(found []parts.Part) []partShape {
	out := make([]partShape, len(found))
	for i, p := range found {
		out[i] = partShape{p.Model, p.Number, p.Name, float64(p.PriceCents) / 100, p.Description, p.ImageURL, p.VideoURL, p.Symptoms, p.Steps}
	}
	return out
}

func partsExport(p Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write the catalogue to a new file of JSON, or to standard output", Args: cobra.MaximumNArgs(1),
	}
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		if len(args) == 0 || args[0] == "-" {
			_, err := t.Store.ExportCatalogue(ctx, cmd.OutOrStdout())
			return err
		}
		n, err := newFile(args[0], func(f io.Writer) (int, error) { return t.Store.ExportCatalogue(ctx, f) })
		if err == nil {
			cmd.Printf("%d parts in %s\n", n, args[0])
		}
		return err
	})
	return cmd
}
