package doctor

import (
	"testing"
	"time"

	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/jobs/mail/mailtest"
)

func TestMail(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mail.StartTLS, true)
	cfg := mail.Config{
		Host: server.Host, Port: server.Port, RootCAs: server.RootCAs, User: mailtest.User, Password: mailtest.Password, From: "nAIber <help@example.com>",
		Timeout: 20 * time.Second,
	}
	wrong, away := cfg, cfg
	wrong.Password, away.Port = "simsim", 1
	for name, row := range map[string]struct {
		cfg  mail.Config
		want Status
	}{"none": {mail.Config{}, Skip}, "well": {cfg, OK}, "wrong password": {wrong, Fail}, "away": {away, Fail}} {
		if got := Mail(row.cfg).Run(t.Context()); got.Status != row.want || (got.Fix == "") != (row.want != Fail) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := len(server.Messages()); n != 0 {
		t.Errorf("%d messages were sent", n)
	}
}
