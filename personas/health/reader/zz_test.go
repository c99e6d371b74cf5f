package reader_test
import ("testing";"os";"bufio";"strings";"fmt";"github.com/naiber/naiber/personas/health/reader")
func TestZZ(t *testing.T){
 f,_:=os.Open(os.Getenv("ZZ")); s:=bufio.NewScanner(f)
 for s.Scan(){ p:=strings.SplitN(s.Text()," | ",2); if len(p)<2 {continue}; q,_:=question(p[0]); r:=reader.Read(q,p[1],now); fmt.Printf("%-8s %-10s %-8s %.2f %-14s intent=%-10s | %s\n",p[0],r.Status,func()string{if q.Kind==reader.Text{return "…"};return r.Value.String()}(),r.Confidence,r.Why,reader.IntentOf(p[1]),p[1])}
}
