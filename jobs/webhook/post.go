package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"syscall"
	"time"
)

const (
	// replyKept is how much of an answer is kept, and replyRead how much is read, which
	// lets the connection be reused.
	replyKept = 1 << 10
	replyRead = 64 << 10
	// dialTimeout limits connecting.
	dialTimeout = 5 * time.Second
)

// ErrAddress says that a URL can never be posted to.
var ErrAddress = errors.New("address cannot be used")

// Client returns a client for [Post]: it follows no redirect, and does not connect to
// addresses that are served only by the machine itself or its network's routers, such as
// cloud metadata.
func Client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck,forcetypeassert // it is one
	transport.DialContext = (&net.Dialer{Timeout: dialTimeout, Control: outside}).DialContext
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// outside refuses such addresses, after name resolution.
func outside(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := to.Addr().Unmap()
	if nat64.Contains(ip) { // a router translates it to the IPv4 address at its end
		all := ip.As16()
		ip = netip.AddrFrom4([4]byte(all[12:]))
	}
	if ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || slices.Contains(metadata, ip) {
		return errors.New("the name leads to an address that is not posted to")
	}
	return nil
}

// metadata are the addresses besides link-local ones where clouds serve a machine's
// secrets: those of AWS, Google, Alibaba and Oracle.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"), netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"),
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Reply is the answer to a post. Status is zero if there was none.
type Reply struct {
	Status int
	Body   string // the first part
}

// Received reports whether the receiver accepted the post.
func (r Reply) Received() bool { return r.Status >= 200 && r.Status < 300 }

// Post posts JSON, signed with a secret. An error says that there was no answer; it does
// not contain the URL, which may hold a secret.
func Post(ctx context.Context, client *http.Client, address, secret string, at time.Time, body []byte) (Reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Reply{}, ErrAddress // err would quote the URL
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "nAIber")
	req.Header.Set("Naiber-Signature", Sign(secret, at, body))
	res, err := client.Do(req)
	if err != nil {
		if failed, is := errors.AsType[*url.Error](err); is {
			err = failed.Err // without the URL
		}
		return Reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	kept, _ := io.ReadAll(io.LimitReader(res.Body, replyKept)) // only the status matters
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, replyRead))
	return Reply{Status: res.StatusCode, Body: string(kept)}, nil
}

// Err returns an error with the status, or nil if the post was received.
func (r Reply) Err() error {
	if r.Received() {
		return nil
	}
	return fmt.Errorf("answer %d", r.Status)
}

// Sign returns the Naiber-Signature header for a body sent at a time: the seconds since
// 1970 and the HMAC-SHA256, in hexadecimal, of these, a dot and the body.
func Sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
