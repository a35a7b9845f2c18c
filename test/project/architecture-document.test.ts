import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ground, mayImport, mayImportAnything, pageParts } from './architecture.ts'

const text = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'architecture.md'), 'utf8')

const quoted = (cell: string) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name)

/** Rows of the first table below a heading, with the names of each cell. */
function namesBelow(heading: string): { parts: string[]; imported: string; names: string[] }[] {
  const [, section = ''] = new RegExp(`^### ${heading}\\n([^]*?)^##`, 'm').exec(text) ?? []
  return [...section.matchAll(/^\| (`.*?) \|(.*)\|$/gm)].map(([, parts = '', imported = '']) => ({
    parts: quoted(parts),
    imported,
    names: quoted(imported),
  }))
}

test('the table of imports is that of the rules', () => {
  const rows = namesBelow('Who may import whom').flatMap(({ parts, imported, names }) => {
    const types = quoted(/types of (`\w+`)/.exec(imported)?.[1] ?? '')
    const allowed = names.map((name) => (types.includes(name) ? `${name} (types)` : name)).toSorted()
    return parts.map((part) => [part, allowed] as const)
  })
  const rules = [...mayImport].filter(([part]) => !ground.includes(part) && !/^config$|settings$|schemas$/.test(part))
  const above = rules.map(
    ([part, allowed]) => [part, allowed.filter((name) => !ground.includes(name)).toSorted()] as const,
  )
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(above))
})

test('the list of the ground is that of the rules', () => {
  const [, list = ''] = /^Ground: ([^]*?), and types/m.exec(text) ?? []
  expect(quoted(list)).toEqual(ground)
})

test('the table of the page is that of the rules', () => {
  let before: string[] = []
  const rows = namesBelow('The page').flatMap(({ parts, imported, names }) => {
    const allowed = imported.includes('the same') ? [...before, ...names] : names
    before = allowed
    return parts.map((part) => [part, allowed.toSorted()] as const)
  })
  const ofOnes = [...pageParts].filter(([part]) => !['pages', 'app', 'main'].includes(part))
  const expected = ofOnes.map(([part, allowed]) => [part, allowed.toSorted()])
  expect(Object.fromEntries(rows.filter(([part]) => !['pages', 'app'].includes(part)))).toEqual(
    Object.fromEntries(expected),
  )
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
