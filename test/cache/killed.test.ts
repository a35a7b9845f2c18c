import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { cacheWorld } from './cache-world.ts'

/** Lets another process fill the cache, and kills it after it has printed `lines` lines. */
async function killAfter(lines: number, dataDir: string): Promise<number> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'cache-child.ts'), dataDir], { stdout: 'pipe' })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.split('\n').length > lines) child.kill('SIGKILL')
  }
  await child.exited
  return Number(said.trimEnd().split('\n').at(-1))
}

test('a process that is killed loses what it had not flushed, and leaves nothing half written', async () => {
  const world = await cacheWorld()
  try {
    for (const lines of [1, 4]) {
      await world.cache.remove(1, { type: 'all' })
      const lastFlushed = await killAfter(lines, world.dataDir)
      await world.crash()
      const numbers = (await world.keys()).map((key) => Number(key.slice('key '.length)))
      expect(numbers.length).toBeGreaterThan(lastFlushed)
      expect(numbers).toEqual(numbers.map((_, index) => index)) // in order of arrival, without a gap
      for (const number of numbers) {
        expect((await world.cache.read(1, `key ${number}`))?.result).toBe(JSON.stringify(`${number} `.repeat(1000)))
      }
      expect(world.sql('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
    }
    expect((await world.cache.statistics(1)).totalDropped).toBe(0)
  } finally {
    await world.close()
  }
})
