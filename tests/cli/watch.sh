# ingot watch: the page of a run while it runs, for one reader on this machine, who can change nothing.
set -u
command -v curl >/dev/null || { echo "curl is not installed"; exit 77; }
work=$(mktemp -d)
pids=
trap '[ -z "$pids" ] || { kill $pids; kill -CONT $pids; } 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; cat watch.log 2>/dev/null; exit 1; }
cat >wall.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [10 mm, 4 mm, 4 mm], cells: [10, 4, 4]}}
materials: {name: steel, density: 7800 kg/m3, specific_heat: 500 J/kg/K, conductivity: 20 W/m/K}
initial_temperature: 300 K
boundary: [{set: zmax, flux: 2e6 W/m2}]
time_step: 0.05 ms
duration: 2000 s
output: {every: 20000, history_every: 20000}
END
address() { # of the log: waits for the line
  for _ in $(seq 100); do
    url=$(grep -o 'http://127.0.0.1:[0-9]*/?token=[0-9a-f]*' "$1" 2>/dev/null) && break
    sleep 0.1
  done
  [ -n "${url:-}" ] || fail "no address is printed"
  base=${url%%/\?*}
}
get() { curl -s -m 20 -o body -w '%{http_code}' "$@"; }
expect() { local want=$1; shift; local got; got=$(get "$@"); [ "$got" = "$want" ] || fail "expected $want, not $got: $*"; }

"$INGOT" watch nowhere >log 2>&1 && fail "a folder that is not there is watched"
grep -q "no such folder" log || fail "the message does not say what is missing"
"$INGOT" run wall.yaml --backend cpu --threads 1 --quiet --out wall --watch 2>watch.log &
run=$!
pids=$run
address watch.log
# the run only has to go on: it computes a fifth of the time, as its page is a process of its own
(while kill -STOP $run 2>/dev/null; do sleep 0.2; kill -CONT $run 2>/dev/null; sleep 0.05; done) &
slow=$!
pids="$run $slow"
# bad requests: answered, or dropped, and the server goes on
expect 403 "$base/"
expect 403 "$base/state"
expect 403 "$base/?token=0123456789abcdef0123456789abcdef"
expect 403 -H 'Host: evil.example' "$url"
expect 405 -X POST "$base/"
expect 405 -X DELETE "$base/"
expect 431 -H "X: $(head -c 9000 /dev/zero | tr '\0' x)" "$base/"
port=${base##*:}
for junk in 'GET' 'GET / SPAM\r\n\r\n' '\0\0\0\0' 'GET /../../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'; do
  printf "$junk" | timeout 10 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; cat >&3; timeout 1 cat <&3" >answer 2>/dev/null
  grep -q root: answer && fail "a file was handed out"
done
# many that connect and say nothing keep nobody out
python3 - "$port" <<'END' || fail "silent connections keep others out"
import socket, sys, time
silent = [socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) for _ in range(100)]
for _ in range(5):
    start = time.time()
    one = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
    one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n" % sys.argv[1].encode())
    assert one.recv(100).startswith(b"HTTP/1.1 403"), "no answer"
    assert time.time() - start < 4, time.time() - start
    silent.append(one)
END
# not reachable but by loopback
for other in $(hostname -I 2>/dev/null); do
  case $other in *:*) continue ;; esac
  curl -s -m 2 "http://$other:$port/" >/dev/null && fail "it listens on $other"
done
# the token opens once; the cookie from then on
expect 303 -c jar "$url"
grep -q "#HttpOnly_127.0.0.1.*ingot-$port" jar || fail "no cookie of this port that scripts cannot read"
sed "s/\(ingot-$port\t\).*/\1$(printf '%032d' 0)/" jar >forged
expect 403 -b forged "$base/"
expect 403 "$url"
expect 404 -b jar "$base/checkpoint.h5"
expect 404 -b jar "$base/../wall.yaml" --path-as-is
for _ in $(seq 60); do
  expect 200 -b jar "$base/"
  grep -q 'class="running"' body && break
  sleep 0.5
done
grep -q 'class="running"' body || fail "the page of the run does not come"
grep -q "connect-src 'self'" body || fail "the page may not ask for news"
expect 200 -b jar "$base/state"
first=$(cat body)
grep -q '"running": true' body || fail "it does not know that the run goes on"
for _ in $(seq 60); do
  expect 200 -b jar "$base/state"
  [ "$(cat body)" != "$first" ] && break
  sleep 0.5
done
[ "$(cat body)" != "$first" ] || fail "nothing is ever new"
[ ! -e wall/report.html ] || fail "watching writes into the folder"

if command -v chromium >/dev/null; then
  "$INGOT" watch wall 2>second.log &
  second=$!
  pids="$pids $second"
  address second.log
  timeout 200 chromium --headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-dev-shm-usage \
    --user-data-dir="$work/browser" --virtual-time-budget=20000 --dump-dom "$url" 2>browser.log >dom
  grep -q 'data-following="true"' dom || fail "the page in the browser does not follow: $(grep -o '<body[^>]*>' dom | head -c 300)"
  grep -q 'data-updates="[1-9]' dom || fail "the page in the browser is not updated"
  grep -q 'data-errors' dom && fail "the page has errors"
fi
# it ends with the run
kill $slow
wait $slow 2>/dev/null # no stop of it comes after what follows
kill -CONT $run
kill -INT $run
wait $run
for _ in $(seq 40); do
  curl -s -m 2 "$base/" >/dev/null || break
  sleep 0.5
done
curl -s -m 2 "$base/" >/dev/null && fail "the server goes on after the run"
[ -e wall/summary.json ] || fail "the run did not end as it should"
[ -z "$(ls -d /tmp/ingot-watch-* 2>/dev/null | xargs -r -n 1 -I{} find {} -maxdepth 0 -newer wall.yaml 2>/dev/null)" ] || echo "note: a folder of another watcher is in /tmp"
# a sweep: its table grows in the page, and the server ends with the last run
"$INGOT" sweep wall.yaml -v 'initial_temperature=300 K, 310 K, 320 K, 330 K' -s 'duration=12 s' -j 1 -b cpu -q -o sweep >log 2>&1 &
sweep=$!
pids="$pids $sweep"
for _ in $(seq 100); do [ -d sweep ] && break; sleep 0.1; done
"$INGOT" sweep wall.yaml -v 'initial_temperature=300 K, 310 K' -b cpu -q -o sweep >log 2>&1 && fail "two sweeps write into one folder"
grep -q 'another sweep' log || fail "the message does not name the other sweep"
"$INGOT" watch sweep 2>sweep.log &
watch=$!
pids="$pids $watch"
url=
address sweep.log
expect 303 -c jar "$url"
seen=
for _ in $(seq 400); do
  [ "$(get -b jar "$base/")" = 200 ] || break
  n=$(grep -o '<td>run-00[0-9]</td>' body | sort -u | wc -l)
  case " $seen " in *" $n "*) ;; *) seen="$seen $n" ;; esac
  expect 200 -b jar "$base/state"
  grep -q '"running": false' body && break
  sleep 0.2
done
wait $sweep || fail "the sweep fails"
case $seen in *[123]*4) ;; *) fail "the page of a sweep does not grow:$seen" ;; esac
for _ in $(seq 60); do kill -0 $watch 2>/dev/null || break; sleep 0.5; done
kill -0 $watch 2>/dev/null && fail "the server goes on after the sweep"
echo "watched"
