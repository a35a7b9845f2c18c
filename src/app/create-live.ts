import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { Log } from '../log.ts'
import { lastNotificationId, listNotificationsAfter } from '../notifications/outbox-store.ts'
import { createFeed } from '../realtime/feed.ts'
import { createHub } from '../realtime/hub.ts'
import { listLiveSlos } from '../evaluation/reads/real-time/metrics.ts'

type Deps = { db: Database; clock: Clock; config: Config; log: Log; isClosing: () => boolean }

/** Creates the hub and the feed of live clients. */
export function createLive({ db, clock, config, log, isClosing }: Deps) {
  const listSlos = (ids: number[]) => listLiveSlos({ db, clock, config }, ids)
  const hub = createHub({
    clock,
    log,
    findSlo: async (organizationId, id) => (await listSlos([id])).find((slo) => slo.organizationId === organizationId),
  })
  const feed = createFeed({
    hub,
    log,
    isClosing,
    listSlos,
    lastNotificationId: () => lastNotificationId(db.read),
    listNotifications: (afterId, max) => listNotificationsAfter(db.read, afterId, max),
  })
  return { hub, feed }
}
