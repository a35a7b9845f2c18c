import { expect, test } from 'bun:test'
import { withScheme } from '../../../../../src/web/page/ui/form/with-scheme.ts'

test.each([
  ['shop.example.com/health', 'https://shop.example.com/health'],
  [' shop.example.com ', 'https://shop.example.com'],
  ['prometheus:9090', 'http://prometheus:9090'],
  ['prometheus', 'http://prometheus'],
  ['10.0.0.7/metrics', 'http://10.0.0.7/metrics'],
  ['[::1]:9100/metrics', 'http://[::1]:9100/metrics'],
  ['shop.example.com:8443/health', 'http://shop.example.com:8443/health'],
  ['HTTPS://shop.example.com', 'HTTPS://shop.example.com'],
  ['http://shop.example.com', 'http://shop.example.com'],
  ['ftp://shop.example.com', 'ftp://shop.example.com'],
  ['', ''],
])('the typed address %j is meant as %j', (typed, meant) => {
  expect(withScheme(typed)).toBe(meant)
})
