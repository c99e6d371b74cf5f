package orchestration

import (
	"strconv"

	"github.com/naiber/naiber/orchestration/llm"
)

// reply holds what all chunks of one answer share.
type reply struct {
	id      string
	created int64 // unix seconds
	model   string
	usage   bool // the client asked for a usage chunk
}

// toolCall is a function that the voice service must call.
type toolCall struct {
	id, name, arguments string
}

// ending holds how an answer ends on the wire.
type ending struct {
	finish string
	call   *toolCall
	usage  llm.Usage
}

func (r *reply) head(b []byte, object string) []byte {
	b = append(b, `{"id":`...)
	b = llm.AppendString(b, r.id)
	b = append(b, `,"object":"`...)
	b = append(b, object...)
	b = append(b, `","created":`...)
	b = strconv.AppendInt(b, r.created, 10)
	b = append(b, `,"model":`...)
	return llm.AppendString(b, r.model)
}

func (r *reply) open(b []byte) []byte {
	b = append(b, "data: "...)
	b = r.head(b, "chat.completion.chunk")
	return append(b, `,"choices":[{"index":0,"delta":{`...)
}

func (r *reply) close(b []byte, finish string) []byte {
	b = append(b, `},"finish_reason":`...)
	if finish == "" {
		b = append(b, "null"...)
	} else {
		b = llm.AppendString(b, finish)
	}
	b = append(b, "}]"...)
	if r.usage {
		b = append(b, `,"usage":null`...)
	}
	return append(b, "}\n\n"...)
}

// roleChunk appends the first event of a stream.
func (r *reply) roleChunk(b []byte) []byte {
	b = r.open(b)
	b = append(b, `"role":"assistant","content":""`...)
	return r.close(b, "")
}

// textChunk appends the event for the next words.
func (r *reply) textChunk(b, words []byte) []byte {
	b = r.open(b)
	b = append(b, `"content":`...)
	b = llm.AppendString(b, words)
	return r.close(b, "")
}

func appendCall(b []byte, c *toolCall) []byte {
	b = append(b, `"id":`...)
	b = llm.AppendString(b, c.id)
	b = append(b, `,"type":"function","function":{"name":`...)
	b = llm.AppendString(b, c.name)
	b = append(b, `,"arguments":`...)
	b = llm.AppendString(b, c.arguments)
	return append(b, "}}"...)
}

// endChunks appends all events after the last words, up to [DONE].
func (r *reply) endChunks(b []byte, e ending) []byte {
	if e.call != nil {
		b = r.open(b)
		b = append(b, `"tool_calls":[{"index":0,`...)
		b = appendCall(b, e.call)
		b = append(b, ']')
		b = r.close(b, "")
	}
	b = r.open(b)
	b = r.close(b, e.finish)
	if r.usage {
		b = append(b, "data: "...)
		b = r.head(b, "chat.completion.chunk")
		b = append(b, `,"choices":[],"usage":`...)
		b = appendUsage(b, e.usage)
		b = append(b, "}\n\n"...)
	}
	return append(b, "data: [DONE]\n\n"...)
}

func appendUsage(b []byte, u llm.Usage) []byte {
	b = append(b, `{"prompt_tokens":`...)
	b = strconv.AppendInt(b, int64(u.Prompt), 10)
	b = append(b, `,"completion_tokens":`...)
	b = strconv.AppendInt(b, int64(u.Completion), 10)
	b = append(b, `,"total_tokens":`...)
	b = strconv.AppendInt(b, int64(u.Total), 10)
	return append(b, '}')
}

// whole appends the answer to a client that did not ask for a stream.
func (r *reply) whole(b, words []byte, e ending) []byte {
	b = r.head(b, "chat.completion")
	b = append(b, `,"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	if len(words) == 0 {
		b = append(b, "null"...)
	} else {
		b = llm.AppendString(b, words)
	}
	b = append(b, `,"refusal":null`...)
	if e.call != nil {
		b = append(b, `,"tool_calls":[{`...)
		b = appendCall(b, e.call)
		b = append(b, ']')
	}
	b = append(b, `},"logprobs":null,"finish_reason":`...)
	b = llm.AppendString(b, e.finish)
	b = append(b, `}],"usage":`...)
	b = appendUsage(b, e.usage)
	return append(b, "}\n"...)
}
