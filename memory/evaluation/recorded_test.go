package evaluation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/naiber/naiber/memory/learn"
)

// modelURL names the environment's variable with the address of a server that chats as
// OpenAI's does, whose answers [TestRecordLearning] records.
const modelURL = "EVAL_MODEL"

const recordings = "testdata/learned.jsonl"

// onRecord is a model whose answers are on record. What is asked for depends on what was
// learned before, and its order on chance; so an answer is found by the new part of a
// question alone, and what it names by a number is on record in words.
type onRecord struct {
	model learn.Model // asked for what is not on record; nil if there is none
	rest  learn.Model // asked for what recall does not depend on: promises and summaries

	mu      sync.Mutex // guards the rest
	answers map[string]recording
	missing int // how often there was no answer
}

// recording is a line of the file.
type recording struct {
	Task   string          `json:"task"`
	Asked  string          `json:"asked"` // a hash of the new part of the question
	Answer json.RawMessage `json:"answer"`
	Shown  map[int]string  `json:"shown,omitempty"` // what the numbers in the answer stand for
}

func (r recording) key() string { return r.Task + " " + r.Asked }

func newOnRecord(tb testing.TB, ask learn.Model) *onRecord {
	tb.Helper()
	r := &onRecord{model: ask, rest: sandboxModel(tb), answers: map[string]recording{}}
	text, err := os.ReadFile(recordings)
	if err != nil && !os.IsNotExist(err) {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var rec recording
		if err := json.Unmarshal(line, &rec); err != nil {
			tb.Fatal(err)
		}
		r.answers[rec.key()] = rec
	}
	return r
}

var (
	knownLine = regexp.MustCompile(`(?m)^(\d+)\. (.*?\))`)
	newLine   = regexp.MustCompile(`(?m)^NEW (\d+): (.*)$`)
	oldLine   = regexp.MustCompile(`(?m)^  OLD (\d+): (.*)$`)
)

// numbered returns what the lines of a question number.
func numbered(line *regexp.Regexp, text string) map[int]string {
	all := map[int]string{}
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		all[n] = m[2]
	}
	return all
}

func (r *onRecord) Ask(ctx context.Context, t learn.Task, out any) error {
	switch out := out.(type) {
	case *learn.FactsAnswer:
		return r.answer(ctx, t, t.User, out, nil, nil)
	case *learn.NamesAnswer:
		known, transcript, _ := strings.Cut(t.User, "The person is called")
		return r.answer(ctx, t, transcript, out, numbered(knownLine, known), func(each func(*int) bool) {
			for i := range out.Entities {
				if k := out.Entities[i].Known; k != nil && !each(k) {
					out.Entities[i].Known = nil
				}
			}
		})
	case *learn.RevisionAnswer:
		return r.verdicts(ctx, t, out)
	}
	return r.rest.Ask(ctx, t, out)
}

// answer answers from what is on record of the key, or asks and records. numbers calls each
// with every number in out that stands for something shown, and drops those for which it is
// false.
func (r *onRecord) answer(ctx context.Context, t learn.Task, key string, out any, shown map[int]string, numbers func(each func(*int) bool)) error {
	was, ok := r.find(t.Name, key)
	switch {
	case ok:
		if err := json.Unmarshal(was.Answer, out); err != nil {
			return err
		}
		if numbers != nil {
			numbers(func(n *int) bool { return renumber(n, was.Shown, shown) })
		}
		return nil
	case r.model == nil:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.missing++
		return nil
	}
	if err := r.model.Ask(ctx, t, out); err != nil {
		return err
	}
	used := map[int]string{}
	if numbers != nil {
		numbers(func(n *int) bool { used[*n] = shown[*n]; return true })
	}
	return r.record(t.Name, key, out, used)
}

// renumber changes a number to that under which the same is shown now, and reports whether
// it is.
func renumber(n *int, was, is map[int]string) bool {
	for now, text := range is {
		if text == was[*n] {
			*n = now
			return true
		}
	}
	return false
}

// verdicts answers for each new fact by itself.
func (r *onRecord) verdicts(ctx context.Context, t learn.Task, out *learn.RevisionAnswer) error {
	fresh, shown := numbered(newLine, t.User), numbered(oldLine, t.User)
	var left int
	for n, text := range fresh {
		was, ok := r.find(t.Name, text)
		if !ok {
			left++
			continue
		}
		var v learn.VerdictAnswer
		if err := json.Unmarshal(was.Answer, &v); err != nil {
			return err
		}
		v.New = n
		for _, list := range []*[]int{&v.Old, &v.Depends} {
			*list = slices.DeleteFunc(*list, func(o int) bool { return !renumber(&o, was.Shown, shown) })
			for i := range *list {
				renumber(&(*list)[i], was.Shown, shown)
			}
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	if left == 0 || r.model == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.missing += left
		return nil
	}
	if err := r.model.Ask(ctx, t, out); err != nil {
		return err
	}
	for _, v := range out.Verdicts {
		used := map[int]string{}
		for _, o := range slices.Concat(v.Old, v.Depends) {
			used[o] = shown[o]
		}
		if err := r.record(t.Name, fresh[v.New], v, used); err != nil {
			return err
		}
	}
	return nil
}

func asked(task, key string) recording {
	sum := sha256.Sum256([]byte(key))
	return recording{Task: task, Asked: hex.EncodeToString(sum[:8])}
}

func (r *onRecord) find(task, key string) (recording, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.answers[asked(task, key).key()]
	return was, ok
}

func (r *onRecord) record(task, key string, answer any, shown map[int]string) (err error) {
	rec := asked(task, key)
	rec.Shown = shown
	if rec.Answer, err = json.Marshal(answer); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[rec.key()] = rec
	var lines []string
	for _, rec := range r.answers {
		line, err := json.Marshal(rec)
		if err != nil {
			return err
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	return os.WriteFile(recordings, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// TestRecordLearning records what a model answers when nAIber learns from everybody's
// calls, if the environment names one:
//
//	EVAL_MODEL=http://127.0.0.1:8000/v1 go test ./memory/evaluation -run RecordLearning -parallel 10 -timeout 5h
func TestRecordLearning(t *testing.T) {
	t.Parallel()
	url := os.Getenv(modelURL) //nolint:forbidigo // it configures the measurement, not the program
	if url == "" {
		t.Skipf("%s names no model", modelURL)
	}
	e, answers := embedder(t), newOnRecord(t, modelAt(t, url))
	for _, one := range load(t) {
		t.Run(one.CallName, func(t *testing.T) {
			t.Parallel()
			newHome(t, []Elder{one}, e, how{model: answers})
		})
	}
}
