package llm

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"sync"
)

// quirks records, for each model, which parameters its server refused. Servers implement the
// dialect differently: newer OpenAI models know "max_completion_tokens" but not "max_tokens" and
// only one temperature; older servers refuse "stream_options" or a JSON schema. A refusal costs one
// request per process.
type quirks struct {
	mu      sync.RWMutex // guards refused; its inner maps are never changed
	refused map[string]map[string]bool
}

// optional lists the parameters that a request can do without, or for which it has a replacement,
// see [payload.encode].
var optional = []string{
	"max_tokens", "stream_options", "temperature", "top_p", "top_k", "repeat_penalty", "response_format", "stop", "seed",
	"frequency_penalty", "presence_penalty", "parallel_tool_calls", "logit_bias", "reasoning_effort",
}

func (q *quirks) of(model string) map[string]bool {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.refused[model]
}

// learn records the parameter of model that err refuses, and reports whether that is new, in which
// case the request is worth sending again.
func (q *quirks) learn(model string, sent *payload, err error) bool {
	name := refusedParam(sent, err)
	if name == "" {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refused[model][name] {
		return false
	}
	known := maps.Clone(q.refused[model])
	if known == nil {
		known = make(map[string]bool)
	}
	known[name] = true
	if q.refused == nil {
		q.refused = make(map[string]map[string]bool)
	}
	q.refused[model] = known
	return true
}

// refusedParam returns the optional parameter of sent that the server does not know, or "".
func refusedParam(sent *payload, err error) string {
	e, ok := errors.AsType[*StatusError](err)
	if !ok || (e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity) {
		return ""
	}
	body := bytes.ToLower(e.body)
	unknown := false
	for _, hint := range []string{"unsupported", "not support", "unrecognized", "unknown", "extra", "not permitted", "not allowed"} {
		unknown = unknown || bytes.Contains(body, []byte(hint))
	}
	if !unknown {
		return ""
	}
	for _, name := range optional {
		if !sent.has(name) {
			continue
		}
		if e.Param == name || (e.Param == "" && bytes.Contains(body, []byte(name))) {
			return name
		}
	}
	return ""
}
