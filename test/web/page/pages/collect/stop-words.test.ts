import { expect, test } from 'bun:test'
import { stopWords } from '../../../../../src/web/page/pages/collect/parts/words.ts'

type Slo = Parameters<typeof stopWords>[0][number]

const slo = (name: string, more: Partial<Slo> = {}): Slo => ({
  id: 1,
  name,
  reads_others: false,
  incident_id: null,
  ...more,
})

test.each<[Slo[], string]>([
  [[], 'No SLO reads it.'],
  [[slo('Backups')], 'One SLO reads it, of which nothing is known then: Backups.'],
  [
    [slo('Backups', { incident_id: 7 }), slo('All jobs')],
    '2 SLOs read it, of which nothing is known then: Backups and All jobs. The open incident of Backups (#7) is closed, not known to be over.',
  ],
  [
    [slo('Checkout'), slo('All shops', { reads_others: true })],
    'One SLO reads it, of which nothing is known then: Checkout. One SLO reads it, which reads others too: All shops.',
  ],
  [
    [slo('A', { reads_others: true }), slo('B', { reads_others: true })],
    '2 SLOs read it, which read others too: A and B.',
  ],
])('before something stops that %j read, it says: %p', (slos, words) => {
  expect(stopWords(slos)).toBe(words)
})
