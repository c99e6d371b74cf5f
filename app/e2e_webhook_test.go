package app_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// resident is the most memory that the process ever held, in bytes.
func (h *house) resident() int {
	h.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.process.cmd.Process.Pid))
	if err != nil {
		if os.Getenv("CI") == "true" { //nolint:forbidigo // a test says itself what CI must have
			h.t.Fatal(err)
		}
		h.t.Skipf("the memory of a process is not told here: %v", err)
	}
	kB, err := strconv.Atoi(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))[1])
	if err != nil {
		h.t.Fatal(err)
	}
	return kB << 10
}

// A header proves nothing, so strangers must not make us keep what they send on it.
func TestStrangersFillNoMemory(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	const (
		strangers = 1000
		claimed   = 2 << 20
	)
	allowed := 64 << 20
	if raceDetector {
		allowed *= 5 // it keeps shadows of all memory, and a thousand of more goroutines
	}
	hook := elevenlabs.SignWebhook("guessed", nil, time.Now())
	before := h.resident()
	var sending, conns sync.WaitGroup
	sending.Add(strangers)
	sent := make(chan struct{})
	half := strings.Repeat("a", claimed/2)
	for range strangers {
		conns.Go(func() {
			c, err := net.DialTimeout("tcp", strings.TrimPrefix(h.url, "http://"), patience)
			if err != nil {
				sending.Done()
				t.Errorf("connect: %v", err)
				return
			}
			_ = c.SetDeadline(time.Now().Add(4 * time.Second)) // what is not read by then is not wanted
			_, _ = fmt.Fprintf(c, "POST /elevenlabs/webhook HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nElevenLabs-Signature: %s\r\n\r\n", claimed, hook)
			_, _ = io.WriteString(c, half)
			sending.Done()
			<-sent
			_ = c.Close()
		})
	}
	sending.Wait()
	grown := h.resident() - before
	close(sent)
	conns.Wait()
	if grown > allowed {
		t.Errorf("%d connections took %d MB, want at most %d", strangers, grown>>20, allowed>>20)
	}

	body := `{"type":"post_call_audio","data":{"conversation_id":"conv_of_nobody"}}`
	signature := elevenlabs.SignWebhook(elevenlabs.Secret(h.setting("ELEVENLABS_WEBHOOK_SECRET")), []byte(body), time.Now())
	await(h, "an answer to ElevenLabs itself", func() (int, bool) { // it delivers again; the last strangers may still be turned away
		got := h.knock("POST", "/elevenlabs/webhook", body, "ElevenLabs-Signature", signature)
		return got.status, got.status == http.StatusOK
	})

	whole := strings.Repeat("a", 2*claimed)
	for range 100 {
		if got := h.knock("POST", "/elevenlabs/webhook", whole, elevenlabs.SignatureHeader, hook); got.status != http.StatusForbidden {
			t.Fatalf("a stranger got %d", got.status)
		}
	}
	if grown = h.resident() - before; grown > allowed {
		t.Errorf("bodies of strangers took %d MB, want at most %d", grown>>20, allowed>>20)
	}
}

// setting is what the house was given under a name.
func (h *house) setting(name string) string {
	for _, line := range h.env {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}
