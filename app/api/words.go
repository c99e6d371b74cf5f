package api

import (
	"cmp"

	"github.com/danielgtaylor/huma/v2"
)

// explain completes a description with what its routes do not say themselves: what
// each tag is about, and words for every operation, parameter and field. A field
// is explained by its schema and name, or by its name alone, where it is the same
// everywhere. What has words of its own keeps them.
func explain(doc *huma.OpenAPI) {
	doc.Tags = doc.Tags[:0]
	declared := map[string]bool{}
	for _, item := range doc.Paths {
		for _, op := range operations(item) {
			op.Description = cmp.Or(op.Description, operationWords[op.OperationID])
			for _, tag := range op.Tags {
				declared[tag] = true
			}
			for _, p := range op.Parameters {
				p.Description = cmp.Or(p.Description, fieldWords[p.Name])
			}
		}
	}
	for _, tag := range tagWords {
		if declared[tag[0]] {
			doc.Tags = append(doc.Tags, &huma.Tag{Name: tag[0], Description: tag[1]})
		}
	}
	for name, schema := range doc.Components.Schemas.Map() {
		for field, s := range schema.Properties {
			if s.Description == "" {
				// A schema of its own may stand for several fields: the words are of this one.
				described := *s
				described.Description = cmp.Or(fieldWords[name+"."+field], fieldWords[field])
				s, schema.Properties[field] = &described, &described
			}
			if s.PatternDescription != "" { // no word of OpenAPI's
				s.Description += " (" + s.PatternDescription + ")"
				s.PatternDescription = ""
			}
		}
	}
}

// operations are those of a path.
func operations(item *huma.PathItem) []*huma.Operation {
	var all []*huma.Operation
	for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
		if op != nil {
			all = append(all, op)
		}
	}
	return all
}

// tagWords are the tags in the order of the reference, with what they are about.
var tagWords = [][2]string{
	{"people", "Who is phoned: name, number, time zone, contacts."},
	{"consents", "What a person agreed to. Nobody is phoned, recorded or remembered without it."},
	{"pauses", "Times in which somebody is not phoned: a holiday, a stay in hospital."},
	{"calls", "Placing calls, following them as they happen, and reading what came of them."},
	{"health checks", "What health checks asked and heard, as JSON, CSV and FHIR, and how answers go over time."},
	{"memory", "What is remembered of a person, how it is found, limited, forgotten and moved."},
	{"chat", "The text channel: the same companion and the same memory in writing."},
	{"sessions", "Conversations of the text channel."},
	{"episodes", "What was written and replied, one exchange each."},
	{"projects", "Circles of sessions that share a memory: a family, a ward."},
	{"summaries", "What sessions and projects came to."},
	{"settings", "How the text channel samples and recalls."},
	{"models", "The models that replies can be made with."},
	{"health", "Whether the text channel is there."},
	{"operation", "How nAIber and what it depends on stand."},
}

// operationWords explain operations that have no description of their own.
var operationWords = map[string]string{
	"list-calls":        "Without a userId, the calls of everybody. The first page holds the newest; nextCursor leads to older ones.",
	"get-call":          "What was said is there where the person agreed to it (consent recording); summary and topics follow some seconds after the call's end.",
	"hang-up":           "Says nothing more and ends the call at the carrier. A call that is over is left as it is.",
	"get-health-check":  "While the call is under way, the check as far as it has come.",
	"list-people":       "All people by pages, or those that a number or a name fits, without pages.",
	"create-person":     "Adds a person with contacts and consents. Nobody is phoned without the consent calls.",
	"delete-person":     "Removes the person with calls, answers and all that is remembered, for good. Refused while they are on a call.",
	"get-person":        "The person with contacts, what they agreed to, and the topics of their last calls.",
	"list-consents":     "Every consent that was given, those that were taken back included: who gave it, when and how.",
	"give-consent":      "Adds a line to the ledger. A consent that stands already is recorded once more, with who gave it now.",
	"revoke-consent":    "Closes the standing consent of a scope. Whoever looks next finds it taken back; a line of the ledger stays.",
	"list-entities":     "People, places, pets and the like that the person spoke of, with their other names.",
	"list-neighbours":   "The entity, those that it is related to, and the relations between them.",
	"forget-fact":       "Forgets the fact and the words that it comes from; keepText leaves the words.",
	"export-csv":        "One line an answer, with a header, in the person's own time zone. For spreadsheets.",
	"export-fhir":       "For clinical systems: the questionnaires as they were asked, and observations with codes where there are some.",
	"list-limits":       "Those that hold now, the oldest first.",
	"lift-limit":        "The topic may be kept and brought up again from now on.",
	"forget-memory":     "Forgets it wherever it is kept, with the facts that do not stand without it.",
	"list-pauses":       "Those that are over are not listed.",
	"add-pause":         "Calls are refused from the start to the end of the pause, by the rule pause.",
	"lift-pause":        "Calls are allowed again from now on, as far as the other rules do.",
	"list-promises":     "Follow-ups, birthdays and appointments, with what became of them.",
	"drop-promise":      "It is not brought up any more.",
	"chat":              "Answers when the reply is whole; /chat/stream sends it as it is made.",
	"list-episodes":     "With words, what was written about is found by meaning and by words.",
	"delete-episode":    "Forgets what was written and replied, and what was learned from it.",
	"get-health":        "Answers without asking the services behind it; /status does ask them.",
	"list-models":       "What the model server offers, and model files on this machine where a folder is configured.",
	"get-model-props":   "Only llama.cpp's server tells them; with another one this is not found.",
	"list-projects":     "By pages, the newest first.",
	"create-project":    "Sessions join it by projectId, and recall what was said in each other.",
	"get-project":       "Its name, its description and its own prompt.",
	"list-sessions":     "Those of a person, of a project, or all, by pages.",
	"delete-session":    "Forgets its episodes, its summaries and what was learned from them.",
	"get-session":       "Whose it is, which project it belongs to, and when it began.",
	"get-history":       "By pages, the newest exchange first.",
	"get-settings":      "The values in force, where nothing was set the defaults.",
	"status":            "Asks every service, at most once in two seconds. It names no person and needs no token.",
	"project-summaries": "The newest first.",
	"project-overview":  "For a reader who knows nothing of it yet: each session with its last summary.",
	"session-summaries": "The newest first; each goes on from the one before.",
}

// fieldWords explain fields and parameters that have no description of their own.
var fieldWords = map[string]string{ //nolint:gosec // words about fields, none of them a secret
	"address": "Where the person lives, in words", "aliases": "What else it is called", "all": "Everything that is remembered of the person",
	"answered": "Items with an answer", "answeredAt": "When somebody or something answered", "answeredBy": "human, machine or unknown, as the carrier makes out",
	"at": "When", "attempt": "How often this turn was made, from 1", "attempts": "How often the question was put",
	"badLines": "Lines that could not be read", "band": "What the total counts as", "by": "Who wishes it", "callId": "The call",
	"callSid": "The carrier's id of the call", "callType": "What the call is for", "calls": "May be phoned", "checks": "Where it was looked for afterwards, and what was found",
	"completionTokens": "Tokens of the reply", "conditions": "Illnesses and the like; health checks ask after them", "confidence": "How sure the reading is, 0 to 1",
	"consent": "What the person agrees to", "contacts": "Who else is told, the first one first", "conversationId": "The voice service's id of the conversation",
	"createdAt": "When it was made", "cursor": "nextCursor of the page before", "degraded": "What is degraded just now, in words",
	"dependsOn": "Ids of facts that it rests on", "description": "What it is, in a sentence", "detail": "More about it, in words", "direction": "outbound: nAIber phones; inbound: it was phoned",
	"durationMs": "From the request to the last word, in milliseconds", "email": "E-mail address", "endedAt": "When it ended", "endedBy": "Who ended it", "endedCause": "Why it ended",
	"entities": "How many people, places and things", "entity": "The one that was asked for", "entityId": "The entity's id", "episodes": "The exchanges of the text channel",
	"factId": "The fact's id", "facts": "How many facts", "filler": "Whether a filler covered the wait", "firstSeen": "When it was first spoken of", "firstWordMs": "From the answer to nAIber's first word, in milliseconds",
	"givenAt": "When it was given", "givenBy": "Who gave it", "heard": "What the person said; empty where it may not be kept", "high": "The upper end", "highest": "The largest total that there can be",
	"how": "How it was said: by telephone, by letter", "id": "Its id", "Idempotency-Key": "A name of your own for this request: a second one with the same name places no second call",
	"items": "The list", "joined": "How many repeated requests were served by this one", "kind": "What kind it is", "label": "In words", "language": "The person's language as a BCP 47 tag; nAIber has words for de, en and es",
	"lastMentionedAt": "When it last came up", "lastSeen": "When it was last spoken of", "latencyMs": "How long the answer took, in milliseconds", "latest": "The newest answer alongside what is usual",
	"learnedAt": "When nAIber learned it", "limit": "How many at most", "limitId": "The limit's id", "line": "The line's number in the file, from 1", "lines": "Lines, without the header and empty ones",
	"low": "The lower end", "max": "The largest value that can be answered", "meaning": "What the band suggests; not a diagnosis", "median": "The middle of the earlier answers",
	"medications": "What the person takes; health checks ask after it", "memory": "May be remembered in later calls", "memoryId": "The memory's id", "mentions": "How often it came up",
	"message": "In words", "model": "The model that made it", "modelAlias": "What the server calls the model", "models": "The models", "n": "How many earlier answers there are", "name": "Its name",
	"neighbours": "Those that are one step away", "notes": "What else there is to know", "of": "Items in all", "optedOutAt": "Since when the person is not to be phoned, by their own wish; absent: they may be",
	"outcome": "What came of it", "pack": "The set of questions that it belongs to", "packVersion": "The set's version", "pauseId": "The pause's id", "perWeek": "By how much the answers change in a week",
	"persona": "Who replied", "phone": "Telephone number with country code", "place": "Its place in the conversation", "positive": "Whether it is a reason to look closer; not a diagnosis",
	"preferredName": "What the person likes to be called", "project": "The project", "projectId": "The project", "promiseId": "The promise's id", "promises": "How many promises", "promptTokens": "Tokens of the request",
	"question": "The wording of the question", "questionId": "Which question", "quietHours": "When the person is not phoned; absent: the default of this nAIber", "quote": "The person's words; empty where they may not be kept",
	"reason": "Why, for the record", "reconnects": "How often a broken line was picked up again", "recording": "What is said may be kept word for word", "relation": "What this person is to them: daughter, neighbour",
	"relations": "How they belong together", "repeatPenalty": "How much repetition is held back; 1 is not at all", "replaced": "Turns that said something else before", "reply": "What nAIber said; empty where it may not be kept",
	"response": "What was replied", "revokedAt": "When it was taken back; absent: it stands", "revokedBy": "Who took it back", "revokedHow": "How it was taken back", "role": "user: the person; assistant: nAIber",
	"rule": "never_raise: kept, never brought up. never_store: neither. cool_down: not brought up before a day", "scope": "What the consent is for: calls, recording or memory", "scores": "Instruments added up",
	"services": "What nAIber depends on", "sessionId": "The session", "short": "The question in a word or two", "startedAt": "When it began", "startsAt": "When the pause begins", "status": "How it stands",
	"summaries": "How many summaries", "summary": "What the call came to, once it is there", "temperature": "How freely words are chosen, 0 to 2", "text": "In words", "timezone": "IANA time zone of where the person lives",
	"title": "What the instrument is called", "to": "The other one's id", "topK": "How many of the likeliest tokens are considered; 0: all", "topP": "How much of the likelihood is considered", "topic": "What it is about",
	"topics": "What came up, the latest first", "totalTokens": "Tokens of request and reply", "transcript": "What was said, in order", "turns": "Each reply with its times", "type": "How the question is answered",
	"unchanged": "Turns that were there already", "unit": "Of a number, where there is one", "until": "Until when it holds; absent: for good", "updatedAt": "When it was last changed", "usage": "What the model counted",
	"userId": "The person", "value": "A number, a boolean or a string, by the type of the question", "verify": "Look for it afterwards in every place, and say what is found", "version": "Its version", "words": "In words, for people",

	"ForgottenOut.turns": "How many turns", "ForgottenOut.facts": "How many facts", "CallFull.turns": "Each reply with its times", "PersonOut.id": "The userId",
	"DialOut.status": "How the call stands", "ChatIn.message": "What the person writes", "ChatEpisode.message": "What the person wrote", "ServiceOut.status": "ok: it answers as it should",
	"StatusOut.status": "degraded: something is degraded, or a service does not answer", "BadLine.message": "What is wrong with it", "CheckOut.place": "Where it was looked for",
	"TrendDrift.status": "Whether the answers drift", "LineText.text": "What was said", "MemoryItem.text": "What was said, word for word", "FactOut.confidence": "How sure the fact is, 0 to 1",
	"PersonIn.name": "The whole name", "PersonOut.name": "The whole name", "Contact.name": "The contact's name",
}
