import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

test('while nines is stopping it still answers, and /ready says that it is', async () => {
  const nines = await startNines({ dataDir: newFolder(), env: { SHUTDOWN_GRACE: '300' } })
  expect((await nines.call('GET', '/api/v1/health')).body.status).toBe('ok')
  nines.kill('SIGTERM')
  await nines.said(/"message":"stopping"/)
  const { status, body } = await nines.call('GET', '/ready')
  expect([status, body.error]).toEqual([503, 'Shutting down'])
  expect((await fetch(`${nines.url}/health`)).status).toBe(200)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(1)
}, 20_000)
