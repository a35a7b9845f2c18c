import { daySeconds, type SeenCertificate } from '../../certificate.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import type { Database } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import { type CertificateSubject, listStored, type Sighting, storeSighting } from './certificate-store.ts'

/** Stores which certificates were seen: each when it changes, and once a day. */
export type Sightings = {
  /** Call it whenever a server was connected to. Stores what is new, soon. */
  note(sighting: Sighting): void
  /** Certificate of a subject as last stored; null: no certificate is stored. */
  lastOf(subject: CertificateSubject): Promise<SeenCertificate | null>
  /** Stores what is new, now. If that fails, throws and keeps it for the next time. */
  flush(): Promise<void>
  drain(): Promise<void>
}

type Deps = { db: Database; log: Log; isClosing: () => boolean }

export function createSightings({ db, log, isClosing }: Deps): Sightings {
  const writes = createSemaphore(1)
  const waiting = new Map<string, Sighting>()
  let stored: Map<string, Sighting> | null = null // read when first needed

  async function loadStored(): Promise<Map<string, Sighting>> {
    stored ??= new Map((await listStored(db.read)).map((one) => [keyOf(one), one]))
    return stored
  }

  async function write(): Promise<void> {
    const storedByKey = await loadStored()
    const changed = [...waiting].filter(([key, one]) => isNew(storedByKey.get(key), one))
    const taken = [...waiting]
    if (changed.length > 0) {
      await db.write.transaction().execute(async (trx) => {
        for (const [, one] of changed) await storeSighting(trx, one)
      })
    }
    for (const [key, one] of taken) {
      if (waiting.get(key) === one) waiting.delete(key)
      if (one.certificate) storedByKey.set(key, one)
      else storedByKey.delete(key)
    }
  }

  const flush = () => writes.run(write)

  return {
    note(sighting) {
      const key = keyOf(sighting)
      if (stored && !waiting.has(key) && !isNew(stored.get(key), sighting)) return
      waiting.set(key, sighting)
      if (isClosing()) return
      flush().catch((error: unknown) => {
        if (!isClosing()) log.warn('certificate not stored', { [sighting.kind]: sighting.id, error })
      })
    },
    async lastOf(subject) {
      return (await loadStored()).get(keyOf(subject))?.certificate ?? null
    },
    flush,
    drain: writes.drain,
  }
}

function keyOf({ kind, id }: Pick<CertificateSubject, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}

function isNew(former: Sighting | undefined, { server, certificate }: Sighting): boolean {
  const last = former?.certificate
  if (!former || !last || !certificate) return certificate !== null || former !== undefined
  const isSame =
    former.server === server && last.fingerprint === certificate.fingerprint && last.expiresAt === certificate.expiresAt
  return !isSame || Math.abs(certificate.seenAt - last.seenAt) >= daySeconds
}
