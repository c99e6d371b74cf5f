// Package prompts holds the words that a call opens with: the system prompt, the first message, and
// the fixed sentences for voicemail, busy lines and lost ones.
//
// The words are plain text files under text/: one folder for each call type, and a shared folder
// for all of them. They are templates with a small set of fields; text/README.md is the manual for
// the people who write them. A file of the same name in the operator's own directory replaces an
// embedded one, from the next call on. A broken file is reported with file and line, and the
// embedded one is used.
//
// Text that a person wrote or said never acts as a template of the voice service: doubled braces do
// not survive rendering. See [Library.System].
package prompts
