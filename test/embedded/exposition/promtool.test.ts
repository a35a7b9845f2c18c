import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inChunks } from '../../../src/concurrency/chunks.ts'
import { readBackfill } from '../../../src/embedded/exposition/backfill.ts'
import { AppError } from '../../../src/errors.ts'
import { describeOnNewer, newer } from '../../support/newer-components.ts'
import { openMetricsCases } from './corpus.ts'

const now = '1700000000'
const atOnce = 2
const more = [
  'a 1 1700000000\nb 1\n# EOF\n',
  'a 1 1700000060\na 1 1700000000\n# EOF\n',
  'a 1 1700000000\n# EOF\nb 1 1700000000\n',
  'a 1 1700000000\n',
  'a{l="x",l="y"} 1 1700000000\n# EOF\n',
  'a{l="x",} 1 1700000000\n# EOF\n',
  'a{l="line\nbreak"} 1 1700000000\n# EOF\n',
  'a 1 1700000000 # {t="1"} 1\n# EOF\n',
  '# TYPE a untyped\na 1 1700000000\n# EOF\n',
  'a\t1 1700000000\n# EOF\n',
  'a 1 1700000000\r\n# EOF\n',
]
const cases = [...openMetricsCases.filter((one) => one.includes('NOW')), ...more].map((one) =>
  one.replaceAll('NOW', now),
)

describeOnNewer('the backfill reader and promtool', () => {
  const dir = mkdtempSync(join(tmpdir(), 'nines-promtool-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  test('accept and refuse the same files', async () => {
    const theirs: boolean[] = []
    for (const some of inChunks([...cases.entries()], atOnce)) {
      theirs.push(...(await Promise.all(some.map(([at, text]) => readByPromtool(join(dir, String(at)), text)))))
    }
    const ours = await Promise.all(cases.map(readByUs))
    const differences = cases.filter((_, at) => ours[at] !== theirs[at])
    expect(differences).toEqual([])
    expect(new Set(ours)).toEqual(new Set([true, false]))
  }, 60_000)
})

async function readByPromtool(path: string, text: string): Promise<boolean> {
  writeFileSync(`${path}.om`, text)
  const command = [newer.promtool, 'tsdb', 'create-blocks-from', 'openmetrics', `${path}.om`, path]
  return (await Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' }).exited) === 0
}

async function readByUs(text: string): Promise<boolean> {
  try {
    await Array.fromAsync(readBackfill(new Blob([text]).stream()))
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
