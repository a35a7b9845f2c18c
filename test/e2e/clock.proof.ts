import { afterEach, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { describeWithFakeTime, fakeTime } from '../support/fake-time.ts'
import { fakeSource } from '../support/fake-source.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

afterEach(closeAll)

const timeoutMs = 60_000
/**
 * The whole window is one query, whose answer about the past follows the source's current value. nines keeps it for five minutes: the
 * value must be set before the first evaluation, or with the clock.
 */
const metric_query = 'sum_over_time(ok[$window]) / sum_over_time(every[$window])'
const slo = { name: 'Shop', target: 99, time_window: '30d', metric_type: 'availability', metric_query }

/** A source with a single expected query, and a receiver of alerts. */
function surroundings() {
  const at = { value: 1 }
  const source = fakeSource((expression) => (expression.includes('ok') ? at.value : 1))
  const receiver = startReceiver(() => new Response('ok'))
  closeLater(() => {
    source.close()
    void receiver.close()
  })
  return {
    url: source.url,
    receiver,
    setSource: (value: number) => void (at.value = value),
    /** Resolves once the next notification of this event arrives. */
    async arrives(event: 'alert' | 'recovery', after: number) {
      const deadline = performance.now() + timeoutMs
      while (!receiver.received.slice(after).some(({ json }) => json.event === event)) {
        if (performance.now() > deadline) throw new Error(`no ${event} within a minute`)
        await Bun.sleep(50)
      }
    },
  }
}

/** Creates the channel and the rule first, so that the SLO has them at its first evaluation. */
async function setUp(nines: Nines, webhook_url: string): Promise<void> {
  const token = await register(nines, 'ada')
  const post = async (path: string, body: object) => {
    const { status, text } = await nines.call('POST', `/api/v1${path}`, body, token)
    if (status !== 201) throw new Error(`${path}: ${text}`)
  }
  await post('/notifications/channels', { name: 'on call', channel_type: 'webhook', configuration: { webhook_url } })
  await post('/notifications/rules', { selector: { all: true }, channel_id: 1, alert_type: 'violation' })
  await post('/slos', slo)
}

/** Resolves once health reports the clock jump. An alert may arrive before the clock check. */
async function reportedByHealth(nines: Nines): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { body } = await nines.call('GET', '/api/v1/health')
    if (body.status === 'degraded' && body.services.clock === false) return
    if (performance.now() > deadline) throw new Error(`health does not tell of the clock: ${JSON.stringify(body)}`)
    await Bun.sleep(50)
  }
}

describeWithFakeTime('a real clock that is set', () => {
  test('while nines runs hides no outage, and is reported', async () => {
    const around = surroundings()
    const time = fakeTime()
    const env = { ...time.env, SOURCE_URL: around.url, EVALUATION_INTERVAL: '10' }
    const nines = await startNines({ dataDir: newFolder(), env })
    await setUp(nines, around.receiver.url)
    for (const shift of ['-1h', '+1d', '-40d', '+0']) {
      const before = around.receiver.received.length
      time.set(shift)
      around.setSource(0)
      await around.arrives('alert', before)
      await reportedByHealth(nines)
      around.setSource(1)
      await around.arrives('recovery', before)
    }
    expect(nines.log().match(/"clock jumped"/g)).toHaveLength(4)
  }, 400_000)

  test('while nines does not run hides no outage, however far', async () => {
    const runs = ['-1h', '+1h', '-1d', '+1d', '-40d', '+40d'].map(async (shift) => {
      const around = surroundings()
      const dataDir = newFolder()
      const env = { SOURCE_URL: around.url, EVALUATION_INTERVAL: '10' }
      const first = await startNines({ dataDir, env: { ...env, ...fakeTime().env } })
      around.setSource(0)
      await setUp(first, around.receiver.url)
      await around.arrives('alert', 0)
      around.setSource(1)
      await around.arrives('recovery', 0)
      first.kill('SIGTERM')
      await first.exited
      const before = around.receiver.received.length
      around.setSource(0)
      const second = await startNines({ dataDir, env: { ...env, ...fakeTime(shift).env } })
      await around.arrives('alert', before)
      await second.said(/"clock jumped"/)
    })
    await Promise.all(runs)
  }, 240_000)
})
