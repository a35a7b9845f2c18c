import { expect, test } from 'bun:test'
import { brotliCompressSync } from 'node:zlib'
import { buildPage } from '../../src/web/build-page.ts'

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('bundling twice gives the same files, byte for byte', async () => {
  const [first, second] = [await buildPage(), await buildPage()]
  const hashes = ({ files }: typeof first) =>
    files.map(({ name, bytes }) => `${name} ${Bun.CryptoHasher.hash('sha256', bytes, 'hex')}`).toSorted()
  expect(hashes(second)).toEqual(hashes(first))
})

test('what a file loads has its hash in the name that the file loads it by', async () => {
  const { files } = await buildPage()
  const names = new Set(files.map(({ name }) => name))
  const loaded = files.flatMap(({ name, bytes }) =>
    name.endsWith('.js') ? [...textOf(bytes).matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, one]) => one ?? '') : [],
  )
  expect(loaded.length).toBeGreaterThan(5) // the routes and their shared parts
  for (const one of loaded) expect([one, names.has(one)]).toEqual([one, true])
})

test('is built for production, and its style as it was written', async () => {
  for (const { name, bytes } of (await buildPage()).files) {
    const isOf = (type: string) => name.endsWith(type)
    expect([name, isOf('.js') && /jsxDEV|NODE_ENV/.test(textOf(bytes))]).toEqual([name, false])
    expect([name, isOf('.css') && /light-dark\(|@import/.test(textOf(bytes))]).toEqual([name, false])
  }
})

test('the editor is a file of its own, of 150 kB at most, that only what needs it loads', async () => {
  const { files, script } = await buildPage()
  const source = new Map(files.map(({ name, bytes }) => [name, name.endsWith('.js') ? textOf(bytes) : '']))
  const withStatic = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found
    found.add(name)
    for (const [, one = ''] of source.get(name)?.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g) ?? [])
      withStatic(one, found)
    return found
  }
  const [editor = '', ...others] = files.flatMap(({ name }) => (source.get(name)?.includes('cm-content') ? [name] : []))
  expect([editor.startsWith('code-editor-'), others]).toEqual([true, []])
  const needing = files.filter(({ name }) => name !== editor && withStatic(name).has(editor))
  expect(needing.map(({ name }) => name)).toEqual([]) // imported on demand only
  const first = withStatic(script)
  const own = files.filter(({ name }) => withStatic(editor).has(name) && !first.has(name))
  const bytes = own.reduce((sum, { bytes }) => sum + brotliCompressSync(bytes).length, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(150_000)
})
