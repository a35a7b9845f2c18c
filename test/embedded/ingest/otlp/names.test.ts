import { expect, test } from 'bun:test'
import { decimalText, labelName, metricName } from '../../../../src/embedded/ingest/otlp/names.ts'

test.each([
  ['http.server.duration', 's', 'other', 'http_server_duration_seconds'],
  ['requests', '1/s', 'gauge', 'requests_per_second'],
  ['throughput', 'By/s', 'gauge', 'throughput_bytes_per_second'],
  ['requests_total', '', 'counter', 'requests_total'],
  ['total.requests', '{request}', 'counter', 'requests_total'],
  ['items', '1', 'counter', 'items_total'],
  ['cpu_usage', '1', 'gauge', 'cpu_usage_ratio'],
  ['cpu_usage_ratio', '1', 'gauge', 'cpu_usage_ratio'],
  ['active', '1', 'other', 'active'],
  ['response_time_seconds', 's', 'gauge', 'response_time_seconds'],
  ['custom', 'By/{custom}', 'gauge', 'custom_bytes'],
  ['custom', 'unit@with#special/chars', 'gauge', 'custom_unit_with_special_per_chars'],
  ['a__b', 'unit__many', 'gauge', 'a_b_unit_many'],
  ['x', 'foo_/s', 'gauge', 'x_foo_per_second'],
  ['ünï.x', 'é', 'gauge', 'n_x'],
  ['123.x', '', 'counter', '_123_x_total'],
  ['disk:io', 'constructor', 'gauge', 'disk:io_constructor'],
  ['@#$%', '', 'gauge', ''],
] as const)('%p in %p, a %s, is called %s, as by Prometheus', (name, unit, kind, expected) => {
  expect(metricName(name, unit, kind)).toBe(expected)
})

test.each([
  ['http.method', 'http_method'],
  ['label:with:colons', 'label_with_colons'],
  ['字符x', '__x'],
  ['123label', 'key_123label'],
  ['_x', 'key_x'],
  ['__x', '__x'],
])('the attribute %s becomes the label %s', (key, label) => expect(labelName(key)).toBe(label))

test.each([
  [0.0000001, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [1e21, '1000000000000000000000'],
  [1.5e22, '15000000000000000000000'],
  [2.5, '2.5'],
  [Infinity, '+Inf'],
])('the bound %p is written %s', (value, text) => expect(decimalText(value)).toBe(text))
