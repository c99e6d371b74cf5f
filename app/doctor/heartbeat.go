package doctor

import (
	"context"
	"net"
	"net/url"
	"time"
)

// Heartbeat says whether somebody outside notices when nAIber dies, and looks up the name of
// the URL that is asked for. It does not ask for it: that would say that nAIber works.
func Heartbeat(address string, every time.Duration) Check {
	return Check{Name: "heartbeat", Run: func(ctx context.Context) Finding {
		if address == "" {
			return skip("watch.heartbeat_url is not set: nobody outside notices when nAIber dies")
		}
		u, err := url.Parse(address)
		if err != nil {
			return fail("watch.heartbeat_url cannot be read", "Copy the ping URL once more from the service that watches it.")
		}
		if _, err := net.DefaultResolver.LookupHost(ctx, u.Hostname()); err != nil {
			return fail("the name of watch.heartbeat_url is not found: "+u.Hostname(), "Correct watch.heartbeat_url, or the name server of this machine.")
		}
		return ok("a URL at " + u.Hostname() + " is asked for every " + every.String() + " while nAIber does its work")
	}}
}
