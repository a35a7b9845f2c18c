import { describe, expect, test } from 'bun:test'
import { isoTime } from '../../src/clock.ts'
import { day, nowSeconds } from '../support/calculator.ts'
import { previewer, previewedSlo, traffic } from '../support/previewer.ts'

const hour = 3600
const it = previewer()
const iso = (seconds: number) => isoTime(seconds * 1000)
const asked = (slo = {}) => it.nines.call('POST', '/api/v1/slos/preview?what_if=true', { ...previewedSlo, ...slo })
const outage = { from: nowSeconds - 5 * day, to: nowSeconds - 5 * day + hour, share: 0.5 }

describe('what another target or window is computed of', () => {
  test('is sent where it is asked for', async () => {
    it.source.script(traffic([outage]))
    expect((await it.preview()).body.what_if).toBeNull()
    const { steps } = (await asked()).body.what_if
    expect(steps).toMatchObject({
      start_time: iso(nowSeconds - 33 * day),
      end_time: iso(nowSeconds),
      step_seconds: 300,
      counts_events: true,
    })
    expect(steps.total).toEqual(Array.from({ length: 33 * 288 }, () => 3000))
    const failed = steps.bad.flatMap((bad: number, at: number) => (bad > 0 ? [[at - 28 * 288, bad]] : []))
    expect(failed).toEqual(Array.from({ length: 12 }, (_, at) => [at, 1500]))
    expect((await it.nines.call('POST', '/api/v1/slos/preview?what_if=1', previewedSlo)).status).toBe(400)
  })

  test('says of each shorter window what its own preview says', async () => {
    it.source.script(traffic([outage]))
    const { windows } = (await asked({ time_window: '90d' })).body.what_if
    expect(windows.map(({ time_window }: { time_window: string }) => time_window)).toEqual(['24h', '7d', '30d', '90d'])
    for (const { time_window, sli, status_reason, query_metrics } of windows) {
      const { own } = (await it.preview({ time_window })).body
      expect({ sli, status_reason, query_metrics }).toEqual({
        sli: own.sli,
        status_reason: own.status_reason,
        query_metrics: own.query_metrics,
      })
    }
  })

  test('leaves out windows whose past is looked at in other steps', async () => {
    it.source.script(() => 0.75)
    const names = async (slo: object) =>
      (await asked(slo)).body.what_if.windows.map(({ time_window }: { time_window: string }) => time_window)
    expect(await names({ metric_query: 'job:ok:ratio' })).toEqual(['30d'])
    expect(await names({ metric_query: 'job:ok:ratio', time_window: '7d' })).toEqual(['1h', '24h', '7d'])
    expect(await names({ time_window: '1h' })).toEqual(['1h'])
  })

  test('leaves out a window that the source does not answer', async () => {
    const steadily = traffic([outage])
    it.source.script((expression, time) => {
      if (expression.includes(`[${7 * day}s]`)) throw new Error('too many samples')
      return steadily(expression, time)
    })
    const { status, body } = await asked()
    expect(status).toBe(200)
    expect(body.what_if.windows.map(({ time_window }: { time_window: string }) => time_window)).toEqual(['24h', '30d'])
  })

  test('has no total where nothing was measured, and is null where there is nothing to look back at', async () => {
    const startSeconds = nowSeconds - 2 * day
    it.source.script((expression, time) =>
      expression.includes(`[${30 * day}s]`) ? 0.9995 : traffic([], startSeconds)(expression, time),
    )
    const { total } = (await asked()).body.what_if.steps
    expect(total.filter((all: number | null) => all !== null)).toHaveLength(2 * 288)
    it.source.script(() => null)
    expect((await asked()).body.what_if).toBeNull()
  })
})
