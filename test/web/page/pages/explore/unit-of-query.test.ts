import { expect, test } from 'bun:test'
import { unitFormats } from '../../../../../src/web/page/pages/explore/graph/units.ts'
import { unitOfQuery } from '../../../../../src/web/page/pages/explore/query/unit-of-query.ts'

test.each([
  ['up', 'number'],
  ['sum by (code) (rate(http_requests_total[5m]))', 'per_second'],
  ['sum(increase(http_requests_total[1h]))', 'number'],
  ['max by (job) (irate(net_received_bytes_total[$__range])) > 10', 'bytes_per_second'],
  ['process_resident_memory_bytes{job="a"}', 'bytes'],
  ['process_resident_memory_bytes / machine_memory_bytes', 'ratio'],
  ['process_resident_memory_bytes / 1024', 'number'],
  ['histogram_quantile(0.95, sum by (le) (rate(http_duration_seconds_bucket[5m])))', 'seconds'],
  ['histogram_quantile(0.9, rate(http_duration_milliseconds_bucket[5m]))', 'milliseconds'],
  ['rate(http_duration_seconds_sum[5m]) / rate(http_duration_seconds_count[5m])', 'seconds'],
  ['sum(rate(http_duration_seconds_bucket{le="0.1"}[5m]))', 'per_second'],
  ['rate(process_cpu_seconds_total[5m])', 'number'],
  ['1 - sum(rate(a_total{code=~"5.."}[5m])) / sum(rate(a_total[5m]))', 'ratio'],
  ['100 * (sum(rate(a_total{code=~"5.."}[5m])) / sum(rate(a_total[5m])))', 'percent'],
  ['sum(rate(a_total[5m])) / on (job) sum(rate(b_total[5m])) > bool 0.5', 'number'],
  ['job:errors:ratio_rate5m', 'ratio'],
  ['cpu_usage_percent or vector(0)', 'percent'],
  ['time() - max(backup_last_success_timestamp_seconds)', 'seconds'],
  ['backup_last_success_timestamp_seconds', 'number'],
  ['count(process_resident_memory_bytes)', 'number'],
  ['topk(5, avg_over_time(queue_wait_seconds[1h])) # slowest', 'seconds'],
  ['', 'number'],
] as const)('the unit of %p is %s', (query, unit) => {
  expect(unitOfQuery(query)).toBe(unit)
})

test('a query that takes long to parse has no unit', () => {
  expect(unitOfQuery(`up_bytes${' + up_bytes'.repeat(20)}`)).toBe('bytes')
  expect(unitOfQuery(`up_bytes${' + up_bytes'.repeat(1000)}`)).toBe('number')
})

test.each([
  ['number', 12_345, '12.3 k'],
  ['percent', 12.5, '12.5 %'],
  ['ratio', 0.001, '0.1 %'],
  ['seconds', 0, '0 s'],
  ['seconds', 0.00025, '250 µs'],
  ['seconds', -0.25, '−250 ms'],
  ['seconds', 90, '90 s'],
  ['seconds', 150, '2.5 min'],
  ['seconds', 259_200, '3 d'],
  ['milliseconds', 1500, '1.5 s'],
  ['bytes', 0, '0 B'],
  ['bytes', 1_572_864, '1.5 MiB'],
  ['bytes_per_second', 512, '512 B/s'],
  ['per_second', 2.5, '2.5 /s'],
] as const)('in %s %p is %p', (unit, value, text) => {
  expect(unitFormats[unit].format(value).replaceAll('\u2009', ' ')).toBe(text)
})

test('distances on the axis ascend', () => {
  for (const { increments = [] } of Object.values(unitFormats)) {
    expect(increments).toEqual(increments.toSorted((a, b) => a - b))
  }
})
