package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/tidwall/gjson"
)

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	spec := r.ok(http.StatusOK, http.MethodGet, "/openapi.json", "", "Authorization", "")
	if v := spec.get("openapi").String(); !strings.HasPrefix(v, "3.1") {
		t.Errorf("openapi = %q", v)
	}
	var routes []string
	for path, methods := range spec.get("paths").Map() {
		for method, op := range methods.Map() {
			routes = append(routes, strings.ToUpper(method)+" "+path)
			checkOperation(t, path, op)
		}
	}
	slices.Sort(routes)
	want := []string{
		"DELETE /api/v1/people/{id}", "DELETE /api/v1/people/{id}/consents/{scope}", "DELETE /api/v1/people/{id}/facts/{factId}",
		"DELETE /api/v1/people/{id}/limits/{limitId}", "DELETE /api/v1/people/{id}/memories/{memoryId}", "DELETE /api/v1/people/{id}/pauses/{pauseId}", "DELETE /api/v1/people/{id}/pin", "DELETE /api/v1/people/{id}/promises/{promiseId}", "DELETE /api/v1/schedules/{id}", "DELETE /api/v1/webhooks/{id}", "DELETE /episodes/{id}", "DELETE /projects/{id}", "DELETE /sessions/{id}", "GET /api/sessions/{id}", "GET /api/v1/alerts", "GET /api/v1/alerts/standing", "GET /api/v1/alerts/{id}", "GET /api/v1/calls",
		"GET /api/v1/calls/{id}", "GET /api/v1/calls/{id}/cognitive-check", "GET /api/v1/calls/{id}/events", "GET /api/v1/calls/{id}/health-check", "GET /api/v1/mails", "GET /api/v1/mails/{id}", "GET /api/v1/occurrences", "GET /api/v1/people", "GET /api/v1/people/{id}",
		"GET /api/v1/people/{id}/cognitive-checks", "GET /api/v1/people/{id}/cognitive-checks/fhir", "GET /api/v1/people/{id}/cognitive-trends", "GET /api/v1/people/{id}/consents", "GET /api/v1/people/{id}/entities", "GET /api/v1/people/{id}/entities/{entityId}/neighbours",
		"GET /api/v1/people/{id}/facts", "GET /api/v1/people/{id}/health-checks", "GET /api/v1/people/{id}/health-checks/csv",
		"GET /api/v1/people/{id}/health-checks/fhir", "GET /api/v1/people/{id}/limits", "GET /api/v1/people/{id}/memories",
		"GET /api/v1/people/{id}/memory/export", "GET /api/v1/people/{id}/pauses", "GET /api/v1/people/{id}/promises", "GET /api/v1/people/{id}/schedules", "GET /api/v1/people/{id}/schedules/changes", "GET /api/v1/people/{id}/trends", "GET /api/v1/schedules", "GET /api/v1/schedules/coming", "GET /api/v1/schedules/{id}", "GET /api/v1/webhooks", "GET /api/v1/webhooks/{id}", "GET /api/v1/webhooks/{id}/deliveries",
		"GET /episodes", "GET /health", "GET /health/services", "GET /models", "GET /models/props", "GET /projects", "GET /projects/{id}", "GET /sessions",
		"GET /sessions/{id}", "GET /sessions/{id}/history", "GET /settings", "GET /status", "GET /summaries/project/{id}",
		"GET /summaries/project/{id}/overview", "GET /summaries/session/{id}", "PATCH /api/v1/people/{id}", "PATCH /api/v1/schedules/{id}", "PATCH /projects/{id}", "PATCH /sessions/{id}",
		"PATCH /settings", "POST /api/chat", "POST /api/v1/alerts/{id}/acknowledge", "POST /api/v1/alerts/{id}/close", "POST /api/v1/calls/{id}/cognitive-check/tasks/{taskId}/correction", "POST /api/v1/calls/{id}/hangup", "POST /api/v1/people", "POST /api/v1/people/{id}/consents", "POST /api/v1/people/{id}/forget",
		"POST /api/v1/people/{id}/limits", "POST /api/v1/people/{id}/memories", "POST /api/v1/people/{id}/memory/import",
		"POST /api/v1/people/{id}/opt-in", "POST /api/v1/people/{id}/pauses", "POST /api/v1/people/{id}/schedules", "POST /api/v1/schedules/{id}/pause", "POST /api/v1/schedules/{id}/resume", "POST /api/v1/webhooks", "POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay", "POST /call", "POST /chat", "POST /chat/stream", "POST /projects", "POST /summaries/project/{id}/generate", "PUT /api/v1/people/{id}/pin",
	}
	if !slices.Equal(routes, want) {
		t.Errorf("routes = %q\nwant %q", routes, want)
	}
	refs(spec.get("@this"), func(ref string) {
		path := strings.ReplaceAll(strings.TrimPrefix(ref, "#/"), "/", ".")
		if !strings.HasPrefix(ref, "#/") || !spec.get(path).Exists() {
			t.Errorf("$ref %q leads nowhere", ref)
		}
	})
	for path, want := range map[string]string{
		"components.schemas.CallFull.properties.turns.items.$ref":                                                  "#/components/schemas/TurnOut",
		"components.schemas.CallFull.properties.callSid.type":                                                      "string",
		"components.schemas.PersonPatch.properties.quietHours.type":                                                `["object","null"]`,
		"components.schemas.PersonPatch.properties.name.maxLength":                                                 "200",
		`paths./call.post.responses.409.content.application/problem+json.schema.$ref`:                              "#/components/schemas/Refusal",
		"components.schemas.Refusal.properties.until.format":                                                       "date-time",
		"components.schemas.Refusal.properties.detail.type":                                                        "string",
		"components.securitySchemes.bearer.scheme":                                                                 "bearer",
		"components.schemas.HealthCheck.properties.answers.items.$ref":                                             "#/components/schemas/HealthAnswer",
		"components.schemas.HealthAnswer.properties.value.type":                                                    "",
		"components.schemas.HealthScore.properties.total.type":                                                     `["integer","null"]`,
		"components.schemas.Trend.properties.latest.$ref":                                                          "#/components/schemas/TrendLatest",
		"paths./api/v1/people/{id}/health-checks.get.responses.200.headers.Link.schema.type":                       "string",
		"paths./api/v1/people/{id}/health-checks/fhir.get.responses.200.content.application/fhir+json.schema.type": "object",
		"paths./api/v1/people/{id}/health-checks/csv.get.responses.200.content.text/csv.schema.type":               "string",
		"paths./status.get.security":                                                                               "[]",
		"paths./api/v1/calls/{id}/events.get.responses.200.content.text/event-stream.schema.type":                  "string",
		"paths./api/v1/people/{id}.get.responses.404.content.application/problem+json.schema.$ref":                 "#/components/schemas/ErrorModel",
		"paths./api/v1/people/{id}/consents.post.requestBody.content.application/json.schema.$ref":                 "#/components/schemas/ConsentGiven",
	} {
		if got := spec.get(path).String(); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
}

// checkOperation wants a name, words, and every variable of the path described.
func checkOperation(t *testing.T, path string, op gjson.Result) {
	t.Helper()
	if op.Get("summary").String() == "" || op.Get("operationId").String() == "" || op.Get("tags.0").String() == "" {
		t.Errorf("%s has no summary, id or tag: %s", path, op)
	}
	for part := range strings.SplitSeq(path, "/") {
		name, is := strings.CutPrefix(part, "{")
		if is && op.Get(`parameters.#(name=="`+strings.TrimSuffix(name, "}")+`").in`).String() != "path" {
			t.Errorf("%s does not describe %s", path, part)
		}
	}
}

func refs(v gjson.Result, found func(ref string)) {
	v.ForEach(func(key, value gjson.Result) bool {
		if key.String() == "$ref" {
			found(value.String())
		}
		if value.IsObject() || value.IsArray() {
			refs(value, found)
		}
		return true
	})
}

// A server that stops has its API described before a line of the database exists.
func TestMountNeedsNothingRunning(t *testing.T) {
	t.Parallel()
	Mount(chi.NewRouter(), Deps{}, door)
}
