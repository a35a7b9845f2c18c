import { afterEach, beforeEach, expect } from 'bun:test'
import { type Answer, type TestApp, testApp, testStartMs } from './app.ts'
import { type FakeReply, type FakeSource, fakeSource } from './fake-source.ts'
import { shareWorkers } from './shared-workers.ts'

export const nowSeconds = testStartMs / 1000
export const day = 86_400
export const twoSided = 'sum(rate(ok[5m])) / sum(rate(all[5m]))'

/** A nines with a scripted source, for tests of `calculate-slo`. */
export type Calculator = {
  nines: TestApp
  source: FakeSource
  /** Creates an SLO (99.9 % over 30d unless set otherwise) and calculates it over a window. */
  calculate(slo: object, window?: string, extra?: object): Promise<Answer>
  /** Calculates an existing SLO one minute later, so that cached answers do not apply. */
  again(id: number, window?: string, extra?: object): Promise<Answer>
  /** Sets the answers: the first key that an expression contains determines its value. */
  answers(table: Record<string, FakeReply>): void
}

/** Creates a calculator before each test of a file and closes it afterwards. Its members throw outside of a test. */
export function calculator(): Calculator {
  const checkout = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability' }
  const made: Partial<Pick<Calculator, 'nines' | 'source'>> = {}
  const ask = (id: number, window = '24h', extra: object = {}) =>
    it.nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: id, time_window: window, ...extra })
  const it: Calculator = {
    get nines() {
      if (!made.nines) throw new Error('must be inside a test')
      return made.nines
    },
    get source() {
      if (!made.source) throw new Error('must be inside a test')
      return made.source
    },
    async calculate(slo, window, extra) {
      const created = await it.nines.call('POST', '/api/v1/slos', { ...checkout, ...slo })
      expect(created.status).toBe(201)
      return ask(created.body.id, window, extra)
    },
    again(id, window, extra) {
      it.nines.clock.advance(60_000)
      return ask(id, window, extra)
    },
    answers: (table) =>
      it.source.script((expression) => {
        const found = Object.entries(table).find(([key]) => expression.includes(key))
        return found ? found[1] : null
      }),
  }
  beforeEach(async () => {
    made.source = fakeSource(() => null)
    made.nines = await testApp({ env: { SOURCE_URL: made.source.url }, workers: shareWorkers() })
    await made.nines.join('ada')
  })
  afterEach(async () => {
    await made.nines?.close()
    made.source?.close()
  })
  return it
}
