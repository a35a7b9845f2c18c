import { expect, test } from 'bun:test'
import { refusedWords, sendingLines } from '../../../../../src/web/page/pages/collect/senders/words.ts'

type Sender = Parameters<typeof refusedWords>[0]

test('a refusal is said with its reason, and how many there were', () => {
  const words = (refused_requests: number) =>
    refusedWords({ refused_requests, last_refused_reason: 'Samples refused' } as Sender)
  expect(words(1)).toBe('Samples refused')
  expect(words(1200)).toBe('1,200 requests, the last: Samples refused')
})

test('the lines to copy have the address of nines, also under a path, and the token', () => {
  const [prometheus, sdk] = sendingLines('https://slo.example.com/nines/', 'nines_x')
  expect(prometheus?.line).toBe(
    'remote_write:\n  - url: https://slo.example.com/nines/api/v1/write\n    authorization:\n      credentials: nines_x',
  )
  expect(sdk?.line).toContain('_ENDPOINT=https://slo.example.com/nines/v1/metrics\n')
  expect(sdk?.line).toContain('authorization=Bearer%20nines_x')
})
