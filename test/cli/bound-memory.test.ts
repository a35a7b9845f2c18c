import { afterEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { memoryVariables } from '../../src/cli/bound-memory.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')

test('a server replaces itself, under the same process id, by one whose memory is bounded', async () => {
  const nines = await startNines({ dataDir: newFolder() })
  const environment = environmentOf(nines.pid)
  for (const [name, value] of Object.entries(memoryVariables)) expect(environment).toContain(`${name}=${value}`)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
})

test('a bound that is set stays', async () => {
  const nines = await startNines({ dataDir: newFolder(), env: { BUN_JSC_forceRAMSize: '1000000000' } })
  expect(environmentOf(nines.pid)).toContain('BUN_JSC_forceRAMSize=1000000000')
})
