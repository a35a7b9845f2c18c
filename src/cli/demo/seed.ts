import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { keepSecret } from '../../db/data-folder/data-dir.ts'
import { openTargetSeries } from '../../embedded/collection/series/target-series.ts'
import { AppError } from '../../errors.ts'
import type { ApiCall } from './front-door.ts'
import { type Shop, type ShopValue, shopName } from './shop.ts'
import { demoSlos } from './slos.ts'

export const demoEmail = 'demo@example.com'

/** Age of the sample service when the demo is first started. */
export const pastMs = 35 * 86_400_000

const stepMs = 60_000
const minutesPerBatch = 30
const minutesPerFlush = 3000

/** Password of the demo: different in each data folder, and the same at each start. */
export function demoPassword(dataDir: string): string {
  return keepSecret(dataDir, 'demo.secret').slice(0, 20)
}

/**
 * Seeds the demo's organization: history of the sample service, its target, probes of nines itself at `ownUrl`, and SLOs over
 * them. The target comes last; as long as it is missing, all of this can be repeated.
 */
export async function seedDemo(
  app: App,
  api: ApiCall,
  { shop, ownUrl }: { shop: Shop; ownUrl: string },
): Promise<void> {
  const { organization_id: organizationId } = await api('GET', '/auth/me')
  await importPast(app, shop, Number(organizationId))
  const { probes } = await api('GET', '/embedded/probes')
  await addMissing(probes, ownProbes(ownUrl), (probe) => api('POST', '/embedded/probes', probe))
  const { slos } = await api('GET', '/slos?page_size=100')
  await addMissing(slos, demoSlos, (slo) => api('POST', '/slos', slo))
  await api('POST', '/embedded/targets', { name: shopName, url: `nines:${shopName}`, interval_seconds: 15 })
}

/** Probes of nines itself, at the address on which it listens. */
export function ownProbes(ownUrl: string) {
  const often = { interval_seconds: 15, timeout_seconds: 5 }
  return [
    { name: 'nines-health', type: 'http' as const, target: `${ownUrl}/health`, ...often },
    { name: 'nines-port', type: 'tcp' as const, target: new URL(ownUrl).host, ...often },
  ]
}

async function addMissing<T extends { name: string }>(
  present: unknown,
  expected: readonly T[],
  add: (one: T) => Promise<unknown>,
): Promise<void> {
  const names = new Set(Array.isArray(present) ? present.map(({ name }) => name) : [])
  for (const one of expected) if (!names.has(one.name)) await add(one)
}

/** Imports the samples that a scrape each minute would have found, up to now. */
async function importPast(app: App, shop: Shop, organizationId: number): Promise<void> {
  const { samples: store, clock } = app
  const target = { id: 0, organizationId, name: shopName, intervalMs: stepMs, timeoutMs: stepMs, labels: {} }
  const url = `nines:${shopName}`
  const series = openTargetSeries({ store, clock }, { ...target, url, honorLabels: false, auth: null })
  const endMs = clock.now()
  const firstMs = Math.ceil((endMs - pastMs) / stepMs) * stepMs
  for (let atMs = firstMs, minute = 1; atMs <= endMs; atMs += stepMs, minute += 1) {
    const readings = shop.valuesAt(atMs).map(readingOf)
    await series.write(atMs, { ok: true, error: null, durationMs: 2, readings })
    if (minute % minutesPerFlush === 0) store.flush()
    if (minute % minutesPerBatch === 0) await yieldToEventLoop()
    if (app.isClosing()) throw new AppError('unavailable', 'Stopping')
  }
  store.flush()
}

function readingOf({ name, labels, value }: ShopValue) {
  const named = Object.entries({ __name__: name, ...labels }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { labels: named, value }
}
