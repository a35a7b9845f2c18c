import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOfSrc } from './imports.ts'

const root = join(import.meta.dir, '..', '..')

type Step = { file: string; name: string }

/** Numbered steps of src/README.md, by way. */
function ways(): Map<string, string[]> {
  const text = readFileSync(join(root, 'src', 'README.md'), 'utf8')
  const parts = text.split(/^## The way of an? /m).slice(1)
  return new Map(
    parts.map((part) => [
      part.slice(0, part.indexOf('\n')),
      [...part.matchAll(/^\d+\. (.*)/gm)].map(([, step = '']) => step),
    ]),
  )
}

/** File and function of each step. */
function steps(): Step[] {
  return [...ways().values()].flat().map((step) => {
    const [, file, name] = /^`([\w/-]+)` `(\w+)`: /.exec(step) ?? []
    if (!file || !name) throw new Error(`must name a file and a function: ${step}`)
    return { file: `src/${file}.ts`, name }
  })
}

test('src/README.md follows six ways through the code', () => {
  const numbers = Object.fromEntries([...ways()].map(([way, { length }]) => [way, length]))
  expect(numbers).toEqual({ request: 9, calculation: 11, evaluation: 15, notification: 13, sample: 9, query: 9 })
})

test.each(steps())('the way through $file has $name there', ({ file, name }) => {
  expect(existsSync(join(root, file))).toBe(true)
  expect(readFileSync(join(root, file), 'utf8')).toMatch(new RegExp(String.raw`\b(?:function\*?|const) ${name}\b`))
})

test('the planner does not reach the calculator, by any imports', async () => {
  const imports = await importsOfSrc(root)
  const reached = new Set(['src/sli/plan/planner.ts'])
  for (const file of reached) for (const { from, to } of imports) if (from === file) reached.add(to)
  expect([...reached]).toContain('src/sli/measure.ts')
  expect([...reached]).not.toContain('src/sli/calculate.ts')
})
