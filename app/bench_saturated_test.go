package app_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/naiber/naiber/app"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint/redistest"
)

const saturatedConversations = 16

var (
	saturatedBlocks = flag.Int("saturated.blocks", 5, "how often BenchmarkTurnSaturated plays its conversations")
	saturatedRounds = flag.Int("saturated.rounds", 8, "how many turns it plays in each conversation each time, at most as many as a health check has")
)

// saturatedWords are what people say in a health check that is over with nothing
// but these.
var saturatedWords = []string{"Hello?", "Yes", "Yes", "Seven", "Two", "No", "Eight", "No", "Yes", "No", "No", "Yes"}

// BenchmarkTurnSaturated plays 16 conversations without a pause, with a model
// that answers at once, and prints what a turn takes of the processors: in
// nAIber, in its PostgreSQL, and both as a multiple of what a bare reverse proxy
// takes in the same run. Of what is played several times the median counts.
func BenchmarkTurnSaturated(b *testing.B) {
	for _, tt := range []struct {
		name   string
		kind   calls.CallType
		says   []string
		change func(*app.Config)
	}{
		{"recall", calls.CallGeneral, nil, func(*app.Config) {}},
		{"no-recall", calls.CallGeneral, nil, func(c *app.Config) { c.RAG.Enabled = false }},
		{"health-redis", calls.CallHealthCheck, saturatedWords, func(c *app.Config) {
			c.Redis.URL = app.NewSecret(redistest.New(b).URL())
		}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			calls := saturatedConversations
			if tt.says != nil { // each block plays checks of its own
				calls *= *saturatedBlocks + 1
			}
			h := openBenchHouse(b, calls, tt.kind, tt.change)
			proxy := bareProxy(b, h.far.url)
			for b.Loop() {
				h.saturate(b, proxy, tt.says)
			}
			if tt.says != nil {
				h.wantAsked(b, calls, "pain")
			}
		})
	}
}

// saturate plays blocks of turns through the proxy and through nAIber, and
// reports what they took.
func (h *benchHouse) saturate(b *testing.B, proxy string, says []string) {
	b.Helper()
	var proxyCPU, cpu, database, ratio []time.Duration // for a turn, of each block; the ratio in thousandths
	for block := range *saturatedBlocks + 1 {
		play := farPlay{Conversations: saturatedConversations, First: block * *saturatedRounds, Rounds: *saturatedRounds, Saturated: true, Says: says}
		if says != nil {
			play.First, play.Skip = 0, block*saturatedConversations
		}
		play.Base = h.url
		own, theirs, turns := h.cost(b, play)
		play.Base, play.Says = proxy, nil
		copied, _, again := h.cost(b, play)
		if block == 0 {
			continue // it opens connections and loads profiles
		}
		own, theirs, copied = own/turns, theirs/turns, copied/again
		cpu, database, proxyCPU = append(cpu, own), append(database, theirs), append(proxyCPU, copied)
		ratio = append(ratio, 1000*(own+theirs)/copied)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(inMS(median(cpu)), "cpu-ms/turn")
	b.ReportMetric(inMS(median(database)), "postgres-cpu-ms/turn")
	b.ReportMetric(inMS(median(proxyCPU)), "proxy-cpu-ms/turn")
	b.ReportMetric(float64(median(ratio))/1000, "x-proxy-cpu")
}

// wantAsked fails unless each of n calls was asked about something: a check that
// ends at its first question costs little.
func (h *benchHouse) wantAsked(b *testing.B, n int, about string) {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), h.database)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	var asked int
	err = pool.QueryRow(b.Context(), "SELECT count(DISTINCT call_id) FROM turns WHERE reply ILIKE '%' || $1 || '%'", about).Scan(&asked)
	if err != nil || asked < n {
		b.Errorf("%d of %d calls were asked about %s (%v)", asked, n, about, err)
	}
}

// cost plays turns, and returns what this process and PostgreSQL used for them.
func (h *benchHouse) cost(b *testing.B, play farPlay) (own, database, turns time.Duration) {
	b.Helper()
	theirs := treeCPU(b, h.postmaster)
	before := cpuUsed(b)
	f := h.far.do(b, "play", play)
	own = cpuUsed(b) - before
	return own, treeCPU(b, h.postmaster) - theirs, time.Duration(len(f.TTFT))
}

// postmaster returns the process id of the PostgreSQL at an address, which runs
// on this machine.
func postmaster(b *testing.B, databaseURL string) int {
	b.Helper()
	cfg, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		b.Fatal(err)
	}
	conn, err := pgx.ConnectConfig(b.Context(), cfg.ConnConfig)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(b.Context()) }()
	return processStat(b, int(conn.PgConn().PID())).parent
}

// procStat is a line of /proc/PID/stat, as far as it matters here.
type procStat struct {
	parent int
	own    time.Duration // used by itself
	gone   time.Duration // by its children that have ended
}

func processStat(b *testing.B, pid int) (p procStat) {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{} // it has ended meanwhile
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+2:]))
	number := func(i int) int {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	ticks := func(n int) time.Duration { return time.Duration(n) * 10 * time.Millisecond } // what Linux counts in
	return procStat{number(1), ticks(number(11) + number(12)), ticks(number(13) + number(14))}
}

// treeCPU is what a process and its children have used, those included that ended.
func treeCPU(b *testing.B, pid int) time.Duration {
	b.Helper()
	root := processStat(b, pid)
	sum := root.own + root.gone
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		b.Fatal(err)
	}
	for _, dir := range dirs {
		id, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			b.Fatal(err)
		}
		if p := processStat(b, id); p.parent == pid {
			sum += p.own
		}
	}
	return sum
}
