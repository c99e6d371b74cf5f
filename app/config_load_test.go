package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ignoreSources compares configurations by their values alone.
var ignoreSources = cmpopts.IgnoreUnexported(Config{})

// load reads text as the file, and env and flags as the rest.
func load(t *testing.T, text string, env, flags map[string]string) (Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "naiber.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var environ []string
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	return Load(LoadOptions{Path: path, Env: lookup(env), Environ: environ, Flags: flags})
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

// Every option, by every way: the file is below the environment, which is below
// flags.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, o := range options {
		t.Run(o.key, func(t *testing.T) {
			t.Parallel()
			low, mid, high := threeValues(t, o)
			section, name, nested := strings.Cut(o.key, ".")
			file := fmt.Sprintf("%s:\n  %s: %s\n", section, name, low)
			if !nested {
				file = fmt.Sprintf("%s: %s\n", o.key, low)
			}
			env := map[string]string{o.envName(): mid}
			flags := map[string]string{o.key: high}
			for _, tt := range []struct {
				name       string
				file       string
				env, flags map[string]string
				want, from string
			}{
				{"default", "", nil, nil, o.fallback, ""},
				{"file", file, nil, nil, low, "naiber.yaml:"},
				{"environment", "", env, nil, mid, o.envName()},
				{"environment over file", file, env, nil, mid, o.envName()},
				{"flag over file", file, nil, flags, high, "--" + o.key},
				{"flag over all", file, env, flags, high, "--" + o.key},
				{"empty variable is none", file, map[string]string{o.envName(): ""}, nil, low, "naiber.yaml:"},
			} {
				got, err := load(t, tt.file, tt.env, tt.flags)
				if err != nil {
					t.Errorf("%s: %v", tt.name, err)
					continue
				}
				want := Default()
				if err := assign(o.field(&want), tt.want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, ignoreSources); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.name, diff)
				}
				if from := got.from[o.key]; !strings.HasPrefix(from, tt.from) || from == "" != (tt.from == "") {
					t.Errorf("%s: comes from %q, want %q", tt.name, from, tt.from)
				}
			}
		})
	}
}

// threeValues are good for the option, and differ from each other and from its
// default.
func threeValues(t *testing.T, o *option) (a, b, c string) {
	t.Helper()
	byKey := map[string][3]string{
		"server.public_url":            {"https://a.example.org", "https://b.example.org", "http://127.0.0.1:3000"},
		"database.url":                 {"postgres://a/naiber", "postgresql://b/naiber", "postgres:///naiber"},
		"redis.url":                    {"redis://a:6379", "rediss://b:6379", "unix:///run/redis.sock"},
		"qdrant.url":                   {"http://a:6334", "https://b:6334", "http://c:6334"},
		"twilio.account_sid":           {"AC" + strings.Repeat("0", 32), "AC" + strings.Repeat("1", 32), "AC" + strings.Repeat("f", 32)},
		"twilio.number":                {"+15551234567", "+442071838750", "+4930123456"},
		"calls.quiet_start":            {"21:00", "22:30", "00:00"},
		"calls.quiet_end":              {"08:00", "07:30", "10:15"},
		"elevenlabs.languages":         {"de", "es", "de,es"},
		"safety.emergency_numbers":     {"AT=144", "DE=112", "US=911"},
		"safety.crisis_lines":          {"US=988", "GB=116123", "MX=8009112000"},
		"schedules.keep_days":          {"31", "60", "400"},
		"schedules.holidays":           {"12-25", "2027-04-05", "01-01"},
		"schedules.day_parts":          {"after:lunch=13:30-15:30", "before:lunch=11:00-12:00", "after:dinner=19:00-20:30"},
		"watch.heartbeat_url":          {"https://a.example.org", "https://b.example.org", "https://c.example.org/ping"},
		"alerts.welfare_numbers":       {"GB=101", "DE=110", "US=311"},
		"calls.opt_out_key_in":         {"US", "CA", "GB"},
		"schedules.retries":            {"busy=5m*3", "machine=30m*2", "failed=10m*3"},
		"alerts.on_call_language":      {"en", "es", "de"},
		"alerts.on_call_email":         {"a@example.org", "Ann Lee <b@example.org>", "c@example.org"},
		"alerts.on_call_phone":         {"+15551234567", "+442071838750", "+4930123456"},
		"alerts.on_call_webhook":       {"https://a.example.org", "https://b.example.org", "https://c.example.org/alerts"},
		"alerts.link_ttl":              {"2h", "3h", "4h"},
		"alerts.digest":                {"first", "contacts", "on_call"},
		"alerts.same_day":              {"first", "contacts", "on_call"},
		"alerts.urgent":                {"first", "contacts", "on_call"},
		"alerts.now":                   {"first", "contacts", "on_call"},
		"twilio.messaging_number":      {"+15551234567", "+442071838750", "+4930123456"},
		"twilio.messaging_service_sid": {"MG" + strings.Repeat("0", 32), "MG" + strings.Repeat("1", 32), "MG" + strings.Repeat("f", 32)},
		"log.level":                    {"debug", "warn", "error"},
		"log.format":                   {"json", "json", "json"},
		"tracing.otlp_endpoint":        {"http://a:4318", "https://b:4318", "http://c:4318"},
		"rag.similarity_threshold":     {"0.5", "0.6", "1"},
		"rag.rrf_k":                    {"10", "40", "60"},
		"chat.recall_budget":           {"200", "300", "4500"},
		"server.metrics_addr":          {"127.0.0.1:9464", "127.0.0.1:9465", "10.0.0.7:9466"},
		"email.from":                   {"a@example.org", "nAIber <b@example.org>", "c@example.org"},
		"safety.then":                  {"end", "stay", "end"},
		"calls.inbound_check":          {"keyed", "callback", "keyed"},
		"email.tls":                    {"tls", "none", "starttls"},
		"appliance.help_url":           {"https://a.example.org", "https://b.example.org", "https://c.example.org/help"},
		"chat.deadline":                {"30s", "45s", "100s"},
		"sandbox.speech_wpm":           {"170", "200", "2000"},
		"turn.silence_prompts":         {"1", "2", "3"},
		"checkpoints.ttl":              {"2h", "3h", "4h"},
		"health.max_retry":             {"1", "2", "4"},
		"health.words_deadline":        {"100ms", "200ms", "1s"},
		"health.read_deadline":         {"100ms", "200ms", "1s"},
	}
	if v, ok := byKey[o.key]; ok {
		return v[0], v[1], v[2]
	}
	switch o.field(&Config{}).(type) {
	case *int:
		return "17", "18", "19"
	case *float64:
		return "0.25", "0.5", "1"
	case *bool:
		return "false", "true", "false"
	case *time.Duration:
		if strings.HasPrefix(o.key, "turn.") || o.key == "rag.deadline" {
			return "3s", "4s", "5s"
		}
		return "61s", "62s", "2m"
	case *[]string:
		return "a", "b", "c"
	default:
		if strings.HasSuffix(o.key, "base_url") {
			return "https://a.example.org/v1", "http://localhost:8080", "http://[::1]:8080"
		}
		return "first-value-of-it", "second-value-of-it", "third-value-of-it"
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	const file = `server:
  port: many
  colour: blue
calls:
  daily_cap: -1
  quiet_start: 25:00
  ring_timeout: 30
turn:
  fillers: {a: b}
  deadline: [1s, 2s]
twilio:
  auth_token:
    hidden: sesame
elevenlabs: none
auth:
  llm_secret: short-pw
prompt:
  dir: x
`
	env := map[string]string{"OPENAI_BASE_URL": "http://models.example.org/v1", "TWILIO_NUMBER": "0555 1234", "QDRANT_COLLECTION": "a/b", "DATABASE_URL": "mysql://root:" + "pa55word@db/x"}
	flags := map[string]string{"log.level": "loud", "no.such": "x"}
	got, err := load(t, file, env, flags)
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	want := []string{
		`naiber.yaml:3: unknown key "server.colour"`,
		`naiber.yaml:9: turn.fillers: must be a plain value`,
		`naiber.yaml:10: turn.deadline: must be one value, not a list`,
		`naiber.yaml:12: twilio.auth_token: must be a plain value`,
		`naiber.yaml:14: elevenlabs: must hold keys and values`,
		`naiber.yaml:17: unknown key "prompt"`,
		`server.port (naiber.yaml:2): must be a whole number`,
		`calls.ring_timeout (naiber.yaml:7): must be a duration with its unit, such as 1500ms, 10s or 2m`,
		`--no.such: there is no such option`,
		`database.url (DATABASE_URL): must be a URL that begins with postgres:// or postgresql://`,
		`qdrant.collection (QDRANT_COLLECTION): must be 1 to 255 letters, digits, _ or -, is "a/b"`,
		`openai.base_url (OPENAI_BASE_URL): must begin with https://; plain http is only for loopback, is "http://models.example.org/v1"`,
		`twilio.number (TWILIO_NUMBER): must be a telephone number with its country code, digits only after the plus: +15551234567, is "0555 1234"`,
		`calls.quiet_start (naiber.yaml:6): must be a time from 00:00 to 23:59, is "25:00"`,
		`calls.daily_cap (naiber.yaml:5): must be from 0 to 100, is -1`,
		`log.level (--log.level): must be one of debug, info, warn, error, is "loud"`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Server.Port != 3000 {
		t.Errorf("an unreadable port became %d, want the default", got.Server.Port)
	}
	for _, secret := range []string{"sesame", "short-pw", "pa55word"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows %q", secret)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"comments alone", "# nothing\n", ""},
		{"empty section", "server:\ncalls:\n", ""},
		{"empty value", "server:\n  port:\n", ""},
		{"quoted", "twilio:\n  number: \"+15551234567\"\n", ""},
		{"unquoted plus", "twilio:\n  number: +15551234567\n", ""},
		{"block text", "prompts:\n  dir: |-\n    x\n", ""},
		{"list on lines", "openai:\n  models:\n    - a\n    - b\n", ""},
		{"empty list", "openai:\n  models: []\n", "must name at least one"},
		{"not YAML", "server: [\n", "naiber.yaml:1: not YAML"},
		{"key twice", "server:\n  port: 1\n  port: 2\n", "naiber.yaml:3: not YAML"},
		{"a list", "- a\n", "must hold keys and values"},
		{"two documents", "log:\n  level: info\n---\nlog:\n  level: warn\n", "there must be one document"},
		{"anchor", "server:\n  host: &a x\n", "must be a plain value"},
		{"tabs", "server:\n\tport: 1\n", "not YAML"},
	} {
		_, err := load(t, tt.text, nil, nil)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestNamedFileMustExist(t *testing.T) {
	t.Parallel()
	_, err := Load(LoadOptions{Path: filepath.Join(t.TempDir(), "none.yaml"), Env: lookup(nil)})
	if err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestDefaultFileMayBeMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	got, err := Load(LoadOptions{Env: lookup(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got, ignoreSources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.WriteFile("config.yaml", []byte("server: {port: 4000}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = Load(LoadOptions{Env: lookup(nil)}); err != nil || got.Server.Port != 4000 {
		t.Errorf("with a file: port %d, %v", got.Server.Port, err)
	}
}

func TestSlashAtTheEnd(t *testing.T) {
	t.Parallel()
	got, err := load(t, "", map[string]string{"PUBLIC_URL": "https://a.example.org/", "OPENAI_BASE_URL": "https://b.example.org/v1/"}, nil)
	if err != nil || got.Server.PublicURL != "https://a.example.org" || got.OpenAI.BaseURL != "https://b.example.org/v1" {
		t.Errorf("got %q, %q, %v", got.Server.PublicURL, got.OpenAI.BaseURL, err)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add([]byte(Reference()))
	f.Add([]byte("server:\n  port: [1, {a: *b}]\n? x\n: &c y\n"))
	f.Add([]byte("auth: {llm_secret: !!binary aGk=}\n---\n- 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _ := readFile("f", data)
		for _, e := range entries {
			if optionByKey[e.key] == nil {
				t.Errorf("an entry for %q", e.key)
			}
		}
	})
}

// FuzzValues: whatever stands in a variable, it is taken or reported, and no
// report holds what is secret.
func FuzzValues(f *testing.F) {
	odd := []string{"postgres://u:hunter2@h/d?x=%zz", `["a", 1]`, "99999999999999999999h", "NaN", "\x00\xff", "http://u:hunter2@h"}
	for i := range options {
		f.Add(i, odd[i%len(odd)])
	}
	f.Fuzz(func(t *testing.T, i int, value string) {
		if i < 0 || i >= len(options) || value == "" {
			return
		}
		o := options[i]
		cfg, err := Load(LoadOptions{Path: os.DevNull, Env: func(name string) (string, bool) { return value, name == o.envName() }})
		for _, problem := range []error{err, cfg.Validate(ForService), cfg.Validate(ForSandbox)} {
			if problem != nil && o.secret() && len(value) > 12 && strings.Contains(problem.Error(), value) {
				t.Errorf("%s: %v holds %q", o.key, problem, value)
			}
		}
	})
}

// A variable of ours that is misspelt would be missed by nobody but the person who
// relies on it.
func TestUnknownVariablesAreMistakes(t *testing.T) {
	t.Parallel()
	_, err := load(t, "", map[string]string{
		"NAIBER_LOG_LEVL": "debug", "NAIBER_EMPTY": "", "NAIBER_SERVICE_HOST": "10.0.0.1", "NAIBER_PORT": "tcp://10.0.0.1:80", "NAIBER_PORT_80_TCP": "x",
		"OTHER": "1", "NAIBER_LOG_FORMAT": "json",
	}, nil)
	if err == nil || err.Error() != "NAIBER_LOG_LEVL: there is no such variable; config.yaml names them all" {
		t.Errorf("err = %v", err)
	}
	if _, err := load(t, "", map[string]string{"NAIBER_HOUSE_SECRET": "hunter2"}, nil); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a value is told: %v", err)
	}
}

// Variables that had no prefix are read still, and so is the prefixed name of
// those that keep another one.
func TestOtherNamesOfVariables(t *testing.T) {
	t.Parallel()
	got, err := load(t, "", map[string]string{
		"MAX_RETRY": "5", "RAG_ENABLED": "false", "RAG_MEMORY_SIMILARITY_THRESHOLD": "0.7", "NAIBER_SERVER_PORT": "4000",
		"NAIBER_DATABASE_URL": "postgres://a/b",
	}, nil)
	if err != nil || got.Health.MaxRetry != 5 || got.RAG.Enabled || got.RAG.SimilarityThreshold != 0.7 || got.Server.Port != 4000 || got.Database.URL.Reveal() != "postgres://a/b" {
		t.Errorf("loaded %+v, %v", got, err)
	}
	if got, err = load(t, "", map[string]string{"MAX_RETRY": "5", "NAIBER_HEALTH_MAX_RETRY": "4", "PORT": "1", "NAIBER_SERVER_PORT": "2"}, nil); err != nil || got.Health.MaxRetry != 4 || got.Server.Port != 1 {
		t.Errorf("of two names the documented one wins: %d, %d, %v", got.Health.MaxRetry, got.Server.Port, err)
	}
}
