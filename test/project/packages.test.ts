import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

type Manifest = {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  engines: Record<'node' | 'bun', string>
  allowScripts: Record<string, boolean>
}

const root = join(import.meta.dir, '..', '..')
const read = (name: string) => Bun.file(join(root, name)).text()

describe('package.json', async () => {
  const manifest: Manifest = JSON.parse(await read('package.json'))

  test.each(Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))(
    'names one exact version of %s',
    (_name, version) => expect(version).toMatch(/^\d+\.\d+\.\d+$/),
  )

  test('names engines that this Bun, and the Node of the hosted CI, are', async () => {
    expect(Bun.semver.satisfies(manifest.devDependencies['bun'] ?? '', manifest.engines.bun)).toBe(true)
    const workflow = await read('.github/workflows/ci.yml')
    const node = /image: node:(\d+)-/.exec(workflow)?.[1]
    expect(Bun.semver.satisfies(`${node}.0.0`, manifest.engines.node)).toBe(true)
    expect(workflow).toContain('run: .ci/run')
  })

  test('lets npm 12 run the one install script that is needed', () => {
    expect(manifest.allowScripts).toMatchObject({ bun: true, 'better-sqlite3': false })
  })
})

describe('package-lock.json', async () => {
  const text = await read('package-lock.json')
  const lock: { packages: Record<string, { gypfile?: boolean; engines?: unknown }> } = JSON.parse(text)

  test('names no registry, so that it installs from any', () => {
    expect(text).not.toContain('"resolved": "http')
  })

  test('has the engines of package.json', async () => {
    const { engines }: Manifest = JSON.parse(await read('package.json'))
    expect(lock.packages['']?.engines).toEqual(engines)
  })

  test('keeps npm from compiling SQLite ("npm install" drops the line "gypfile": false; put it back)', () => {
    expect(lock.packages['node_modules/better-sqlite3']).toHaveProperty('gypfile', false)
  })
})
