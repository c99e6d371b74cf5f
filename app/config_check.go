package app

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/telephony/prompts"
)

// The checks of single values. Each returns what is wrong, for a sentence that
// begins with the option's name, or nothing. None repeats the value: that is
// done where it is known not to be secret.

// text is a value that is a string or a secret.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case Secret:
		return v.Reveal()
	default:
		panic(fmt.Sprintf("a check of text on a %T", v)) // the table is wrong
	}
}

// optional lets an empty text pass.
func optional(check func(any) string) func(any) string {
	return func(v any) string {
		if text(v) == "" {
			return ""
		}
		return check(v)
	}
}

func filled(v any) string {
	if strings.TrimSpace(text(v)) == "" {
		return "must not be empty"
	}
	return ""
}

// number is a value that is an int, a float or a duration in nanoseconds.
func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	case time.Duration:
		return float64(v)
	default:
		panic(fmt.Sprintf("a check of numbers on a %T", v)) // the table is wrong
	}
}

func positive(v any) string {
	if number(v) <= 0 {
		return "must be more than 0"
	}
	return ""
}

func notNegative(v any) string {
	if number(v) < 0 {
		return "must not be negative"
	}
	return ""
}

func between(low, high int) func(any) string { return within(float64(low), float64(high)) }

func within(low, high float64) func(any) string {
	return func(v any) string {
		if n := number(v); n >= low && n <= high { // false for NaN
			return ""
		}
		return "must be from " + strconv.FormatFloat(low, 'f', -1, 64) + " to " + strconv.FormatFloat(high, 'f', -1, 64)
	}
}

func lasting(low, high string) func(any) string {
	return func(v any) string {
		least, err1 := time.ParseDuration(low)
		most, err2 := time.ParseDuration(high)
		if err1 != nil || err2 != nil {
			panic("bounds " + low + ", " + high) // the table is wrong
		}
		if n := number(v); n < float64(least) || n > float64(most) {
			return "must be from " + low + " to " + high
		}
		return ""
	}
}

func oneOf(choices ...string) func(any) string {
	return func(v any) string {
		if slices.Contains(choices, text(v)) {
			return ""
		}
		return "must be one of " + strings.Join(choices, ", ")
	}
}

func someTexts(v any) string {
	if list, ok := v.([]string); !ok || len(list) == 0 || slices.Contains(list, "") {
		return "must name at least one, and none that is empty"
	}
	return ""
}

func languages(v any) string {
	list, _ := v.([]string)
	for _, l := range list {
		if base, known := prompts.Known(l); !known || base != l {
			return "must be languages that nAIber has words for: " + strings.Join(prompts.Languages(), ", ")
		}
	}
	return ""
}

var emergencyNumber = regexp.MustCompile(`^[A-Z]{2}=[0-9]{2,8}$`)

func emergencyNumbers(v any) string {
	list, _ := v.([]string)
	for _, l := range list {
		if !emergencyNumber.MatchString(l) {
			return "must be countries of two capital letters with their numbers, such as AT=144"
		}
	}
	return ""
}

func timeOfDay(v any) string {
	if _, err := time.Parse("15:04", text(v)); err != nil || len(text(v)) != len("15:04") {
		return "must be a time from 00:00 to 23:59"
	}
	return ""
}

// number of at most 15 digits, as ITU-T E.164 has it.
var e164Number = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

func e164(v any) string {
	if !e164Number.MatchString(text(v)) {
		return "must be a telephone number with its country code, digits only after the plus: +15551234567"
	}
	return ""
}

var sid = regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`)

func accountSID(v any) string {
	if !sid.MatchString(text(v)) {
		return "must be AC and 32 hexadecimal digits"
	}
	return ""
}

// collection is what Qdrant takes for a name on every system.
var collection = regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`)

func collectionName(v any) string {
	if !collection.MatchString(text(v)) {
		return "must be 1 to 255 letters, digits, _ or -"
	}
	return ""
}

// scheme wants a URL of one of these kinds. url.Parse's own error is left out:
// it repeats the text, and URLs hold passwords.
func scheme(schemes ...string) func(any) string {
	return func(v any) string {
		u, err := url.Parse(text(v))
		if err != nil || !slices.Contains(schemes, u.Scheme) || u.Host == "" && (u.Path == "" || strings.HasPrefix(u.Scheme, "http")) {
			return "must be a URL that begins with " + strings.Join(schemes, ":// or ") + "://"
		}
		return ""
	}
}

// secureURL is a root that paths are added to.
func secureURL(v any) string {
	u, err := url.Parse(text(v))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be a URL that begins with https://"
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "must be a URL without user, query and fragment"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "must begin with https://; plain http is only for loopback"
	default:
		return ""
	}
}

// publicURL is a secureURL without a path: Twilio's signatures and the media
// stream's address are made from it.
func publicURL(v any) string {
	if problem := secureURL(v); problem != "" {
		return problem
	}
	if u, err := url.Parse(text(v)); err != nil || strings.TrimRight(u.Path, "/") != "" {
		return "must be a URL without a path"
	}
	return ""
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// hostPort is an address to listen on that names its interface.
func hostPort(v any) string {
	host, port, err := net.SplitHostPort(text(v))
	if err != nil || host == "" || port == "" {
		return "must be host:port, such as 127.0.0.1:9464"
	}
	return ""
}
