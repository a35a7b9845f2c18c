import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandName, correction, helpOf, overview, usages } from '../../src/cli/usage.ts'
import { anchorsIn } from '../project/markdown.ts'

const root = join(import.meta.dir, '..', '..')
const names = Object.keys(usages) as CommandName[]

test.each(names)('%s has a document with that heading', (name) => {
  const [file = '', anchor] = usages[name].document.split('#')
  const anchors = [...anchorsIn(readFileSync(join(root, file), 'utf8'))]
  expect(anchor === undefined || anchors.includes(anchor)).toBe(true)
})

test.each(names)('%s has its own help, and is in that of all', (name) => {
  expect(helpOf(name)).toStartWith(`usage: nines ${name}`)
  expect(overview).toContain(`\n  ${name}`)
})

test('help of backup says that --verify writes FILE, and names the command that checks an existing one', () => {
  const help = helpOf('backup').replaceAll(/\s+/g, ' ')
  expect(help).toContain('nines backup --verify FILE: writes FILE, then restores it as a check')
  expect(help).toContain('to check an existing backup: nines verify FILE')
})

test.each([...names, undefined])('a wrong call of %s is corrected in two lines', (name) => {
  expect(correction(name).split('\n')).toHaveLength(3)
})
