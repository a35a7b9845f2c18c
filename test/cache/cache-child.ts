import { createCache } from '../../src/cache/cache.ts'
import { openDatabase } from '../../src/db/open.ts'
import { named } from './cache-world.ts'

/** A child process to be killed. After each flush it prints the last entry in it; it never ends. */
const [dataDir = ''] = process.argv.slice(2)
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const cache = createCache({ db: openDatabase({ dataDir }), clock: { now: () => 0 }, log: silent })
for (let made = 0; ; made += 1) {
  await cache.put({ ...named(`key ${made}`), result: JSON.stringify(`${made} `.repeat(1000)), ttlMs: null })
  if (made % 20 !== 19) continue
  await cache.flush()
  process.stdout.write(`${made}\n`)
}
