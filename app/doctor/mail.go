package doctor

import (
	"context"

	"github.com/naiber/naiber/jobs/mail"
)

// Mail returns a check that the mail server accepts a connection, with the configured encryption
// and password. It sends nothing. Without a host it is skipped.
func Mail(cfg mail.Config) Check {
	return Check{Name: "mail", Run: func(ctx context.Context) Finding {
		if cfg.Host == "" {
			return skip("email.host is not set: no mail is sent")
		}
		if err := cfg.Ping(ctx); err != nil {
			return fail(reason(err), "Correct email.host, email.port and email.tls, and user and password: EMAIL_USER, EMAIL_PASSWORD.")
		}
		return ok("takes a connection as " + cfg.From)
	}}
}
