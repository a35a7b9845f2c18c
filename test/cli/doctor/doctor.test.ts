import { afterEach, expect, test } from 'bun:test'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { closeAll } from '../../support/closing.ts'
import { command, newFolder, startNines } from '../../support/process.ts'

afterEach(closeAll)

async function doctor(env: Record<string, string>, ...args: string[]) {
  const child = Bun.spawn([...command, 'doctor', ...args], { cwd: newFolder(), env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

test('beside a running server, everything is in order', async () => {
  const dataDir = newFolder()
  chmodSync(dataDir, 0o700)
  const nines = await startNines({ dataDir })
  const env = { DATA_DIR: dataDir, PORT: new URL(nines.url).port }
  const { out, err, code } = await doctor(env, '--json')
  expect([err, code]).toEqual(['', 0])
  const findings: { check: string; level: string; message: string }[] = JSON.parse(out)
  expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  expect(findings.find(({ check }) => check === 'port')?.message).toEndWith('and is ready')
  expect(new Set(findings.map(({ check }) => check)).size).toBe(13)
  expect((await fetch(`${nines.url}/ready`)).status).toBe(200)
})

const mayDropRights = process.getuid?.() === 0 && Bun.which('setpriv') !== null
if (!mayDropRights) process.stderr.write('skipped without root and setpriv: a port that doctor may not use\n')

test.skipIf(!mayDropRights)('a server on a port that only the server may use is found', async () => {
  const dataDir = newFolder()
  await startNines({ dataDir, env: { HOST: '127.0.0.57', PORT: '859' } })
  const env = { DATA_DIR: dataDir, HOST: '127.0.0.57', PORT: '859' }
  const withoutRight = ['setpriv', '--bounding-set=-net_bind_service', '--inh-caps=-net_bind_service']
  const { stdout } = Bun.spawnSync([...withoutRight, ...command, 'doctor', '--json'], { env })
  const findings: { check: string }[] = JSON.parse(stdout.toString())
  expect(findings.find(({ check }) => check === 'port')).toMatchObject({
    level: 'ok',
    message: 'nines listens on 127.0.0.57:859, and is ready',
  })
})

test('what is wrong is exit code 1, with what to do, and nothing is made', async () => {
  const folder = newFolder()
  const { out, err, code } = await doctor({ DATA_DIR: join(folder, 'data'), HOST: '203.0.113.1' })
  expect([err, code, readdirSync(folder)]).toEqual(['', 1, []])
  expect(out).toMatch(/^ok {7}data_folder /m)
  expect(out).toMatch(/^error {4}port {9}cannot listen on 203\.0\.113\.1:8080: .*\n {22}→ set HOST to an address/m)
})
