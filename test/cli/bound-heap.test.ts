import { afterEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { heapBytes, heapVariable } from '../../src/cli/bound-heap.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')

test('a server replaces itself, under the same process id, by one whose heap is bounded', async () => {
  const nines = await startNines({ dataDir: newFolder() })
  expect(environmentOf(nines.pid)).toContain(`${heapVariable}=${heapBytes}`)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
})

test('a bound that is set stays', async () => {
  const nines = await startNines({ dataDir: newFolder(), env: { [heapVariable]: '1000000000' } })
  expect(environmentOf(nines.pid)).toContain(`${heapVariable}=1000000000`)
})
