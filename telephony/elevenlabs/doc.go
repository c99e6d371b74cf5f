// Package elevenlabs implements ElevenLabs' protocols: the REST API, the events of a conversation's
// WebSocket, the configuration of the agent behind it, and the webhook that follows a conversation.
//
// It handles the wire formats only. It holds no conversation, starts no goroutine that outlives a
// request, logs nothing, and never puts a credential or a signed URL into an error. Package
// telephony decides what is said, and when to retry a conversation.
package elevenlabs
