import { describe, expect, test } from 'bun:test'
import { sbomOf } from '../../scripts/release/sbom.mjs'
import lock from '../../package-lock.json'
import manifest from '../../package.json'

type Component = { name: string; version: string; purl: string; licenses?: unknown; hashes?: { content: string }[] }
type Sbom = { specVersion: string; components: Component[]; dependencies: { dependsOn: string[] }[] }

const read = (): Sbom => JSON.parse(sbomOf(lock as Parameters<typeof sbomOf>[0], { version: '0.1.0', bun: '1.4.5' }))

describe('the bill of materials', () => {
  test('names every package of production with its version, licence, hash and package URL', () => {
    const { components } = read()
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      const found = components.find((one) => one.name === name && one.version === version)
      expect(found, name).toMatchObject({ purl: `pkg:npm/${name.replace('@', '%40')}@${version}` })
      expect(found?.licenses, name).toBeArray()
      expect(found?.hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{128}$/)
    }
  })

  test('names the runtime, and no package of development', () => {
    const names = new Set(read().components.map(({ name }) => name))
    expect(names.has('bun')).toBe(true)
    for (const name of ['playwright-core', 'oxlint', 'oidc-provider']) expect(names.has(name)).toBe(false)
  })

  test('lists each component once, and all of them as what nines is made of', () => {
    const { components, dependencies } = read()
    const refs = components.map(({ name, version }) => `${name}@${version}`)
    expect(new Set(refs).size).toBe(refs.length)
    expect(dependencies[0]?.dependsOn).toEqual(refs)
  })

  test('writes a choice of licences as an expression', () => {
    const packages = { 'node_modules/a': { version: '1.0.0', license: '(MIT OR Apache-2.0)' } }
    const { components } = JSON.parse(sbomOf({ name: 'x', version: '1', packages }, { version: '1', bun: '1' })) as Sbom
    expect(components[0]?.licenses).toEqual([{ expression: '(MIT OR Apache-2.0)' }])
  })
})
