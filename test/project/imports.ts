import { Glob } from 'bun'
import { join, normalize } from 'node:path/posix'

/** An import statement. `to`: a path from the project's root for our own files, otherwise the specifier as written. */
export type Import = { from: string; to: string; typeOnly: boolean }

const statement =
  /^\s*(?:import|export)\s+(?:(?<type>type)\s+)?(?:[\w$]+\s*,?\s*)?(?:\*(?:\s*as\s+[\w$]+)?|\{(?<names>[^}]*)\})?\s*from\s*['"](?<name>[^'"]+)['"]/gm
const bare = /^\s*import\s*['"](?<name>[^'"]+)['"]/gm
const call = /\b(?:import|require)\(\s*['"](?<name>[^'"]+)['"]/g

/** Every import of a TypeScript text: static, re-exporting, bare, dynamic and `require`. */
export function importsIn(file: string, text: string): Import[] {
  const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(({ groups = {} }) => groups)
  const to = (name = '') => (name.startsWith('.') ? normalize(join(file, '..', name)) : name)
  return [
    ...found(statement).map(({ type, names, name }) => ({
      from: file,
      to: to(name),
      typeOnly: type !== undefined || onlyTypes(names),
    })),
    ...[...found(bare), ...found(call)].map(({ name }) => ({ from: file, to: to(name), typeOnly: false })),
  ]
}

/** Imports of all files in `src`, with the paths that the rules use. */
export async function importsOfSrc(root: string): Promise<Import[]> {
  const files = [...new Glob('src/**/*.{ts,tsx}').scanSync(root)].filter((file) => !file.endsWith('.d.ts')).toSorted()
  const texts = await Promise.all(files.map((file) => Bun.file(join(root, file)).text()))
  return files.flatMap((file, at) => importsIn(file, texts[at] ?? ''))
}

function onlyTypes(names: string | undefined): boolean {
  const each = (names ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return each.length > 0 && each.every((name) => name.startsWith('type '))
}
