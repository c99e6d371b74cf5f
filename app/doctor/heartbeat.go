package doctor

import (
	"context"
	"net"
	"net/url"
	"time"
)

// Heartbeat returns a check of the heartbeat, by which somebody outside notices when nAIber dies.
// It looks up the host of the URL but does not request it, since a request would mean that nAIber
// works.
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
