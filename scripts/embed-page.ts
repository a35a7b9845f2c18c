import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packPage } from '../src/web/pack-page.ts'

// Writes the packed page into dist/page, and the module that embeds it in the executable.
const folder = join(import.meta.dir, '..', 'dist', 'page')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const { entry, files } = await packPage()
const imports: string[] = []
const entries: string[] = []
for (const [at, [name, file]] of [...files].entries()) {
  const paths = (['raw', 'br', 'gzip'] as const).map((encoding) => {
    const bytes = file[encoding]
    if (bytes === null) return 'null'
    writeFileSync(join(folder, `${name}.${encoding}`), bytes)
    imports.push(`import ${encoding}${at} from './${name}.${encoding}' with { type: 'file' }`)
    return `${encoding}${at}`
  })
  entries.push(`  [${JSON.stringify(name)}, ${JSON.stringify(file.type)}, ${paths.join(', ')}],`)
}
writeFileSync(
  join(folder, 'embedded.ts'),
  `// @ts-nocheck
import type { PageFiles } from '../../src/web/pack-page.ts'
${imports.join('\n')}

const entry = ${JSON.stringify(entry)}
const files = [
${entries.join('\n')}
]

export async function embeddedPage(): Promise<PageFiles> {
  const read = (path) => (path === null ? null : Bun.file(path).bytes())
  const held = files.map(async ([name, type, raw, br, gzip]) => [
    name,
    { type, raw: await read(raw), br: await read(br), gzip: await read(gzip) },
  ])
  return { entry, files: new Map(await Promise.all(held)) }
}
`,
)
