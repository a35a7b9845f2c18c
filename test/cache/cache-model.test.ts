import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Removal } from '../../src/cache/removal.ts'
import { cacheModel, type ModelEntry } from './cache-model.ts'
import { type CacheWorld, cacheWorld, named } from './cache-world.ts'

const organizations = fc.constantFrom(1, 2)
const keys = fc.constantFrom('a:1', 'a:2', 'a:22', 'b:1', 'b:2', 'c')
const slos = fc.constantFrom(7, 8)
const ttls = fc.constantFrom(undefined, null, 1, 60_000, 300_000)
const results = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('1.0', ' {"b": 1,\n"a":2} ', JSON.stringify('é€😀'.repeat(600)), JSON.stringify('x'.repeat(3000))),
)
const removals: fc.Arbitrary<Removal> = fc.oneof(
  keys.map((key): Removal => ({ type: 'key', key })),
  slos.map((sloId): Removal => ({ type: 'slo', sloId })),
  fc.constantFrom('a:', 'a:2', '*1', 'a:?', '?:2', 'c*', 'x').map((pattern): Removal => ({ type: 'pattern', pattern })),
  fc.constantFrom<Removal>({ type: 'expired' }, { type: 'all' }),
)
const configs = fc.record({
  maxEntries: fc.integer({ min: 1, max: 7 }),
  enableMemoryCache: fc.boolean(),
  enableCompression: fc.boolean(),
  compressionThreshold: fc.constantFrom(0, 1024),
})
const place = { organizationId: organizations, key: keys }
const newEntry = { ...place, sloId: slos, ttlMs: ttls, result: results }

const maxBytesOfOrganization = 10_000 // too small for both of the two largest results

type World = CacheWorld & { model: ReturnType<typeof cacheModel> }
/** Applies an operation to the cache and to the model, and compares the results. */
type Step = (world: World) => Promise<void>

const puts = fc.record(newEntry).map(({ ttlMs, result, ...of }) =>
  step('put', { ...of, ttlMs, result }, async ({ cache, model, clock }) => {
    await cache.put({ ...named(of.key, of.organizationId, of.sloId), result, ...ttl(ttlMs) })
    model.put({ ...of, result, ...lifetime(ttlMs, clock.now()) })
  }),
)
const reads = fc.record(place).map((of) =>
  step('read', of, async ({ cache, model, clock }) => {
    const known = model.read(of.organizationId, of.key, clock.now())
    const entry = await cache.read(of.organizationId, of.key)
    expect(entry && pick(entry)).toEqual(known)
  }),
)
const remembers = fc.record({ ...newEntry, fails: fc.boolean() }).map(({ ttlMs, result, fails, ...of }) =>
  step('remember', { ...of, ttlMs, result, fails }, async ({ cache, model, clock }) => {
    const want = { ...named(of.key, of.organizationId, of.sloId), ...ttl(ttlMs) }
    const known = model.read(of.organizationId, of.key, clock.now(), { freshOnly: true })
    const remembering = cache.getOrCompute(want, async () => {
      if (fails) throw new Error('no answer')
      return { value: JSON.parse(result), isCacheable: true }
    })
    if (!known && fails) {
      await expect(remembering).rejects.toThrow('no answer')
      return
    }
    const { value, source } = await remembering
    expect(value).toEqual(JSON.parse(JSON.stringify(JSON.parse(known?.result ?? result))))
    expect(source === 'computed').toBe(!known)
    const compact = JSON.stringify(JSON.parse(result))
    if (!known) model.put({ ...of, result: compact, ...lifetime(ttlMs, clock.now()) })
  }),
)
const removes = fc.record({ organizationId: organizations, removal: removals }).map((of) =>
  step('remove', of, async ({ cache, model, clock }) => {
    const removed = await cache.remove(of.organizationId, of.removal)
    expect(removed).toBe(model.remove(of.organizationId, of.removal, clock.now()))
  }),
)
const configures = configs.map((config) =>
  step('configure', config, async ({ cache, model }) => {
    await cache.configure(config)
    model.configure(config.maxEntries)
  }),
)
const advances = fc
  .constantFrom(1, 59_999, 60_000, 300_000, 86_400_000)
  .map((ms) => step('advance', { ms }, async ({ clock }) => clock.advance(ms)))
const cleanUps = fc.constant(
  step('cleanUp', {}, async ({ cache, model, clock }) => {
    expect(await cache.cleanUp()).toBe(model.remove(null, { type: 'expired' }, clock.now()))
  }),
)
const flushes = fc.constant(step('flush', {}, ({ cache }) => cache.flush()))
const counts = fc
  .record({ organizationId: organizations })
  .map((of) => step('count', of, (world) => compareCounts(world, of.organizationId)))
const restarts = fc.constant(step('restart', {}, (world) => world.restart()))
const steps = fc.oneof(
  { weight: 6, arbitrary: puts },
  { weight: 5, arbitrary: reads },
  { weight: 5, arbitrary: remembers },
  { weight: 2, arbitrary: removes },
  { weight: 2, arbitrary: configures },
  { weight: 2, arbitrary: advances },
  { weight: 1, arbitrary: cleanUps },
  { weight: 1, arbitrary: counts },
  { weight: 1, arbitrary: flushes },
  { weight: 2, arbitrary: restarts },
)

test('whatever is done to it, the cache answers and counts as a plain Map would, and forgets in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 60 }), async (list) => {
      const world: World = Object.assign(await cacheWorld({ maxBytesOfOrganization }), {
        model: cacheModel(maxBytesOfOrganization),
      })
      try {
        for (const one of list) {
          await one(world)
          for (const organizationId of [1, 2]) await compareEntries(world, organizationId)
        }
        for (const organizationId of [1, 2]) await compareCounts(world, organizationId)
        expect(world.logged.filter((line) => /"level":"(?:warn|error)"/.test(line))).toEqual([])
      } finally {
        await world.close()
      }
    }),
    { seed: 20_261_121, numRuns: 60 },
  )
}, 60_000)

/** Compares without a flush, so that the next step finds pending writes. */
async function compareEntries({ cache, model }: World, organizationId: number) {
  const known = model.of(organizationId)
  const { entries, total } = await cache.list(organizationId, { page: 1, pageSize: 100 })
  const byKey = <T extends { key: string }>(list: T[]) => list.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  expect(byKey(entries.map((entry) => pick({ ...entry, result: '' })))).toEqual(
    byKey(known.map((entry) => ({ ...entry, result: '' }))),
  )
  expect(total).toBe(known.length)
}

async function compareCounts({ cache, model, clock }: World, organizationId: number) {
  const nowMs = clock.now()
  const known = model.of(organizationId)
  const { hits, misses } = model.countsOf(organizationId)
  expect(await cache.bytesOf(organizationId)).toBe(model.bytesOf(organizationId))
  const fresh = known.filter((entry) => model.isFresh(entry, nowMs)).length
  expect(await cache.statistics(organizationId)).toMatchObject({
    totalEntries: known.length,
    totalHits: hits,
    totalMisses: misses,
    hitRate: hits + misses === 0 ? 0 : hits / (hits + misses),
    freshCount: fresh,
    expiredCount: known.length - fresh,
  })
}

function pick({
  organizationId,
  key,
  sloId,
  result,
  cachedAtMs,
  expiresAtMs,
  hitCount,
  lastHitMs,
}: ModelEntry): ModelEntry {
  return { organizationId, key, sloId, result, cachedAtMs, expiresAtMs, hitCount, lastHitMs }
}

function lifetime(ttlMs: number | null | undefined, nowMs: number) {
  return { cachedAtMs: nowMs, expiresAtMs: ttlMs === null ? null : nowMs + (ttlMs ?? 300_000) }
}

function ttl(ttlMs: number | null | undefined) {
  return ttlMs === undefined ? {} : { ttlMs }
}

/** A step with a name for failure messages. */
function step(name: string, details: unknown, run: Step): Step {
  return Object.assign(run, { [fc.toStringMethod]: () => `${name} ${JSON.stringify(details)}` })
}
