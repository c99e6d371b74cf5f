// Package prompts holds the words that a call opens with: the system prompt, the
// first message, and the fixed sentences for voicemail, busy lines and lost ones.
//
// The words are plain text files under text/, one folder for each call type and
// one, shared, for what all of them use. They are templates with a small set of
// fields; text/README.md is their manual, for people who write, not program. A
// file of the same name in the operator's own directory takes the place of an
// embedded one, from the next call on. One that is broken is reported with file
// and line, and the embedded one is used.
//
// What a person wrote or said never acts as a template of the voice service:
// doubled braces do not survive rendering. See [Library.System].
package prompts
