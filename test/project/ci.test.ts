import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..', '..')

test('CI runs the proofs of every folder that has some, once', () => {
  const run = readFileSync(join(root, '.ci', 'run'), 'utf8')
  const named = [...run.matchAll(/^node scripts\/proofs\.mjs ([a-z0-9 ]+) 2>&1/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  const proofs = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const folders = proofs.flatMap((name) => /^([^/\\]+)[/\\].*\.proof\.ts$/.exec(name)?.[1] ?? [])
  expect(named.toSorted()).toEqual([...new Set(folders)].toSorted())
})
