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
	// replyKept is how much of an answer is kept, and replyRead how much is read, so that the
	// connection can be used again.
	replyKept = 1 << 10
	replyRead = 64 << 10
	// dialTimeout bounds the making of a connection.
	dialTimeout = 5 * time.Second
)

// ErrAddress says that nothing can be posted to a URL, whenever it is tried.
var ErrAddress = errors.New("address cannot be used")

// Client returns a client for [Post]: it follows no redirect, and connects to no address
// that only the machine itself and its network's routers serve, as metadata of clouds is.
func Client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck,forcetypeassert // it is one
	transport.DialContext = (&net.Dialer{Timeout: dialTimeout, Control: outside}).DialContext
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// outside refuses addresses, after their names were resolved.
func outside(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := to.Addr().Unmap()
	if nat64.Contains(ip) { // a router makes the IPv4 address of it that its end holds
		all := ip.As16()
		ip = netip.AddrFrom4([4]byte(all[12:]))
	}
	if ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || slices.Contains(metadata, ip) {
		return errors.New("the name leads to an address that is not posted to")
	}
	return nil
}

// metadata are where clouds tell a machine its secrets, besides link-local addresses: those of
// AWS, Google, Alibaba and Oracle.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"), netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"),
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Reply is the answer to a post. Status is zero where none came.
type Reply struct {
	Status int
	Body   string // its beginning
}

// Received reports whether the receiver has taken what was posted.
func (r Reply) Received() bool { return r.Status >= 200 && r.Status < 300 }

// Post posts JSON that is signed with a secret. An error says that no answer came; it does
// not repeat the URL, which may hold a secret.
func Post(ctx context.Context, client *http.Client, address, secret string, at time.Time, body []byte) (Reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Reply{}, ErrAddress // err would quote it
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
	kept, _ := io.ReadAll(io.LimitReader(res.Body, replyKept)) // the status says what counts
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, replyRead))
	return Reply{Status: res.StatusCode, Body: string(kept)}, nil
}

// Err is why what was posted was not received.
func (r Reply) Err() error {
	if r.Received() {
		return nil
	}
	return fmt.Errorf("answer %d", r.Status)
}

// Sign returns the header Naiber-Signature of a body that is sent at a time: the seconds
// since 1970 and, over these, a dot and the body, HMAC-SHA256 in hexadecimal.
func Sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
