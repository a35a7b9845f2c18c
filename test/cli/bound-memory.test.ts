import { expect, test } from 'bun:test'
import { join } from 'node:path'

const script = join(import.meta.dir, 'bound-memory-child.ts')

/** Arguments and variables with which a process goes on, and if its id is the one that was started. */
async function startedWith(usableBytes: number, env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, script, String(usableBytes)], { env, stdout: 'pipe' })
  const [pid, ...rest] = JSON.parse(await new Response(child.stdout).text())
  return [pid === child.pid, ...rest]
}

test('on a small machine a process replaces itself, under its process id, by one whose memory is bounded', async () => {
  expect(await startedWith(512e6)).toEqual([true, '512000000', '268435456', '0'])
})

test('on a large machine, or with a bound that is set, it goes on as it is', async () => {
  expect(await startedWith(4e9)).toEqual([true, '4000000000', null, null])
  const set = { BUN_JSC_forceRAMSize: '1000000000' }
  expect(await startedWith(512e6, set)).toEqual([true, '512000000', '1000000000', null])
})
