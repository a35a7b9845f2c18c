import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ground, mayImport, mayImportAnything } from './architecture.ts'

const text = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'architecture.md'), 'utf8')

const quoted = (cell: string) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name)

test('the list of the ground is that of the rules', () => {
  const [, list = ''] = /^Ground: ([^]*?), and types/m.exec(text) ?? []
  expect(quoted(list)).toEqual(ground)
})

test('each arrow of the picture is an import that is allowed, and each part is in it', () => {
  const [, picture = ''] = /```mermaid\nflowchart TD\n([^]*?)```/.exec(text) ?? []
  const [, entry = ''] = /entry\["(.*?)"\]/.exec(picture) ?? []
  const arrows = [...picture.matchAll(/^ {2}(\w+)(?:\[.*\])? (-->|-\. types \.->) (\w+)$/gm)]
  const wrong = arrows.filter(([, from = '', arrow, to = '']) => {
    if (from === 'entry') return !mayImport.has(to)
    const allowed = mayImport.get(from) ?? []
    if (to === 'ground') return !ground.some((part) => allowed.includes(part))
    return !allowed.includes(arrow === '-->' ? to : `${to} (types)`)
  })
  expect(wrong.map(([line]) => line)).toEqual([])
  expect(entry.split(' · ').filter((part) => !mayImportAnything.has(part))).toEqual([])
  const drawn = new Set(arrows.flatMap(([, from, , to]) => [from, to]))
  const parts = [...mayImport.keys()].filter(
    (part) => !ground.includes(part) && !/^config$|settings$|schemas$/.test(part),
  )
  expect(parts.filter((part) => !drawn.has(part))).toEqual([])
})
