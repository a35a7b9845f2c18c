import type { SeenCertificate } from '../../certificate.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { listReplacements, listUsedCertificates } from '../../embedded/certificates/certificate-store.ts'
import { createServerChecks } from '../../embedded/certificates/check-servers.ts'
import { serverOf } from '../../embedded/certificates/server.ts'
import { createSightings } from '../../embedded/certificates/sightings.ts'
import type { Probe } from '../../embedded/collection/target.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { Log } from '../../log.ts'
import { serverOfChannel } from '../../notifications/channels/certificate-server.ts'
import { createCertificateNotifier } from '../../notifications/conditions/certificate-alerts.ts'
import { openConfiguration } from '../../notifications/configurations.ts'

/** Stores the certificates of the servers that organizations use, reads those that no probe sees, and notifies before they expire. */
export type Certificates = {
  /** Stores the certificate that a probe saw; null: the probe succeeded without one. */
  noteProbe(probe: Probe, certificate: SeenCertificate | null): void
  /** Reads the certificates that are due, and notifies of those that expire soon. Call it every minute. */
  run(): Promise<void>
  /** Waits for reads under way, and stores what they saw. */
  drain(): Promise<void>
}

type Deps = {
  config: Pick<Config, 'sourceUrl'>
  db: Database
  clock: Clock
  log: Log
  seal: Seal
  outbound: Outbound
  publicUrl: () => string
  isClosing: () => boolean
  /** Called when a notification has been queued. */
  onQueued: () => void
}

export function createCertificates(deps: Deps): Certificates {
  const { config, seal, isClosing } = deps
  const sightings = createSightings(deps)
  const checks = createServerChecks({
    ...deps,
    sightings,
    operatorUrl: config.sourceUrl, // the one source that may have a private address
    serverOfChannel: (channel) => serverOfChannel(openConfiguration(seal, channel)),
  })
  const notifier = createCertificateNotifier({ ...deps, listUsed: listUsedCertificates, listReplacements })
  return {
    noteProbe({ organizationId, id, target }, certificate) {
      sightings.note({ organizationId, kind: 'probe', id, server: serverOf(target), certificate })
    },
    async run() {
      await checks.run()
      await sightings.flush()
      if (!isClosing()) await notifier.run()
    },
    async drain() {
      await checks.drain()
      await sightings.drain()
    },
  }
}
