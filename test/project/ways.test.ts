import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOfSrc } from './imports.ts'

const root = join(import.meta.dir, '..', '..')

type Step = { file: string; name: string }

/** Steps of the ways in CONTRIBUTING.md: the file and the function of each. */
function steps(): Step[] {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const ways = text.slice(text.indexOf('## The ways'), text.indexOf('### The page'))
  const samples = text.slice(text.indexOf('### A sample'), text.indexOf('### An operation'))
  const numbered = [...`${ways}\n${samples}`.matchAll(/^\d+\. (.*)/gm)].map(([, step = '']) => step)
  return numbered.map((step) => {
    const [, file, name] = /^`([\w/-]+)` `(\w+)`: /.exec(step) ?? []
    if (!file || !name) throw new Error(`must name a file and a function: ${step}`)
    return { file: `src/${file}.ts`, name }
  })
}

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
