// Package elevenlabs speaks ElevenLabs' protocols: the REST API, the events of
// a conversation's WebSocket, the configuration of the agent behind it, and the
// webhook that follows a conversation.
//
// It knows the wire and nothing else. It holds no conversation, starts no
// goroutine that outlives a request, logs nothing, and never puts a credential
// or a signed URL into an error. What is said, and when a conversation is tried
// again, is for package telephony.
package elevenlabs
