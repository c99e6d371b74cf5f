package app_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything may take that is to happen; a busy machine is
// slow, and a test that fails has time.
const patience = 2 * time.Minute

// process is a running naiber.
type process struct {
	cmd    *exec.Cmd
	out    *output
	exited chan struct{} // closed when it has ended; then code holds
	code   int
}

// spawn starts naiber with nothing but env around it.
func spawn(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Dir, cmd.Env = dir, env
	p := &process{cmd: cmd, out: newOutput(), exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.out
	if err := cmd.Start(); err != nil {
		t.Fatalf("start naiber %v: %v", args, err)
	}
	go func() {
		defer close(p.exited)
		err := cmd.Wait()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			p.code = exit.ExitCode()
		} else if err != nil {
			p.code = -1
		}
	}()
	t.Cleanup(func() {
		p.kill()
		for _, never := range []string{"DATA RACE", "panicked", "panic:"} {
			if strings.Contains(p.out.String(), never) {
				t.Errorf("naiber said %q", never)
			}
		}
		if t.Failed() {
			t.Logf("naiber %s said:\n%s", strings.Join(args, " "), p.out)
		}
	})
	return p
}

// kill ends the process as a crash would, and waits.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.exited
}

// stop asks the process to end, and returns its exit code and how long it took.
func (p *process) stop(t *testing.T, sig syscall.Signal) (int, time.Duration) {
	t.Helper()
	began := time.Now()
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatalf("signal naiber: %v", err)
	}
	select {
	case <-p.exited:
	case <-time.After(patience):
		t.Fatalf("naiber does not end on %v", sig)
	}
	return p.code, time.Since(began)
}

// says waits until the process has printed text.
func (p *process) says(t *testing.T, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		printed, grown := p.out.read()
		if strings.Contains(printed, text) {
			return
		}
		select {
		case <-grown:
		case <-p.exited:
			if printed, _ = p.out.read(); !strings.Contains(printed, text) {
				t.Fatalf("naiber ended with code %d before it said %q", p.code, text)
			}
		case <-ctx.Done():
			t.Fatalf("naiber never said %q", text)
		}
	}
}

// output keeps what a process prints, and tells when there is more.
type output struct {
	mu    sync.Mutex // guards what follows
	buf   bytes.Buffer
	grown chan struct{} // closed when buf has grown
}

func newOutput() *output { return &output{grown: make(chan struct{})} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.grown)
	o.grown = make(chan struct{})
	return o.buf.Write(p)
}

func (o *output) read() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String(), o.grown
}

func (o *output) String() string {
	s, _ := o.read()
	return s
}

// needsProcess passes over a test in -short, which CI does not accept.
func needsProcess(t *testing.T) {
	t.Helper()
	if !testing.Short() {
		return
	}
	if os.Getenv("CI") == "true" { //nolint:forbidigo // a test says itself what CI must have
		t.Fatal("starts the real binary, and is left out in -short")
	}
	t.Skip("starts the real binary; not in -short")
}
