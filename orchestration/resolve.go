package orchestration

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// The reasons why a request is not a turn of a known call.
const (
	unresolvedNobody    = "unresolved"       // the request does not identify anybody on the line
	unresolvedNoToken   = "no_call_token"    // only a call token may identify the call, and there is none
	unresolvedDirectory = "directory_failed" // the line could not be looked up
)

// resolve finds the live call that a request belongs to. A request with a call token belongs to the
// call that the token names, or is refused with an *apiError. One without belongs to a call only if
// [Config.ResolveByName] is set: by user or user_id, or else by the marks in the system message.
// The reason is empty if a call was found, and else says why there is none.
func (s *Server) resolve(ctx context.Context, req *request) (line calls.Line, reason string, err error) {
	if req.tokened {
		return s.byToken(ctx, req)
	}
	if !s.cfg.ResolveByName {
		return calls.Line{}, unresolvedNoToken, nil
	}
	reason = unresolvedNobody
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
			return line, "", nil
		}
	}
	return calls.Line{}, reason, nil
}

// byToken returns the call that the request's token names. The token must be ours, its call must be
// live, and the request must not name another.
func (s *Server) byToken(ctx context.Context, req *request) (calls.Line, string, error) {
	id, good := s.cfg.Verify(req.token)
	if !good || (req.call != "" && req.call != id.String()) {
		return calls.Line{}, "", errCallToken
	}
	line, ok, err := s.cfg.Directory.LineByCall(ctx, id)
	switch {
	case err != nil:
		s.log.LogAttrs(ctx, slog.LevelWarn, "directory failed", slog.String("call_id", id.String()), slog.Any("err", err))
		return calls.Line{}, unresolvedDirectory, nil
	case !ok:
		return calls.Line{}, "", errCallEnded
	}
	for _, user := range req.users {
		if person, err := store.ParsePersonID(user); err == nil && person != line.Call.Whose() {
			s.log.LogAttrs(ctx, slog.LevelWarn, "request names another person than its token",
				slog.String("call_id", id.String()), slog.String("person_id", line.Call.Whose().String()))
		}
	}
	return line, "", nil
}

// byName looks up a line by a person's id or a telephone number.
func (s *Server) byName(ctx context.Context, name string) (calls.Line, bool, error) {
	if name == "" {
		return calls.Line{}, false, nil
	}
	if strings.HasPrefix(name, "+") {
		return s.cfg.Directory.LineByPhone(ctx, name)
	}
	id, err := store.ParsePersonID(name)
	if err != nil {
		return calls.Line{}, false, nil //nolint:nilerr // somebody else's name for a user is no error
	}
	return s.cfg.Directory.LineByPerson(ctx, id)
}

// marked returns the values of the lines "userId: …" and "phone: …" in the system messages.
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

// marker returns the word after key in the first line that begins with it. key must be in lower
// case.
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
