package cli

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/naiber/naiber/store"
)

// pty opens a terminal of a width: what a person sees and types at, and what the
// program gets.
func pty(t *testing.T, columns uint16) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		if os.Getenv("CI") == "true" { //nolint:forbidigo // a test says itself what CI must have
			t.Fatal(err)
		}
		t.Skip("no terminals here:", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: 24}); err != nil {
		t.Fatal(err)
	}
	return person, program
}

func TestForgetAllAsksOnATerminal(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.remembered(t, "Ada King")
	p.must(t, "memory", "add", "ada", "I like tea.")
	for _, tt := range []struct {
		answer string
		left   int
	}{{"n\n", 1}, {"\n", 1}, {"y\n", 0}} {
		person, terminal := pty(t, 80)
		if _, err := person.WriteString(tt.answer); err != nil {
			t.Fatal(err)
		}
		var asked strings.Builder
		root := Root(p)
		root.SetOut(io.Discard)
		root.SetErr(&asked)
		root.SetIn(terminal)
		root.SetArgs([]string{"memory", "forget", "ada", "--all"})
		err := root.ExecuteContext(t.Context())
		if (err == nil) != (tt.left == 0) || !strings.Contains(asked.String(), "Forget everything that Ada King said? None of it comes back. [y/N]") {
			t.Errorf("answered %q: %v, asked %q", tt.answer, err, asked.String())
		}
		if got := strings.Count(p.must(t, "memory", "export", "ada"), "\n") - 1; got != tt.left {
			t.Errorf("answered %q: %d memories are left, want %d", tt.answer, got, tt.left)
		}
	}
}

func TestTablesFitTheTerminal(t *testing.T) { // not parallel: it sets variables
	t.Setenv("TERM", "xterm")
	id := store.NewPersonID().String()
	rows := [][]string{{id, "A name\x1b[31m\a that goes on for longer than anybody needs it to", "completed", strings.Repeat("word ", 30)}}
	head := []string{"CALL ID", "NAME", "STATE", "TEXT"}
	person, terminal := pty(t, 100)
	table(terminal, head, rows)
	_ = terminal.Close()
	raw := make([]byte, 1<<16)
	n, err := person.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	got := string(raw[:n])
	if !strings.Contains(got, "\x1b[1m") || !strings.Contains(got, "\x1b[32mcompleted\x1b[0m") || !strings.Contains(got, id) {
		t.Errorf("on a terminal: %q", got)
	}
	for line := range strings.Lines(got) {
		plain := strings.NewReplacer("\x1b[1m", "", "\x1b[32m", "", "\x1b[0m", "", "\r", "", "\n", "").Replace(line)
		if n := utf8.RuneCountInString(plain); n > 100 || strings.Contains(plain, "\x1b") {
			t.Errorf("%d characters in a line: %q", n, line)
		}
	}
	var file strings.Builder
	table(&file, head, rows)
	if got := file.String(); strings.Count(got, "\n") != 2 || strings.Contains(got, "\x1b") {
		t.Errorf("elsewhere: %q", got)
	}
}

func TestPartsImportDrawsABar(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	person, terminal := pty(t, 100)
	root := Root(p)
	root.SetOut(io.Discard)
	root.SetErr(terminal)
	root.SetArgs([]string{"parts", "import", partsFile(t, strings.Replace(someParts, `"Control Board"`, "5", 1))})
	if err := root.ExecuteContext(t.Context()); !errors.Is(err, ErrUnwell) {
		t.Error(err)
	}
	_ = terminal.Close()
	drawn, _ := io.ReadAll(person) // ends with an error: nobody is at the other end
	for _, want := range []string{"2 parts", "left out: KDW482SS.parts.KP3406971: name: is no text", "done!"} {
		if !strings.Contains(string(drawn), want) {
			t.Errorf("%q is not in %q", want, drawn)
		}
	}
}
