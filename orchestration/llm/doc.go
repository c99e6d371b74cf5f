// Package llm is nAIber's client for language models: any server that implements OpenAI's
// chat-completions and embeddings dialect.
//
// It gives three guarantees. The first word comes fast: a model that fails is replaced at once, a
// slow one is hedged by another in parallel, and the first useful word wins. A reply that has begun
// is completed: one that was cut by a token limit or a broken stream is continued, its seam is
// smoothed, and [Result.Text] is exactly what was passed on. And it always ends: every wait has a
// named limit, see [TimeoutError].
//
// Requests are marshalled to bytes once, before anything is sent. This is not only for speed: an
// incoming request's body must never be used as the body of an outgoing one while the response
// streams, because net/http closes it under the reader, and some streams are then cut short.
//
// It does not decide what is said when every model fails, what the prompt contains, and what is
// done with the words. No word and no key appears in its log or its errors.
package llm
