package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// answerWithin bounds a request that only asks our own database. Without it, a
// database that hangs would keep whoever asks waiting, and not say why.
const answerWithin = 10 * time.Second

// bounded gives each request its time, but for placing a call and ending one, and
// for those that wait for a model: Twilio and the model server have deadlines of
// their own. So have those that go through all of a person's memory.
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
