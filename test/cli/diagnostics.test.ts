import { afterEach, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { closeAll } from '../support/closing.ts'
import { newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

test('at SIGUSR2 a server writes a report without secrets for its owner, and goes on', async () => {
  const dataDir = newFolder()
  const env = { METRICS_TOKEN: 'sesame-open', SMTP_URL: 'smtp://ada:hunter2@127.0.0.1:9' }
  const nines = await startNines({ dataDir, env })
  nines.kill('SIGUSR2')
  await nines.said(/diagnostic report written/)
  const file = join(dataDir, 'diagnostics.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const text = await Bun.file(file).text()
  expect(text).not.toMatch(/sesame|hunter2/)
  const report = JSON.parse(text)
  expect(report.system.settings).toContainEqual({ name: 'METRICS_TOKEN', value: '********', origin: 'environment' })
  expect(report.system.databases.map(({ file: name }: { file: string }) => name)).toContain('nines.db')
  expect(report.metrics).toContainEqual(expect.stringMatching(/^nines_build_info\{/))
  expect(report.process.memory_bytes.rss).toBeGreaterThan(10_000_000)
  expect((await fetch(`${nines.url}/ready`)).status).toBe(200)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
})
