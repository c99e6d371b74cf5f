package orchestration

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// Why a request is no turn of a call that we know.
const (
	unresolvedNobody    = "unresolved"       // nothing says who is on the line
	unresolvedEnded     = "call_ended"       // a good token, of a call that has ended
	unresolvedDirectory = "directory_failed" // who is on the line could not be looked up
	unresolvedToken     = "invalid_token"
)

// resolve finds the live call that a request belongs to: by its signed token,
// then by user or user_id, then by what the system message says. A token that
// is good decides alone. The reason says why there is none.
func (s *Server) resolve(ctx context.Context, req *request) (line store.Line, ok bool, reason string) {
	reason = unresolvedNobody
	if req.token != "" {
		if id, good := s.cfg.Verify(req.token); good {
			return s.byToken(ctx, req, id)
		}
		reason = unresolvedToken
		s.log.LogAttrs(ctx, slog.LevelWarn, "call token is not valid")
	}
	names := req.users
	if user, phone := marked(req.messages); user != "" || phone != "" {
		names = append(slices.Clip(names), user, phone)
	}
	for _, name := range names {
		line, ok, err := s.byName(ctx, name)
		if err != nil {
			s.log.LogAttrs(ctx, slog.LevelWarn, "directory failed", slog.Any("err", err))
			reason = unresolvedDirectory
		}
		if ok {
			return line, true, ""
		}
	}
	return store.Line{}, false, reason
}

func (s *Server) byToken(ctx context.Context, req *request, id store.CallID) (store.Line, bool, string) {
	line, ok, err := s.cfg.Directory.LineByCall(ctx, id)
	switch {
	case err != nil:
		s.log.LogAttrs(ctx, slog.LevelWarn, "directory failed", slog.String("call_id", id.String()), slog.Any("err", err))
		return store.Line{}, false, unresolvedDirectory
	case !ok:
		return store.Line{}, false, unresolvedEnded
	}
	for _, user := range req.users {
		if person, err := store.ParsePersonID(user); err == nil && person != line.Person.ID {
			s.log.LogAttrs(ctx, slog.LevelWarn, "request names another person than its token",
				slog.String("call_id", id.String()), slog.String("person_id", line.Person.ID.String()))
		}
	}
	if req.call != "" && req.call != id.String() {
		s.log.LogAttrs(ctx, slog.LevelWarn, "request names another call than its token", slog.String("call_id", id.String()))
	}
	return line, true, ""
}

// byName looks a line up by a person's id or a telephone number.
func (s *Server) byName(ctx context.Context, name string) (store.Line, bool, error) {
	if name == "" {
		return store.Line{}, false, nil
	}
	if strings.HasPrefix(name, "+") {
		return s.cfg.Directory.LineByPhone(ctx, name)
	}
	id, err := store.ParsePersonID(name)
	if err != nil {
		return store.Line{}, false, nil //nolint:nilerr // somebody else's name for a user is no error
	}
	return s.cfg.Directory.LineByPerson(ctx, id)
}

// marked finds the lines "userId: …" and "phone: …" in the system messages.
func marked(messages []llm.Message) (user, phone string) {
	for _, m := range messages {
		if m.Role != llm.RoleSystem {
			continue
		}
		if user == "" {
			user = marker(m.Content, "userid:")
		}
		if phone == "" {
			phone = marker(m.Content, "phone:")
		}
	}
	return user, phone
}

// marker returns the word after the first line that begins with key, which is
// in lower case.
func marker(s, key string) string {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if len(line) > len(key) && strings.EqualFold(line[:len(key)], key) {
			if words := strings.Fields(line[len(key):]); len(words) > 0 {
				return strings.Trim(words[0], `"',;`)
			}
		}
	}
	return ""
}
