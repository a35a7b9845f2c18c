import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '../../support/make-certificate.ts'
import { newFolder } from '../../support/process.ts'

export const dayMs = 86_400_000
export const nowMs = Date.parse('2026-03-01T12:00:00Z')

type Pair = { cert: string; key: string }

/** A certificate and its key; it holds from and until so many days from `nowMs`. */
export const certificate = (untilDays: number, fromDays = -30): Pair =>
  makeCertificate({
    names: ['nines.test', 'localhost'],
    fromMs: nowMs + fromDays * dayMs,
    untilMs: nowMs + untilDays * dayMs,
  })

/** Writes a pair into files of a new folder; `write` replaces their texts. */
export function filesOf({ cert, key }: Pair) {
  const folder = newFolder()
  const files: Pair = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  const write = (next: Partial<Pair>) => {
    if (next.cert !== undefined) writeFileSync(files.cert, next.cert)
    if (next.key !== undefined) writeFileSync(files.key, next.key)
  }
  write({ cert, key })
  return { files, write }
}
