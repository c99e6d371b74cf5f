// Package llm is nAIber's client for language models: any server that speaks
// OpenAI's chat-completions and embeddings dialect.
//
// It promises three things to those who speak through it. The first word comes
// fast: a model that fails is replaced at once, a slow one gets a rival alongside
// it, and whoever says the first useful word wins. What was begun is finished:
// a reply cut by a token limit or a broken stream is continued, its seam is
// smoothed, and [Result.Text] is exactly what was handed on. And it always
// ends: every wait has a named limit, see [TimeoutError].
//
// Requests are marshalled to bytes once, before anything is sent. That is more
// than thrift: an incoming request's body must never be handed to an outgoing
// one while the response streams, because net/http closes it under the reader
// and some streams are then cut short.
//
// It leaves to others what is said when every model fails, what the prompt
// holds, and what becomes of the words. No word and no key reaches its log or its errors.
package llm
