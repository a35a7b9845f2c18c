import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { closeAll } from '../support/closing.ts'
import { newFolder, startNines } from '../support/process.ts'

const main = join(import.meta.dir, '..', '..', 'src', 'main.ts')

afterEach(closeAll)

test('nines runs from source, workers included, and ends with exit code 0', async () => {
  const nines = await startNines({ dataDir: newFolder(), program: [process.execPath, main] })
  expect((await nines.call('GET', '/ready')).status).toBe(200)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
})
