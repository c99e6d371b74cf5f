package memory

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// CallKey returns the source key in memory of a line of a call's transcript.
func CallKey(call store.CallID, line int64) string {
	return call.String() + "/" + strconv.FormatInt(line, 10)
}

// LineOf returns the transcript line that a turn was kept from. It reports false for a turn
// that does not come from a call.
func LineOf(t Turn) (store.CallID, int64, bool) {
	if t.Source != memories.FromCall {
		return store.CallID{}, 0, false
	}
	call, number, ok := strings.Cut(t.SourceKey, "/")
	line, err := strconv.ParseInt(number, 10, 64)
	id, perr := store.ParseCallID(call)
	return id, line, ok && err == nil && perr == nil
}

// RepairID returns the id of a repair session about an appliance in tombstones.
func RepairID(session string) uuid.UUID {
	return uuid.NewSHA1(TurnSpace, []byte("repair:"+session))
}

// EpisodeKey returns the source key in memory of one half of an episode of the text
// channel.
func EpisodeKey(session uuid.UUID, episode int64, by calls.Role) string {
	return fmt.Sprintf("chat:%s:%d:%s", session, episode, by)
}

// EpisodeOf returns the episode of such a key; ok is false for any other key.
func EpisodeOf(key string) (episode int64, ok bool) {
	parts := strings.Split(key, ":")
	if len(parts) != 4 || parts[0] != "chat" {
		return 0, false
	}
	episode, err := strconv.ParseInt(parts[2], 10, 64)
	return episode, err == nil
}
