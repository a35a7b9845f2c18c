import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, newFolder, register, startNines } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

afterEach(closeAll)

test('a condition of nines itself is notified of once over a kill, and of its end', async () => {
  // by key: a delivery interrupted by a kill is repeated with the same key
  const arrived = new Map<string, string>()
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const receiver = startReceiver(({ json }) => {
    arrived.set(json.idempotency_key, `${json.event} ${json.alert?.name}`)
    ;(json.event === 'recovery' ? ended : begun).resolve()
    return new Response('OK')
  })
  closeLater(receiver.close)
  const dataDir = newFolder()
  const env = { BACKUP_MAX_AGE_HOURS: '24' }
  const nines = await startNines({ dataDir, env })
  const token = await register(nines, 'ada')
  const channel = { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: receiver.url } }
  await nines.call('POST', '/api/v1/notifications/channels', channel, token)
  const rule = { channel_id: 1, alert_type: 'appliance_condition', notify: false }
  expect((await nines.call('POST', '/api/v1/notifications/rules', rule, token)).status).toBe(201)
  await begun.promise
  nines.kill('SIGKILL')
  await nines.exited

  const again = await startNines({ dataDir, env })
  await again.said(/"condition began".*backup_overdue/)
  const { body } = await again.call('GET', '/api/v1/health')
  expect(body).toMatchObject({ status: 'degraded', conditions: [{ name: 'backup_overdue' }] })
  const backup = Bun.spawn([...command, 'backup', join(newFolder(), 'nines.tar')], { env: { DATA_DIR: dataDir } })
  closeLater(() => backup.kill('SIGKILL'))
  expect(await backup.exited).toBe(0)
  await ended.promise
  expect([...arrived.values()]).toEqual(['alert condition:backup_overdue', 'recovery condition:backup_overdue'])
}, 90_000)
