package evaluation

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// Kind is what makes a question hard.
type Kind string

// The kinds of questions.
const (
	Single    Kind = "single"    // one turn answers it
	Several   Kind = "several"   // turns of several calls do
	When      Kind = "when"      // it asks for a time, or names one
	Changed   Kind = "changed"   // what was true is true no longer
	Dependent Kind = "dependent" // one thing hangs on another
	Forgotten Kind = "forgotten" // the answer was to be forgotten
	Never     Kind = "never"     // it was never talked about
)

// Kinds are all kinds, in the order of a report.
var Kinds = []Kind{Single, Several, When, Changed, Dependent, Forgotten, Never}

// Answerable reports whether something is to be found.
func (k Kind) Answerable() bool { return k != Forgotten && k != Never }

// Elder is one person with all that was said.
type Elder struct {
	Name, CallName, Zone string
	Asked                time.Time // when the questions are asked
	Calls                []Call
	Facts                []Fact
	Names                []Name
	Forget               []string // tags
	Questions            []Question
}

// Call is one conversation.
type Call struct {
	At    time.Time
	Turns []Turn
}

// Turn is one thing that was said. Only what questions are about has a tag.
type Turn struct {
	Tag  string
	Role calls.Role
	Name string // of the speaker; empty: as the memory calls them
	Text string
	At   time.Time
}

// Fact is one sentence as it is learned from turns.
type Fact struct {
	ID, Kind, Topic, Text string
	From                  []string // tags
	ClosedBy              string   // the fact that took its place, if any
	ClosedAt              time.Time
	DependsOn             string
}

// Name is somebody whom the person spoke of, and what they are to the person, or to
// somebody who is named before them.
type Name struct {
	Name, Kind, Relation string
	To                   string   // empty: the person
	From                 []string // tags
}

// Question asks for the turns of tags. Those of old ones say what was true before.
type Question struct {
	Kind      Kind
	Text      string
	Gold, Old []string
}

// Load reads the set from the files of a folder, in the order of their names.
func Load(files fs.FS, folder string) ([]Elder, error) {
	names, err := fs.Glob(files, path.Join(folder, "[0-9]*.txt"))
	if err != nil {
		return nil, err
	}
	talk, err := fs.ReadFile(files, "smalltalk.txt")
	if err != nil {
		return nil, err
	}
	pool, err := parseTalk(string(talk))
	if err != nil {
		return nil, fmt.Errorf("read smalltalk.txt: %w", err)
	}
	var all []Elder
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		e, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		pool.deal(&e)
		all = append(all, e)
	}
	return all, nil
}

// Memories returns what was said, as a memory keeps it. Apart, each turn is a
// conversation of its own, so that no window has a second one.
func (e Elder) Memories(in memory.Scope, apart bool) []memory.Turn {
	var turns []memory.Turn
	for _, c := range e.Calls {
		call := c.At.Format(time.DateOnly)
		for i, t := range c.Turns {
			key := fmt.Sprintf("%s/%d", call, i+1)
			conversation := call
			if apart {
				conversation = key
			}
			turns = append(turns, memory.Turn{
				Scope: in, Conversation: conversation, Seq: i + 1, Speaker: t.Role, Name: t.Name, Text: t.Text, At: t.At,
				Source: memories.FromImport, SourceKey: key,
			})
		}
	}
	return turns
}

// Tagged returns the ids of the turns that have tags.
func (e Elder) Tagged(in memory.Scope) map[string]uuid.UUID {
	ids := map[string]uuid.UUID{}
	kept := e.Memories(in, false)
	for _, c := range e.Calls {
		for i, t := range c.Turns {
			if t.Tag != "" {
				ids[t.Tag] = memory.TurnID(in, memories.FromImport, kept[i].SourceKey)
			}
		}
		kept = kept[len(c.Turns):]
	}
	return ids
}

// Gone returns the ids of what is to be forgotten: tagged turns, and what nAIber
// asked right before them.
func (e Elder) Gone(in memory.Scope) []uuid.UUID {
	var ids []uuid.UUID
	wanted := " " + strings.Join(e.Forget, " ") + " "
	kept := e.Memories(in, false)
	for _, c := range e.Calls {
		for i, t := range c.Turns {
			if t.Tag == "" || !strings.Contains(wanted, " "+t.Tag+" ") {
				continue
			}
			for _, k := range kept[i-1 : i+1] {
				ids = append(ids, memory.TurnID(in, memories.FromImport, k.SourceKey))
			}
		}
		kept = kept[len(c.Turns):]
	}
	return ids
}
