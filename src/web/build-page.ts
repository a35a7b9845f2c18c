import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { iconNames } from './page/ui/icon-names.ts'

/** A file of the page, with the name under which it is served. */
export type BuiltFile = { name: string; type: string; bytes: Uint8Array }

/** Names of the files that the HTML document links to, and all files. */
export type BuiltPage = {
  script: string
  theme: string
  style: string
  /** Style of the views that are not part of the first load. */
  laterStyle: string
  icons: string
  font: string
  files: BuiltFile[]
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
export const pageSource = join(import.meta.dir, 'page')
const packages = join(import.meta.dir, '..', '..', 'node_modules')

/** Bundles the page from its source. Names contain a hash of the content, so that a file never changes under its name. */
export async function buildPage(): Promise<BuiltPage> {
  const common = {
    target: 'browser',
    minify: true,
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
  } as const
  const fonts = new Map<string, BuiltFile>()
  const styles = ['page.css', 'later.css'].map((name) => join(pageSource, 'style', name))
  const [script, theme, style] = await Promise.all([
    Bun.build({ ...common, entrypoints: [join(pageSource, 'main.tsx')], format: 'esm', splitting: true }),
    Bun.build({ ...common, entrypoints: [join(pageSource, 'theme.ts')], format: 'iife' }),
    Bun.build({ ...common, entrypoints: styles, plugins: [externalFonts(fonts)] }),
  ])
  const built = await Promise.all([...script.outputs, ...theme.outputs, ...style.outputs].map(fileOf))
  const icons = hashed('icons', 'svg', new TextEncoder().encode(iconSprite()))
  const named = (start: string) => {
    const found = [...built, ...fonts.values()].find(({ name }) => name.startsWith(start))
    if (!found) throw new Error(`the page was built without ${start}`)
    return found.name
  }
  return {
    script: entryOf(script),
    theme: named('theme-'),
    style: named('page-'),
    laterStyle: named('later-'),
    icons: icons.name,
    font: named('inter-latin-wght-normal-'),
    files: [...built, icons, ...fonts.values()],
  }
}

/** Keeps fonts out of the bundled style. Bun would embed them as `data:` URLs, which the content security policy forbids. */
function externalFonts(fonts: Map<string, BuiltFile>): Bun.BunPlugin {
  return {
    name: 'external-fonts',
    setup(build) {
      build.onResolve({ filter: /\.woff2$/ }, ({ path }) => {
        const name = basename(path, '.woff2')
        const file = fonts.get(name) ?? hashed(name, 'woff2', readFileSync(join(packages, path)))
        fonts.set(name, file)
        return { path: `./${file.name}`, external: true }
      })
    },
  }
}

/** Sprite of the Lucide icons that the page uses, one symbol each. */
function iconSprite(): string {
  const folder = join(packages, 'lucide-static', 'icons')
  const known = new Set(readdirSync(folder))
  const symbols = iconNames.map((name) => {
    if (!known.has(`${name}.svg`)) throw new Error(`Lucide has no icon ${name}`)
    const svg = readFileSync(join(folder, `${name}.svg`), 'utf8')
    const shapes = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
    return `<symbol id="${name}" viewBox="0 0 24 24">${shapes.replaceAll(/\s*\n\s*/g, '')}</symbol>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`
}

/** Name of the entry file, which loads the others. It is found by its kind, since names of other chunks may begin alike. */
function entryOf({ outputs }: Bun.BuildOutput): string {
  return basename(outputs.find(({ kind }) => kind === 'entry-point')?.path ?? '')
}

async function fileOf(output: Bun.BuildArtifact): Promise<BuiltFile> {
  const name = basename(output.path)
  return { name, type: typeOf(name), bytes: new Uint8Array(await output.arrayBuffer()) }
}

function hashed(name: string, extension: string, bytes: Uint8Array): BuiltFile {
  const hash = Bun.CryptoHasher.hash('sha256', bytes, 'hex').slice(0, 8)
  return { name: `${name}-${hash}.${extension}`, type: typeOf(`.${extension}`), bytes }
}

function typeOf(name: string): string {
  return types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
}
