// Writes THIRD-PARTY-NOTICES.txt: third-party software in the executable, with licences. `nines licenses` prints it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { root } from './install.mjs'

/** Third-party software in the executable; `license` is an SPDX expression. */
export type Notice = { name: string; version: string; license: string; text: string }

export const noticesFile = join(root, 'THIRD-PARTY-NOTICES.txt')
const entryPoints = ['src/main.ts', 'src/worker.ts', 'src/check-worker.ts']
const textFile = /^(?:licen[cs]e|notice|copying)(?:\.(?:md|txt))?$/i

/** Licences that only require that they and their copyright lines are included. */
const permissive = new Set(
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT OFL-1.1 MIT-0 Unlicense Zlib blessing'.split(
    ' ',
  ),
)

/** True if an SPDX expression allows a permissive licence: any part of `OR`, all parts of `AND`. */
export function isPermissive(expression: string): boolean {
  const parts = expression.replace(/^\((.*)\)$/, '$1').split(' OR ')
  return parts.some((part) => part.split(' AND ').every((name) => permissive.has(name.trim())))
}

/**
 * Collects all third-party software in the executable, sorted by name; throws if a package has no licence or no licence text.
 */
export async function collectNotices(): Promise<Notice[]> {
  const packages = (await bundledFolders()).map(readPackage)
  return [...packages, ...notFromModules()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Renders the file: a list, then each licence text once, under the names of all software that it covers. */
export function renderNotices(notices: Notice[]): string {
  const list = notices.map(({ name, version, license }) => `  ${name} ${version} (${license})`)
  const texts = Map.groupBy(notices, ({ text }) => text)
  const sections = [...texts].map(([text, named]) => {
    const names = named.map(({ name, version }) => `${name} ${version}`).join(', ')
    return `${'='.repeat(80)}\n${names}\n\n${text}\n`
  })
  const head = 'The executable of nines contains software of others, under these licences:'
  return `${head}\n\n${list.join('\n')}\n\n${sections.join('\n')}`
}

/** Folders of all packages that the bundler includes, according to its metafile. */
async function bundledFolders(): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: entryPoints.map((name) => join(root, name)),
    target: 'bun',
    format: 'esm',
    metafile: true,
    define: { BUILD_LIBC: '"glibc"' },
    external: ['*/page/embedded.ts'], // created later from the page bundle below
  })
  const page = await Bun.build({
    entrypoints: [join(root, 'src/web/page/main.tsx'), join(root, 'src/web/page/style/page.css')],
    target: 'browser',
    metafile: true,
    external: ['*.woff2'],
  })
  const inputs = [metafile, page.metafile].flatMap((one) => Object.keys(one?.inputs ?? {}))
  for (const entry of [entryPoints[0] ?? '', 'src/web/page/main.tsx']) {
    if (!inputs.some((path) => path.endsWith(entry))) throw new Error('the bundler named no inputs')
  }
  const files = ['@fontsource-variable/inter', 'lucide-static'].map((name) => `node_modules/${name}/`) // copied, not bundled
  const folders = [...inputs, ...files].flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].map((folder) => resolve(folder))
}

function readPackage(folder: string): Notice {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => textFile.test(file))
  if (name === 'swagger-ui-dist') files.push('swagger-ui-bundle.js.LICENSE.txt') // licences of software that it bundles
  if (typeof license !== 'string') throw new Error(`${folder}/package.json must name a license`)
  if (files.length === 0) throw new Error(`${folder} must hold the text of its license`)
  const texts = files.toSorted().map((file) => read(join(folder, file)))
  return { name, version, license, text: texts.join('\n\n') }
}

/** Notices of software that is not a package: the runtime, and libraries compiled into the SQLite addon. */
function notFromModules(): Notice[] {
  const mit = read(join(root, 'scripts/notices/MIT.txt'))
  const lgpl = ['LGPL-2.0.txt', 'LGPL-2.1.txt'].map((name) => read(join(root, 'scripts/notices', name)))
  const { version: bun } = JSON.parse(read(join(root, 'node_modules/bun/package.json')))
  const header = read(join(root, 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.h'))
  const sqlite = /#define SQLITE_VERSION +"([\d.]+)"/.exec(header)?.[1]
  if (sqlite === undefined) throw new Error('sqlite3.h must define SQLITE_VERSION')
  return [
    {
      name: 'Bun',
      version: bun,
      license: 'MIT',
      text: [
        `The runtime. Its source: https://github.com/oven-sh/bun/tree/bun-v${bun}`,
        'It links libraries with licences of their own. Among them are JavaScriptCore of WebKit (LGPL 2) and TinyCC (LGPL 2.1), ' +
          'whose texts follow. All of them, and how to link Bun with a changed JavaScriptCore:\n' +
          `https://github.com/oven-sh/bun/blob/bun-v${bun}/LICENSE.md`,
        mit,
        ...lgpl,
      ].join('\n\n'),
    },
    {
      name: 'SQLite',
      version: sqlite,
      license: 'blessing',
      text: 'The database, inside of better-sqlite3. It is in the public domain: https://sqlite.org/copyright.html',
    },
    {
      name: 'node-addon-api',
      version: '8',
      license: 'MIT',
      text: `Headers, compiled into better-sqlite3.\n\nCopyright (c) 2017 Node.js API collaborators\n\n${mit}`,
    },
  ]
}

function read(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim()
}

if (import.meta.main) {
  const notices = await collectNotices()
  const refused = notices.filter(({ license }) => !isPermissive(license))
  for (const { name, license } of refused) console.error(`${name} has the licence ${license}, which is not permissive`)
  if (refused.length > 0) process.exit(1)
  writeFileSync(noticesFile, renderNotices(notices))
  console.log(`${basename(noticesFile)} names ${notices.length} licences`)
}
