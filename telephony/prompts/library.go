package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/naiber/naiber/store/quoted"
)

//go:embed text
var embedded embed.FS

// Name is the name of a text: its file is <folder>/<name>.txt, or <name>.de.txt for German.
type Name string

// The texts that code refers to. Other texts exist to be included by these.
const (
	System         Name = "system"                   // the system prompt
	SystemUnknown  Name = "system_unknown"           // the same for an unknown caller
	FirstCall      Name = "first_message.first_call" // the first words of the first call
	Returning      Name = "first_message.returning"  // the first words of a later one
	InboundKnown   Name = "first_message.inbound"    // a person we know phones us
	InboundUnknown Name = "first_message.unknown"    // an unknown person phones us
	// A caller from a person's number who has not shown that they are the person.
	InboundUnverified Name = "first_message.unverified"
	AskWho            Name = "first_message.who"       // asks for the person before anything else
	Meant             Name = "meant"                   // the purpose of the call, once the person has confirmed who they are
	Disclosure        Name = "disclosure"              // that this is a computer, and what is kept
	Reminder          Name = "reminder"                // a short disclosure, if the law permits it
	OptOutKey         Name = "opt_out_key"             // which key ends all calls
	AskPIN            Name = "pin"                     // asks a caller to enter a PIN
	AskPINAgain       Name = "pin_again"               // the same after a wrong PIN
	PickedUp          Name = "first_message.reconnect" // the line broke and is back: an apology, no greeting
	Back              Name = "first_message.back"      // the person in danger has talked with somebody else meanwhile
	Voicemail         Name = "voicemail"               // left on an answering machine: nothing private
	Busy              Name = "busy"                    // a person phones us while we are on a call with them
	Full              Name = "full"                    // an unknown caller phones us while too many others are on the line
	Sorry             Name = "sorry"                   // the line is lost permanently
	Farewell          Name = "farewell"                // nAIber must stop: a short goodbye
	OptedOut          Name = "opted_out"               // they pressed the key for no more calls, and that is stored
)

const (
	sharedFolder  = "shared"
	generalFolder = "general"
	suffix        = ".txt"
)

// ErrNoText means that a text has no file in any of the places that are searched.
var ErrNoText = errors.New("no such text")

// Library renders texts. It may be used concurrently.
type Library struct {
	dir      string // the folder of the operator's own texts, or empty
	log      *slog.Logger
	embedded map[string]*template.Template // by path; never written after Load

	mu     sync.Mutex // guards theirs
	theirs map[string]override
}

// override is one of the operator's files, as last read.
type override struct {
	modified time.Time
	size     int64
	tmpl     *template.Template // nil if the file is broken; the embedded one is used then
	err      error
}

// Load reads the embedded texts, and those in dir, which may be empty. Broken files in dir are no
// error: they are logged, listed by [Library.Problems], and replaced by the embedded ones. A
// missing dir is an error.
func Load(dir string, log *slog.Logger) (*Library, error) {
	l := &Library{dir: dir, log: log, embedded: map[string]*template.Template{}, theirs: map[string]override{}}
	err := eachText(embedded, func(p string) error {
		src, err := embedded.ReadFile(p)
		if err != nil {
			return err
		}
		file := strings.TrimPrefix(p, "text/")
		l.embedded[file], err = parse(file, src)
		return err
	})
	for file, t := range l.embedded {
		if err == nil {
			err = l.try(file, t)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read embedded texts: %w", err)
	}
	if dir == "" {
		return l, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open texts: %w", err)
	}
	defer root.Close()
	err = eachText(root.FS(), func(file string) error { // reports broken files at the start
		l.override(file)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read texts: %w", err)
	}
	return l, nil
}

// eachText calls read with the path of each text in files.
func eachText(files fs.FS, read func(path string) error) error {
	return fs.WalkDir(files, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, suffix) {
			return err
		}
		return read(p)
	})
}

// Problems returns the errors in the operator's texts as last read, ordered by file. It is empty if
// there are none.
func (l *Library) Problems() (problems []error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, file := range slices.Sorted(maps.Keys(l.theirs)) {
		if err := l.theirs[file].err; err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// System renders the system prompt of a call. The prompt begins with the marks; the voice service
// fills in the id of the conversation. Text that people said or noted is rendered as quoted speech.
func (l *Library) System(d Data, m Marks) (string, error) {
	name := System
	if m.PersonID == "" {
		name = SystemUnknown
	}
	text, err := l.text(name, quoting(d, quoted.Fence))
	if err != nil {
		return "", err
	}
	marks := "conversation {{system__conversation_id}}\n"
	if m.PersonID != "" {
		marks += "userId: " + m.PersonID + "\n"
	}
	if m.Phone != "" {
		marks += "phone: " + m.Phone + "\n"
	}
	return marks + "\n" + quoted.Label + "\n\n" + unmark(text), nil
}

// Text renders a text that is spoken. See text/README.md for the places that are searched.
func (l *Library) Text(name Name, d Data) (string, error) {
	return l.text(name, quoting(d, quoted.Flat))
}

// text renders a text for d's call type and language. The result contains no doubled braces. If an
// operator's text fails, the embedded ones are used.
func (l *Library) text(name Name, d Data) (string, error) {
	out, err := render(name, d, 0, l.best)
	if err != nil && l.dir != "" {
		l.log.Error("own text cannot be used", slog.String("text", string(name)), slog.Any("err", err))
		out, err = render(name, d, 0, l.builtIn)
	}
	if err != nil {
		return "", fmt.Errorf("text %s for %s: %w", name, d.CallType, err)
	}
	return tidy(out), nil
}

// lookup returns the template of a file, or nil if there is none.
type lookup func(file string) *template.Template

// builtIn looks up an embedded text.
func (l *Library) builtIn(file string) *template.Template { return l.embedded[file] }

// best looks up the operator's text, then the embedded one.
func (l *Library) best(file string) *template.Template {
	if t := l.override(file); t != nil {
		return t
	}
	return l.embedded[file]
}

// find returns the template of a text. It searches from the specific to the general: in the call
// type's own folder, general, and shared; then the same again in English.
func find(name Name, d Data, in lookup) *template.Template {
	for _, lang := range []string{"." + d.Language, ""} {
		if lang == "."+English || lang == "." {
			continue
		}
		for _, folder := range []string{d.CallType, generalFolder, sharedFolder} {
			file := path.Join(folder, string(name)+lang+suffix)
			if fs.ValidPath(file) {
				if t := in(file); t != nil {
					return t
				}
			}
		}
	}
	return nil
}

// override returns the operator's version of a file, or nil. It reads the file again if that has
// changed.
func (l *Library) override(file string) *template.Template {
	if l.dir == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	full := filepath.Join(l.dir, filepath.FromSlash(file))
	info, err := os.Stat(full)
	if err != nil {
		delete(l.theirs, file)
		return nil
	}
	o, known := l.theirs[file]
	if known && o.modified.Equal(info.ModTime()) && o.size == info.Size() {
		return o.tmpl
	}
	o = override{modified: info.ModTime(), size: info.Size()}
	if o.tmpl, o.err = l.read(file, full); o.err != nil {
		l.log.Error("own text is broken, the built-in one is used", slog.String("file", full), slog.Any("err", o.err))
	}
	l.theirs[file] = o
	return o.tmpl
}

// read reads one of the operator's files and tries to render it.
func (l *Library) read(file, full string) (*template.Template, error) {
	src, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Errorf("read text: %w", err)
	}
	t, err := parse(full, src)
	if err == nil {
		err = l.try(file, t)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}
