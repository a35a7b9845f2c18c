import type { Fault } from '../support/faulty-source.ts'
import { type TestApp, testStartMs } from '../support/app.ts'

export const markup = '"\'<img src=x onerror=alert(1)>\u202e\u200b'
export const total = 'shop_requests_total'

/** Stores two counters, one with a hostile label, and a gauge that is sometimes NaN, over the last hour. */
export function addSamples({ app }: Pick<TestApp, 'app'>): void {
  for (let minute = -60; minute <= 0; minute++) {
    const at = testStartMs + minute * 60_000 - 5000
    const add = (labels: Record<string, string>, value: number) =>
      app.samples.append(1, Object.entries(labels), at, value)
    add({ __name__: total, job: 'checkout' }, 600 * (minute + 60))
    add({ __name__: total, job: markup }, 60 * (minute + 60))
    add({ __name__: 'shop_queue', job: 'checkout' }, minute % 7 === 0 ? Number.NaN : minute)
  }
}

/** URL of the explorer with these queries. */
export function addressOf(queries: string[], more: Record<string, string> = {}): string {
  const values = new URLSearchParams(more)
  for (const text of queries) values.append('q', text)
  return `/explore?${values}`
}

/** Answer of a source with this `data`. */
export const answered = (data: object, more: object = {}): Fault => ({
  body: JSON.stringify({ status: 'success', data, ...more }),
})
