package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// Every command that prints JSON names things as the API does.
func TestJSONIsCamelCase(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.remembered(t, "Ada King")
	p.afterwards(t, "conv_1")
	p.report = simulated()
	p.must(t, "people", "consent", "ada", "calls", "--by", "Byron")
	p.must(t, "people", "revoke", "ada", "calls")
	p.must(t, "memory", "add", "ada", "I like tea.")
	p.must(t, "memory", "limits", "add", "ada", "war", "--by", "Ada")
	id := gjson.Get(p.must(t, "jobs", "list", "--json"), "0.id").String()
	camel := regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	for _, line := range []string{
		"people list --json", "people show ada", "people health ada --json", "memory search ada --json", "memory search ada tea --json",
		"memory limits list ada --json", "memory forget ada --all --yes --verify --json", "jobs list --json", "jobs show " + id, "simulate --json",
	} {
		out := gjson.Parse(p.must(t, strings.Fields(line)...))
		if !out.IsObject() && !out.IsArray() {
			t.Errorf("%s printed %s", line, out)
		}
		eachKey(out, "", func(path, key string) {
			byName := strings.HasSuffix(path, ".outcomes") || strings.HasSuffix(path, ".latencies") // keys are data there
			if !byName && !camel.MatchString(key) {
				t.Errorf("%s: %s has the key %q", line, path, key)
			}
		})
	}
	if name := gjson.Get(p.must(t, "people", "show", "ada"), "person.name").String(); name != "Ada King" {
		t.Errorf("people show names %q", name)
	}
}

func eachKey(v gjson.Result, path string, do func(path, key string)) {
	v.ForEach(func(key, value gjson.Result) bool {
		if v.IsObject() {
			do(path, key.String())
		}
		if value.IsObject() || value.IsArray() {
			eachKey(value, path+"."+key.String(), do)
		}
		return true
	})
}
