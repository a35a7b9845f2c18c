import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { samplesIn, select, storeWorld, where } from './store-world.ts'

/**
 * Lets another process fill the store, and kills it after `lines` lines. Returns the number of rounds it reported as flushed.
 */
async function killAfter(lines: number, dataDir: string): Promise<number> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'samples-child.ts'), dataDir], { stdout: 'pipe' })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.split('\n').length > lines) child.kill('SIGKILL')
  }
  await child.exited
  return Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))
}

test.each([1, 7, 40, 60])(
  'a process killed after %p flushes loses nothing that was flushed, in any series',
  async (lines) => {
    const world = storeWorld()
    try {
      const flushed = await killAfter(lines, world.dataDir)
      expect(flushed).toBeGreaterThanOrEqual(20 * lines)
      world.reopen()
      expect(world.file().pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
      const found = select(world.store(), 1, [where('__name__', '=', 'm')], 0, 1e12)
      expect(found).toHaveLength(50)
      for (const series of found) {
        const samples = samplesIn(series)
        const number = Number(series.labels['series'])
        expect(samples.length).toBeGreaterThanOrEqual(flushed)
        expect(samples.length % 20).toBe(0) // a flush is stored completely or not at all
        expect(samples).toEqual(samples.map((_, round) => [round * 1000, round * number]))
      }
    } finally {
      world.close()
    }
  },
)
