import { expect, test } from 'bun:test'
import { pruneOldRows } from '../../src/jobs/prune.ts'
import { listBuckets, putBuckets } from '../../src/ledger/ledger-store.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'
import { bucket } from '../ledger/ledger.ts'

const hour = 3600
const day = 24 * hour

test.each([
  [60, 74 * hour],
  [3600, 35 * day],
  [86_400, 100 * day],
] as const)('buckets of %p s are kept for %p s, and every other bucket stays', async (resolution, keptSeconds) => {
  const nines = await joinedApp({ env: { RETENTION_DAYS: '100' } })
  await nines.call('POST', '/api/v1/slos', checkout)
  const { db, clock } = nines.app
  const now = clock.now() / 1000
  const oldest = Math.ceil((now - keptSeconds) / resolution) * resolution
  // all except the last are too old
  const starts = Array.from({ length: 2500 }, (_, n) => oldest + (n - 2499) * resolution)
  const others = ([60, 3600, 86_400] as const).filter((other) => other !== resolution)
  await putBuckets(db.write, [
    ...starts.map((startSeconds) => bucket({ resolution, startSeconds })),
    ...others.map((other) => bucket({ resolution: other, startSeconds: Math.floor(now / day) * day })),
  ])
  await pruneOldRows(nines.app)
  const left = (of: 60 | 3600 | 86_400) =>
    listBuckets(db.read, { sloId: 1, revision: 1, resolution: of, startSeconds: 0, endSeconds: now })
  expect((await left(resolution)).map(({ startSeconds }) => startSeconds)).toEqual([oldest])
  for (const other of others) expect(await left(other)).toHaveLength(1)
  await nines.close()
})
