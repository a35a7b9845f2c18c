import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { buildPage, pageSource } from './build-page.ts'

/** A file of the page in each encoding; `br` and `gzip` are null for a file that is already compressed. */
export type PageFile = { type: string; raw: Uint8Array; br: Uint8Array | null; gzip: Uint8Array | null }

/** Names of the files that the HTML document links to, and each file by its name. */
export type PageFiles = {
  entry: { script: string; theme: string; style: string; laterStyle: string; icons: string; font: string }
  files: ReadonlyMap<string, PageFile>
}

const packBrotli = promisify(brotliCompress)
const packGzip = promisify(gzip)

/** Time of the last change in the page's source, in milliseconds since the epoch. */
export function lastChangedMs(): number {
  const files = readdirSync(pageSource, { recursive: true, encoding: 'utf8' })
  return Math.max(...files.map((file) => statSync(join(pageSource, file)).mtimeMs))
}

/** Bundles the page from its source and compresses each file. */
export async function packPage(): Promise<PageFiles> {
  const { files, ...entry } = await buildPage()
  const pack = async ({ type, bytes: raw }: (typeof files)[number]): Promise<PageFile> => {
    if (type.startsWith('font/')) return { type, raw, br: null, gzip: null }
    return { type, raw, br: await packBrotli(raw), gzip: await packGzip(raw) }
  }
  return { entry, files: new Map(await Promise.all(files.map(async (file) => [file.name, await pack(file)] as const))) }
}
