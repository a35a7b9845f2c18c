import { closeLater } from '../support/closing.ts'
import { newFolder, register, startNines } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

const kinds = ['violation', 'warning', 'recovery', 'burn_rate_too_fast', 'error_budget_low', 'error_budget_exhausted']

/** A site that is probed, its SLO, and a receiver that is notified of everything about it. */
export async function outageWorld(intervalSeconds: number) {
  const world = { isUp: true, failedAtMs: null as number | null, heard: [] as { subject: string; key: string }[] }
  const site = startReceiver(() => {
    if (!world.isUp) world.failedAtMs ??= Date.now()
    return new Response('welcome', { status: world.isUp ? 200 : 503 })
  })
  const receiver = startReceiver(({ json, headers }) => {
    const key = headers.get('idempotency-key') ?? ''
    const isRepeated = world.heard.some((one) => one.key === key) // a kill may come before the outcome is stored
    if (json.event !== 'message' && !isRepeated) world.heard.push({ subject: json.subject, key })
    return new Response('ok')
  })
  closeLater(site.close)
  closeLater(receiver.close)
  const dataDir = newFolder()
  const start = (env: Record<string, string> = {}) => startNines({ dataDir, env: { SOURCE_URL: 'embedded', ...env } })
  const nines = await start()
  const token = await register(nines, 'ada')
  const post = async (path: string, body: object) => {
    const answer = await nines.call('POST', `/api/v1${path}`, body, token)
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  await post('/embedded/probes', {
    name: 'site',
    type: 'http',
    target: `${site.url}/`,
    interval_seconds: intervalSeconds,
  })
  const { id } = await post('/slos', {
    name: 'My site',
    target: 99.9,
    time_window: '30d',
    metric_type: 'availability',
    metric_query: 'probe_success{job="site"}',
  })
  const configuration = { webhook_url: receiver.url }
  await post('/notifications/channels', { name: 'hook', channel_type: 'webhook', configuration })
  for (const alert_type of kinds) {
    await post('/notifications/rules', { slo_id: id, channel_id: 1, priority: 'high', alert_type, notify: false })
  }
  return Object.assign(world, { nines, token, start })
}
