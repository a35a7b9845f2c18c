import { afterEach, expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { fakeSource } from '../support/fake-source.ts'
import { startReceiver } from '../support/receiver.ts'

afterEach(closeAll)

test('the alert of a composite whose member fails reaches its webhook, and so does its end', async () => {
  let isFailing = true
  const services = { shop: { total: 10, bad: 0 }, cart: () => ({ total: 10, bad: isFailing ? 5 : 0 }) }
  const source = fakeSource(countingScript(services))
  closeLater(() => source.close())
  const receiver = startReceiver(() => new Response('ok'))
  closeLater(() => void receiver.close())
  const nines = await testApp({ env: { SOURCE_URL: source.url } })
  closeLater(nines.close)
  await nines.join('ada')
  const post = async (path: string, body: object) => (await nines.call('POST', `/api/v1${path}`, body)).body
  const ids: number[] = []
  for (const name of ['shop', 'cart']) ids.push((await post('/slos', { ...countedSlo(name), time_window: '1d' })).id)
  const composite = { method: 'weighted', members: ids.map((slo_id) => ({ slo_id })) }
  const base = { name: 'Buying', target: 99, time_window: '1d', metric_type: 'availability' }
  const { id } = await post('/slos', { ...base, composite })
  const tier = { long_window: '1h', short_window: '5m', factor: 5, severity: 'page' }
  await nines.call('PUT', `/api/v1/slos/${id}/alerting`, { burn_rate_tiers: [tier] })
  const configuration = { webhook_url: receiver.url }
  const channel = await post('/notifications/channels', { name: 'Hook', channel_type: 'webhook', configuration })
  const channelId = channel.id ?? channel.data?.channel_id ?? channel.data?.id
  await post('/notifications/rules', {
    slo_id: id,
    channel_id: channelId,
    priority: 'high',
    alert_type: 'burn_rate_too_fast',
    notify: false,
  })
  await nines.app.backfills.run()
  const minute = async () => {
    nines.clock.advance(60_000)
    await nines.app.evaluator.evaluateAll()
    await nines.app.delivery.run()
  }
  for (let n = 0; n < 3; n += 1) await minute()
  const about = () => receiver.received.filter(({ text }) => text.includes('Buying'))
  expect(about()).toHaveLength(1)
  const alerts = () =>
    nines.app.db.read.selectFrom('alerts').selectAll().where('slo_id', '=', id).where('name', 'like', 'burn%').execute()
  expect(await alerts()).toMatchObject([{ slo_id: id, ended_at: null }])
  isFailing = false
  for (let n = 0; n < 75; n += 1) await minute()
  expect(await alerts()).toMatchObject([{ slo_id: id, ended_at: expect.any(Number) }])
  expect(about()).toHaveLength(2)
})
