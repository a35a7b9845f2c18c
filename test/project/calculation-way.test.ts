import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { importsOfSrc } from './imports.ts'

const root = join(import.meta.dir, '..', '..')

test('CONTRIBUTING follows a calculation through at most fifteen files', async () => {
  const text = await Bun.file(join(root, 'CONTRIBUTING.md')).text()
  const [, way = ''] = text.split('### A calculation')
  const files = [...(way.split('### ')[0] ?? '').matchAll(/^\d+\. `([^`]+)`/gm)].map(([, name]) => `src/${name}.ts`)
  expect(files.length).toBeGreaterThan(10)
  expect(files.length).toBeLessThanOrEqual(15)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('the planner does not reach the calculator, by any imports', async () => {
  const imports = await importsOfSrc(root)
  const reached = new Set(['src/sli/plan/planner.ts'])
  for (const file of reached) for (const { from, to } of imports) if (from === file) reached.add(to)
  expect([...reached]).toContain('src/sli/measure.ts')
  expect([...reached]).not.toContain('src/sli/calculate.ts')
})
