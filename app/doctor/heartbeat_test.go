package doctor

import (
	"strings"
	"testing"
	"time"
)

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		status Status
		detail string
	}{
		"":                                   {Skip, "nobody outside notices"},
		"http://localhost:1/hidden-key":      {OK, "localhost is asked for every 1m0s"},
		"https://nowhere.invalid/hidden-key": {Fail, "nowhere.invalid"},
		"http://[::1":                        {Fail, "cannot be read"},
	} {
		got := Heartbeat(address, time.Minute).Run(t.Context())
		if got.Status != want.status || !strings.Contains(got.Detail, want.detail) || strings.Contains(got.Detail+got.Fix, "hidden-key") {
			t.Errorf("%s: %+v", address, got)
		}
	}
}
