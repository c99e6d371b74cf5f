package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// answerWithin bounds a request that only queries our own database. Without it, a hanging
// database would keep clients waiting without an answer that says why.
const answerWithin = 10 * time.Second

// bounded sets a deadline for each request, except those that place or end a call or wait for a
// model, since Twilio and the model server have deadlines of their own, and those that go through
// all of a person's memory, which set their own.
func bounded(c huma.Context, next func(huma.Context)) {
	switch c.Operation().OperationID {
	case "place-call", "hang-up", "forget", "export-memory", "import-memory", "chat", "chat-stream", "repair-chat", "generate-project-summary":
		next(c)
		return
	}
	ctx, cancel := context.WithTimeout(c.Context(), answerWithin)
	defer cancel()
	next(huma.WithContext(c, ctx))
}
