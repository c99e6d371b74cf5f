package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

// Name names a text: its file is <folder>/<name>.txt, or <name>.de.txt for German.
type Name string

// The texts that code asks for. Others exist to be included by these.
const (
	System         Name = "system"                   // the system prompt
	SystemUnknown  Name = "system_unknown"           // the same for a caller whom nobody knows
	FirstCall      Name = "first_message.first_call" // the first words of the first call
	Returning      Name = "first_message.returning"  // the first words of a later one
	InboundKnown   Name = "first_message.inbound"    // a person we know phones us
	InboundUnknown Name = "first_message.unknown"    // somebody phones us, and we do not know who
	PickedUp       Name = "first_message.reconnect"  // the line broke and is back: an apology, no greeting
	Voicemail      Name = "voicemail"                // left on an answering machine: nothing private
	Busy           Name = "busy"                     // a person phones us while we are on a call with them
	Full           Name = "full"                     // a stranger phones us while too many others do
	Sorry          Name = "sorry"                    // the line is lost for good
	Farewell       Name = "farewell"                 // nAIber must stop: a short goodbye
)

const (
	sharedFolder  = "shared"
	generalFolder = "general"
	suffix        = ".txt"
)

// ErrNoText says that there is no file for a text in any of the places where it
// is looked for.
var ErrNoText = errors.New("no such text")

// Library renders texts. It may be used concurrently.
type Library struct {
	dir string // of the operator's own texts; empty: none
	log *slog.Logger
	own map[string]*template.Template // the embedded ones, by path; never written after Load

	mu     sync.Mutex // guards theirs
	theirs map[string]override
}

// override is a file of the operator's, as it was when last read.
type override struct {
	modified time.Time
	size     int64
	tmpl     *template.Template // nil: broken, and the embedded one is used
	err      error
}

// Load reads the embedded texts, and those in dir, which may be empty. Broken
// files in dir are no error: they are logged, listed by [Library.Problems], and
// the embedded ones stand in. A dir that is not there is an error.
func Load(dir string, log *slog.Logger) (*Library, error) {
	l := &Library{dir: dir, log: log, own: map[string]*template.Template{}, theirs: map[string]override{}}
	err := fs.WalkDir(embedded, "text", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, suffix) {
			return err
		}
		src, err := embedded.ReadFile(p)
		if err != nil {
			return err
		}
		file := strings.TrimPrefix(p, "text/")
		l.own[file], err = parse(file, src)
		return err
	})
	if err == nil {
		for file, t := range l.own {
			err = errors.Join(err, l.try(file, t))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read embedded texts: %w", err)
	}
	if dir == "" {
		return l, nil
	}
	return l, l.readDir()
}

// readDir looks at every override once, so that a broken one is known at the start.
func (l *Library) readDir() error {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return fmt.Errorf("open texts: %w", err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, suffix) {
			return err
		}
		l.override(p)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read texts: %w", err)
	}
	return nil
}

// Problems returns what is wrong with the operator's texts as last read, in the
// order of their files. It is empty when all is well.
func (l *Library) Problems() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var files []string
	for file, o := range l.theirs {
		if o.err != nil {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	var errs []error
	for _, file := range files {
		errs = append(errs, l.theirs[file].err)
	}
	return errs
}

// System renders the system prompt of a call. It opens with the marks, which the
// voice service completes with the id of the conversation. What people said or
// noted stands in it as quoted speech.
func (l *Library) System(d Data, m Marks) (string, error) {
	name := System
	if m.PersonID == "" {
		name = SystemUnknown
	}
	text, err := l.text(name, quoting(d, quoted.Fence))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("conversation {{system__conversation_id}}\n")
	if m.PersonID != "" {
		b.WriteString("userId: " + m.PersonID + "\n")
	}
	if m.Phone != "" {
		b.WriteString("phone: " + m.Phone + "\n")
	}
	b.WriteString("\n" + quoted.Label + "\n\n")
	b.WriteString(unmark(text))
	return b.String(), nil
}

// Text renders a text that is spoken; see text for where it is looked for.
func (l *Library) Text(name Name, d Data) (string, error) {
	return l.text(name, quoting(d, quoted.Flat))
}

// text renders a text for d's call type and language, in which it is looked for
// from the special to the general: the type's own folder, general, shared; the
// same again in English. What comes out is free of doubled braces.
func (l *Library) text(name Name, d Data) (string, error) {
	t, base := l.find(name, d)
	if base == nil {
		return "", fmt.Errorf("text %s for %s: %w", name, d.CallType, ErrNoText)
	}
	out, err := l.execute(t, d)
	if err != nil && l.dir != "" {
		l.log.Error("own text cannot be used", slog.String("text", string(name)), slog.Any("err", err))
		out, err = render(base, d, 0, l.embeddedFor(d))
	}
	if err != nil {
		return "", fmt.Errorf("text %s for %s: %w", name, d.CallType, err)
	}
	return tidy(out), nil
}

// find returns the template to use and the embedded one that can stand in for
// it. They are the same where the operator has none of their own.
func (l *Library) find(name Name, d Data) (use, standIn *template.Template) {
	for _, file := range candidates(name, d) {
		if use == nil {
			use = l.override(file)
		}
		if t, ok := l.own[file]; ok {
			if use == nil {
				use = t
			}
			return use, t
		}
	}
	return use, use
}

// candidates lists the files that a text may be in, best first.
func candidates(name Name, d Data) []string {
	var files []string
	for _, lang := range []string{"." + d.Language, ""} {
		if lang == "."+English || lang == "." {
			continue
		}
		for _, folder := range []string{d.CallType, generalFolder, sharedFolder} {
			file := path.Join(folder, string(name)+lang+suffix)
			if fs.ValidPath(file) && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// override returns the operator's own version of a file, or nil. It reads the
// file again when that has changed.
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
	if o, ok := l.theirs[file]; ok && o.modified.Equal(info.ModTime()) && o.size == info.Size() {
		return o.tmpl
	}
	o := override{modified: info.ModTime(), size: info.Size()}
	o.tmpl, o.err = l.readOverride(full)
	if o.err != nil {
		l.log.Error("own text is broken, the built-in one is used", slog.String("file", full), slog.Any("err", o.err))
	}
	l.theirs[file] = o
	return o.tmpl
}

func (l *Library) readOverride(full string) (*template.Template, error) {
	src, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Errorf("read text: %w", err)
	}
	t, err := parse(full, src)
	if err != nil {
		return nil, err
	}
	if err := l.tryOwn(t); err != nil {
		return nil, err
	}
	return t, nil
}
