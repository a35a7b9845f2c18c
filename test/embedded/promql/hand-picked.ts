/** Queries that each test one rule of Prometheus. */
export const handPicked = `
1 + 2 * 3 ^ 2 ^ 0.5
-1 ^ 2
2 ^ -1 * 3
-2 ^ 2
010 + 0x1F + 1e3 + .5
7 % 3 - -7 % 3
1 == bool 1
1 / 0
2.
1./6.
2.e3 - 010. ^ 1_000.
2.m
2..5
-1 / 0
NaN == bool NaN
1 ^ NaN
pi() * time()
"text"
requests_total
{__name__=~"up|ramp"}
{job="api", code!=""}
{__name__="up", job=~"a.*|web"}
up{instance!~"[ab]:80"}
up{instance=~"\\\\w:\\\\d+"}
up{instance=~"(?i)A:80"}
up{missing=""}
up{job=""}
requests_total[2m]
temperature[5m] offset 1m
(up)[3m:40s]
sum(up)[3m:]
up offset 5m + up offset -1m
up + up offset 5m * 2
ramp + ramp offset 5m * 2
-ramp offset 1m
-ramp ^ 2
ramp - 1
ramp -1
rate(requests_total[5m])
rate(requests_total[15s])
rate(requests_total[16s])
increase(requests_total[40m])
increase(errors_total[3m] offset 2m)
sum(rate(requests_total{code!="500"}[10m])) / sum(rate(requests_total[10m]))
sum by (job) (rate(requests_total[5m])) / on (job) group_left () sum by (job) (up)
delta(temperature[4m])
deriv(ramp[5m])
deriv(constant[5m])
predict_linear(ramp[5m], 3600)
predict_linear(ramp[5m] @ 1760001000, 3600)
irate(requests_total[1m])
resets(requests_total[30m])
changes(temperature[30m])
avg_over_time(temperature[30m])
stddev_over_time(temperature{room="hall"}[30m])
quantile_over_time(0.9, temperature[10m])
quantile_over_time(NaN, temperature[10m])
last_over_time(temperature[10m])
present_over_time(temperature[10m])
max_over_time(rate(requests_total[1m])[10m:30s])
max_over_time((sum(up) by (job))[10m:30s] offset 1m)
sum_over_time(up[5m:1m] @ end())
avg_over_time(up[5m:1m] @ start() offset -1m)
min_over_time(up @ 1760001000 [5m:1m])
min_over_time((up @ 1760001000)[5m:1m])
absent(nothing)
absent(nothing{a="b", c=~"d"})
absent(nothing{a="b", a="c", d="e"})
absent((nothing{a="b"}))
absent(nothing{a="b"} @ end())
absent(up)
absent(sum(nothing{a="b"}))
absent_over_time(nothing{a="b"}[5m])
absent_over_time(up[15s])
absent_over_time({job="api"}[15s])
absent_over_time(nothing{a="b"}[5m:1m])
scalar(up)
scalar(ramp) + 1
vector(time())
timestamp(temperature)
timestamp(temperature offset 1m)
timestamp(-temperature)
time() - timestamp(errors_total)
hour()
minute(vector(1700000000))
day_of_week(vector(-1))
day_of_month(vector(1709164800))
days_in_month(vector(1709164800))
day_of_year(vector(1735603200))
month(ramp)
year()
sort(temperature)
sort_desc(temperature)
topk(2, temperature)
bottomk by (floor) (1, temperature)
topk(-1, temperature)
topk(NaN, temperature)
topk(1.9, temperature)
quantile(0.5, temperature)
quantile by (floor) (scalar(ramp) / 100, temperature)
count_values("value", switches)
count_values by (room) ("value", switches)
count_values without (room) ("value", switches)
count_values("value", temperature * 1e30)
count_values("value", ramp / 1e9)
sum without (code) (requests_total)
sum by (__name__) (requests_total)
sum without () (requests_total)
group(up) by (job, nothing)
stddev(temperature)
stdvar by (floor) (temperature)
avg(temperature)
max(temperature)
min(temperature)
up and on (job) build_info
up and ignoring (instance, version, team) build_info
up unless up == 1
up or build_info
up or on (job) build_info
up == on (job, instance) up
up == ignoring (job) up
requests_total + on (job) up
requests_total + on (job, instance) up
requests_total * on (job, instance) group_left () up
up * on (job, instance) group_right () requests_total
up * on (job) group_left (team, version) build_info
build_info * on (job) group_right (team) up
requests_total > bool 50
50 < requests_total
50 < bool requests_total
requests_total > on (job, instance, code) requests_total offset 1m
ramp atan2 constant
ramp + on () constant
ramp + on () group_left (room) constant
nothing + on () up
nothing + up
{__name__=~"up|build_info"} + on (job) up
{__name__=~"requests_total|errors_total"} * 2
-{__name__=~"up|build_info"}
abs({job="api"})
rate({job="api"}[5m])
histogram_quantile(0.9, latency_seconds_bucket)
histogram_quantile(0.9, sum by (le) (rate(latency_seconds_bucket[5m])))
histogram_quantile(1, rate(latency_seconds_bucket[5m]))
histogram_quantile(0, rate(latency_seconds_bucket[5m]))
histogram_quantile(-1, rate(latency_seconds_bucket[5m]))
histogram_quantile(scalar(ramp) / 60, latency_seconds_bucket)
histogram_quantile(0.5, up)
histogram_quantile(0.5, latency_seconds_bucket or label_replace(latency_seconds_bucket, "__name__", "b", "", ""))
histogram_quantile(0.5, latency_seconds_bucket{job="api"} or label_replace(latency_seconds_bucket{job="web"}, "__name__", "b", "", ""))
absent(nothing{a="1", a="2", a="3"})
absent(nothing{a="1", a!="2", a="1"})
label_replace(up, "__type__", "gauge", "", "") + 1
label_replace(up, "__unit__", "", "", "") > bool 0
abs(label_replace(up, "__unit__", "seconds", "", ""))
sum without (job) (label_replace(up, "__unit__", "seconds", "", ""))
up atan2 on (job, instance) up
sum(vector(1e16) or on (a) label_replace(vector(1), "a", "b", "", "") or on (a) label_replace(vector(-1e16), "a", "c", "", ""))
avg(vector(1e308) or on (a) label_replace(vector(1e308), "a", "b", "", "") or on (a) label_replace(vector(-1e300), "a", "c", "", ""))
avg(vector(Inf) or on (a) label_replace(vector(1), "a", "b", "", ""))
avg(vector(Inf) or on (a) label_replace(vector(-Inf), "a", "b", "", ""))
stddev(vector(Inf))
stddev(vector(1) or on (a) label_replace(vector(Inf), "a", "b", "", ""))
stdvar(vector(NaN))
sum_over_time((temperature * 1e300)[10m:15s])
avg_over_time((temperature * 1e308)[10m:15s])
stddev_over_time((temperature{room="lab"})[10m:15s])
stddev by (room) (temperature)
holt_winters(ramp[5m], 0.5, 0.5)
up[15s]
up[1m:1m]
count_over_time(up[1m:1m])
count_over_time(up[15s])
count_over_time(ramp[5m] @ 1760000900)
topk(NaN, nothing)
label_replace(up, "short", "$1", "instance", "(.*):.*")
label_replace(up, "short", "$1x", "instance", "(.*):.*")
label_replace(up, "short", "\${name}-$$", "instance", "(?P<name>.*):.*")
label_replace(up, "job", "", "job", ".*")
label_replace(up, "instance", "", "instance", ".*")
label_replace(up, "a", "x", "nothing", "")
label_join(up, "all", "-", "job", "instance", "nothing")
label_join(up, "job", "", "nothing")
clamp(temperature, 0, 10)
clamp(temperature, 10, 0)
clamp_min(temperature, NaN)
clamp_max(temperature, 5)
round(temperature, 0.5)
round(-temperature, 0)
sgn(temperature)
ln(temperature)
exp(temperature)
log2(ramp)
acosh(constant)
up{job='api',} # a remark
up{job=~\`a\\w+\`}
up{instance=~"[a-b]:[0-9]{2}|c.*"}
up{instance=~"a.80"}
up{instance!~""}
SUM (up) BY (job)
up AND on (job) up offset 1m
up == 1 or up and build_info unless switches
ramp[5m] @ start() offset 1m
rate(requests_total[5m])[10m:1m]
ramp - on () constant offset 1m * 2
ramp > 1 == bool 1
sum by (job) (up) / ignoring (job) group_left sum(up)
+ramp
--ramp
-(-ramp)
1 - -1
'a\\tb\\x41\\u00e9\\''
"\\q"
"\\xc3\\xa9 \\303\\251 \\xf0\\x9f\\x98\\x80"
label_replace(up, "\\xff", "x", "job", ".*")
count_values("a\\xc5z", up)
ramp @ -1.5
ramp @ 1760000500.25
ramp offset 1h30m
rate(requests_total[1d])
count({__name__=~".+"})
sum(up) + sum(up offset 1m) * 2 offset 1m
up + up[5m:1m]
-up[5m:1m]
up[5m] + 1
rate(up)
sum(1)
abs(1)
up == bool
1 == 1
up and 1
(up) offset 5m
sum(up) offset 5m
up offset 5m offset 6m
up{job=~"("}
{}
{job=~".*"}
foo{__name__="bar"}
sum(up
topk(up)
nothing(up)
`
  .split('\n')
  .filter((line) => line !== '')
