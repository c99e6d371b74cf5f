package app

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateReference = flag.Bool("update-config", false, "rewrite ../config.yaml from the tags of Config")

var referenceFile = filepath.Join("..", "config.yaml")

// The file in the repository is what the tags of Config say: every key, its default, a line of
// why.
func TestReferenceIsCurrent(t *testing.T) { // not parallel: others read the file
	if *updateReference {
		if err := os.WriteFile(referenceFile, []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Reference(), string(got)); diff != "" {
		t.Errorf("config.yaml is not what the tags of Config say; go test ./app -run Reference -update-config rewrites it (-want +got):\n%s", diff)
	}
}

func TestReferenceLoadsAsDefaults(t *testing.T) {
	t.Parallel()
	got, err := Load(LoadOptions{Path: referenceFile, Env: lookup(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got, ignoreSources); diff != "" {
		t.Errorf("(-defaults +file):\n%s", diff)
	}
	if err := got.Validate(ForTools); err != nil {
		t.Errorf("the defaults contradict each other: %v", err)
	}
	for _, o := range options {
		if got.from[o.key] == "" {
			t.Errorf("%s does not stand in the file", o.key)
		}
	}
}

// Every field of Config has exactly one option, and every option is whole.
func TestTableIsWhole(t *testing.T) {
	t.Parallel()
	var c Config
	at := map[any]string{}
	keys, envs := map[string]bool{}, map[string]bool{}
	for _, o := range options {
		if other, taken := at[o.field(&c)]; taken {
			t.Errorf("%s and %s are the same field", other, o.key)
		}
		at[o.field(&c)] = o.key
		if keys[o.key] || envs[o.envName()] {
			t.Errorf("%s, %s: a name is taken twice", o.key, o.envName())
		}
		keys[o.key], envs[o.envName()] = true, true
		if !strings.HasSuffix(o.doc, ".") && !strings.HasSuffix(o.doc, "]") && o.key != "twilio.number" {
			t.Errorf("%s: doc %q is not a sentence", o.key, o.doc)
		}
		section, _, nested := strings.Cut(o.key, ".")
		if _, ok := sections[section]; nested && !ok {
			t.Errorf("%s: no such section", o.key)
		}
	}
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		if v.Kind() == reflect.Struct {
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(name+"."+f.Name, v.Field(i))
				}
			}
			return
		}
		if at[v.Addr().Interface()] == "" {
			t.Errorf("Config%s has no option", name)
		}
	}
	walk("", reflect.ValueOf(&c).Elem())
}

// The names that others rely on.
func TestEnvironmentNames(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, o := range options {
		have[o.envName()], have[o.alias] = true, true
	}
	for name := range strings.FieldsSeq(`DATABASE_URL REDIS_URL QDRANT_URL QDRANT_API_KEY QDRANT_COLLECTION
		OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL OPENAI_EMBEDDING_MODEL
		TWILIO_ACCOUNT_SID TWILIO_AUTH_TOKEN TWILIO_NUMBER TWILIO_BASE_URL
		ELEVENLABS_API_KEY ELEVENLABS_AGENT_ID ELEVENLABS_COGNITIVE_AGENT_ID ELEVENLABS_BASE_URL ELEVENLABS_WEBHOOK_SECRET PORT PUBLIC_URL
		NAIBER_LLM_SECRET NAIBER_API_TOKEN NAIBER_ADMIN_PASSWORD RAG_ENABLED RAG_MEMORY_SIMILARITY_THRESHOLD
		NAIBER_DATA_DIR NAIBER_CALLS_DAILY_CAP`) {
		if !have[name] {
			t.Errorf("%s sets nothing", name)
		}
	}
}

// The shipped file repeats the defaults; a sandbox beside it is for trying all the same.
func TestReferenceFileLeavesTheSandboxItsRoom(t *testing.T) {
	t.Parallel()
	cfg, err := Load(LoadOptions{Path: referenceFile, Env: lookup(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.forTrying(); got.Calls.DailyCap != 100 || got.Server.CallDrain >= cfg.Server.CallDrain {
		t.Errorf("daily cap %d, call drain %v", got.Calls.DailyCap, got.Server.CallDrain)
	}
	cfg.Calls.DailyCap = 7
	if got := cfg.forTrying().Calls.DailyCap; got != 7 {
		t.Errorf("an operator's daily cap of 7 became %d", got)
	}
}
