import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../support/seeded.ts'
import { samplesIn, select, storeWorld, where } from './store/store-world.ts'

const series = 40
const rounds = 2500
const startSeconds = Math.floor(Date.now() / 1000) - 86_400 * 3

let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nines-import-'))
  file = join(folder, 'past.om')
  const random = seeded(7)
  const lines = Array.from({ length: series * rounds }, (_, at) => {
    const [one, round] = [at % series, Math.floor(at / series)]
    return { place: at + 5000 * random(), line: `m{series="${one}"} ${round * one} ${startSeconds + 60 * round}\n` }
  })
  const text = lines.toSorted((a, b) => a.place - b.place).map(({ line }) => line)
  writeFileSync(file, `${text.join('')}# EOF\n`)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Lets another process import, and kills it after `lines` lines. Returns the number of samples it reported on disk. */
async function importing(dataDir: string, lines: number) {
  const command = [process.execPath, join(import.meta.dir, 'import-child.ts'), dataDir, file]
  const child = Bun.spawn(command, { stdout: 'pipe' })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.split('\n').length > lines) child.kill('SIGKILL')
  }
  await child.exited
  const flushed = Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))
  return { flushed, killed: child.signalCode === 'SIGKILL' }
}

function storedIn(world: ReturnType<typeof storeWorld>) {
  world.reopen()
  expect(world.file().pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
  return select(world.store(), 1, [where('__name__', '=', 'm')], 0, 1e15)
}

test('an import that is killed again and again keeps what it said, and the last run makes it whole', async () => {
  const world = storeWorld({ keepMs: 1e15 })
  try {
    for (const lines of [1, 9, 30, 60]) {
      const { flushed, killed } = await importing(world.dataDir, lines)
      expect(killed).toBe(true)
      const there = storedIn(world).reduce((sum, { timesMs }) => sum + timesMs.length, 0)
      expect(there).toBeGreaterThanOrEqual(flushed)
      expect(there).toBeLessThan(series * rounds)
    }
    expect(await importing(world.dataDir, Infinity)).toEqual({ flushed: series * rounds, killed: false })
    const found = storedIn(world)
    expect(found).toHaveLength(series)
    for (const one of found) {
      const number = Number(one.labels['series'])
      const times = Array.from({ length: rounds }, (_, round) => (startSeconds + 60 * round) * 1000)
      expect(samplesIn(one)).toEqual(times.map((timeMs, round) => [timeMs, round * number]))
    }
  } finally {
    world.close()
  }
}, 60_000)
