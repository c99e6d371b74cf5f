package app

import (
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/telephony/prompts"
)

// check returns what is wrong with a value, for a sentence that begins with the option's name, or
// the empty string. It must not repeat the value: the caller does so for an option that is not
// secret.
type check func(v any) string

// valueChecks are the checks that a tag may name. The words after the name are args.
var valueChecks = map[string]func(v any, args []string) string{
	"from":         between, // from 1s to 2h
	"positive":     holds(func(v any) bool { return number(v) > 0 }, "must be more than 0"),
	"not_negative": holds(func(v any) bool { return number(v) >= 0 }, "must not be negative"),
	"filled":       textHolds(func(s string) bool { return strings.TrimSpace(s) != "" }, "must not be empty"),
	"one_of": func(v any, args []string) string {
		return holds(func(v any) bool { return slices.Contains(args, text(v)) }, "must be one of "+strings.Join(args, ", "))(v, nil)
	},
	"some_texts": holds(func(v any) bool { list, ok := v.([]string); return ok && len(list) > 0 && !slices.Contains(list, "") },
		"must name at least one, and none that is empty"),
	"languages": eachHolds(func(l string) bool { base, known := prompts.Known(l); return known && base == l },
		"must be languages that nAIber has words for: "+strings.Join(prompts.Languages(), ", ")),
	"emergency_numbers": eachHolds(regexp.MustCompile(`^[A-Z]{2}=[0-9]{2,8}$`).MatchString,
		"must be countries of two capital letters with their numbers, such as AT=144"),
	"holidays": eachHolds(regexp.MustCompile(`^([0-9]{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`).MatchString,
		"must be days such as 12-25 or 2027-04-05"),
	"retries": func(v any, _ []string) string {
		list, _ := v.([]string)
		if _, err := schedule.ReadLadder(list, 1); err != nil {
			return "has a value that cannot be: " + err.Error()
		}
		return ""
	},
	"day_parts": func(v any, _ []string) string {
		list, _ := v.([]string)
		if _, err := dayParts(list); err != nil {
			return "must be parts of the day with their windows, such as after:lunch=13:30-15:30: " + err.Error()
		}
		return ""
	},
	"countries": eachHolds(regexp.MustCompile(`^[A-Z]{2}$`).MatchString, "must be countries of two capital letters, such as US"),
	"crisis_lines": eachHolds(regexp.MustCompile(`^[A-Z]{2}=[0-9]{2,15}$`).MatchString,
		"must be countries of two capital letters with their numbers, such as US=988"),
	"time_of_day": textHolds(regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`).MatchString, "must be a time from 00:00 to 23:59"),
	// A number of at most 15 digits, according to ITU-T E.164.
	"e164": textHolds(regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`).MatchString,
		"must be a telephone number with its country code, digits only after the plus: +15551234567"),
	"account_sid":           textHolds(regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`).MatchString, "must be AC and 32 hexadecimal digits"),
	"messaging_service_sid": textHolds(regexp.MustCompile(`^MG[0-9a-fA-F]{32}$`).MatchString, "must be MG and 32 hexadecimal digits"),
	// The characters that Qdrant accepts in a name on every system.
	"collection": textHolds(regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`).MatchString, "must be 1 to 255 letters, digits, _ or -"),
	"mail_address": textHolds(func(s string) bool { _, err := mail.ParseAddress(s); return err == nil },
		"must be an e-mail address, such as nAIber <help@example.org>"),
	"host_port": textHolds(func(s string) bool {
		host, port, err := net.SplitHostPort(s)
		return err == nil && host != "" && port != ""
	}, "must be host:port, such as 127.0.0.1:9464"),
	"ladder": func(v any, _ []string) string {
		lines, _ := v.([]string)
		if _, err := escalation.ParseLadder(lines); err != nil {
			return "must be rungs such as \"each every 10m\": " + err.Error()
		}
		return ""
	},
	"webhook_url": textHolds(api.WebhookURL, "must be a URL that begins with https://; plain http is only for loopback"),
	"url":         scheme,
	"secure_url":  func(v any, _ []string) string { return secureURL(text(v)) },
	"public_url":  func(v any, _ []string) string { return publicURL(text(v)) },
}

// checkOf returns the check that a tag describes: its name and arguments. After the word
// "optional", an empty text passes. An empty tag has no check. It panics on an unknown name.
func checkOf(tag string) check {
	if tag == "" {
		return nil
	}
	tag, optional := strings.CutPrefix(tag, "optional ")
	words := strings.Fields(tag)
	run := valueChecks[words[0]]
	if run == nil {
		panic("no check is called " + words[0]) // the table is wrong
	}
	return func(v any) string {
		if optional && text(v) == "" {
			return ""
		}
		return run(v, words[1:])
	}
}

// holds returns a check that returns otherwise unless ok reports true.
func holds(ok func(any) bool, otherwise string) func(any, []string) string {
	return func(v any, _ []string) string {
		if ok(v) {
			return ""
		}
		return otherwise
	}
}

func textHolds(ok func(string) bool, otherwise string) func(any, []string) string {
	return holds(func(v any) bool { return ok(text(v)) }, otherwise)
}

func eachHolds(ok func(string) bool, otherwise string) func(any, []string) string {
	return holds(func(v any) bool {
		list, _ := v.([]string)
		return !slices.ContainsFunc(list, func(s string) bool { return !ok(s) })
	}, otherwise)
}

// text returns a value that is a string or a secret. It panics on any other type.
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

// number returns a value that is an int, a float, or a duration in nanoseconds. It panics on any
// other type.
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

// between checks that a number or duration is in the range given by the words "LOW to HIGH".
func between(v any, args []string) string {
	bound := reflect.New(reflect.TypeOf(v))
	limit := func(text string) float64 {
		if err := assign(bound.Interface(), text); err != nil {
			panic("bound " + text + ": " + err.Error()) // the table is wrong
		}
		return number(bound.Elem().Interface())
	}
	if n := number(v); n >= limit(args[0]) && n <= limit(args[2]) { // false for NaN
		return ""
	}
	return "must be from " + args[0] + " to " + args[2]
}

// scheme checks for a URL with one of these schemes. url.Parse's own error is left out: it
// repeats the text, and URLs may hold passwords.
func scheme(v any, schemes []string) string {
	u, err := url.Parse(text(v))
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Host == "" && (u.Path == "" || strings.HasPrefix(u.Scheme, "http")) {
		return "must be a URL that begins with " + strings.Join(schemes, ":// or ") + "://"
	}
	return ""
}

// secureURL checks a base URL that paths are appended to.
func secureURL(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be a URL that begins with https://"
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "must be a URL without user, query and fragment"
	case u.Scheme == "http" && !agent.Loopback(u.Hostname()):
		return "must begin with https://; plain http is only for loopback"
	default:
		return ""
	}
}

// publicURL checks a secureURL without a path: Twilio's signatures and the media stream's address
// are derived from it.
func publicURL(address string) string {
	if problem := secureURL(address); problem != "" {
		return problem
	}
	if u, err := url.Parse(address); err != nil || strings.TrimRight(u.Path, "/") != "" {
		return "must be a URL without a path"
	}
	return ""
}
