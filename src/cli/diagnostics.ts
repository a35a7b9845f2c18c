import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { isoTime } from '../clock.ts'
import { presentSystem } from '../status/system-routes.ts'

/**
 * At each SIGUSR2, writes a report on this process to `diagnostics.json` in the data folder, for its owner only, in place of the
 * previous report. It has no secrets and nothing of an organization.
 */
export function reportAtSignal(app: App): void {
  process.on('SIGUSR2', () => {
    void writeReport(app).catch((error: unknown) => app.log.error('diagnostic report not written', { error }))
  })
}

async function writeReport(app: App): Promise<void> {
  const file = join(app.config.dataDir, 'diagnostics.json')
  const text = JSON.stringify(await describeProcess(app), null, 2)
  writeFileSync(file, `${text}\n`, { mode: 0o600 })
  app.log.info('diagnostic report written', { file })
}

async function describeProcess(app: App) {
  const nowMs = app.clock.now()
  return {
    written_at: isoTime(nowMs),
    uptime_seconds: Math.floor((nowMs - app.startedAtMs) / 1000),
    process: {
      pid: process.pid,
      bun: Bun.version,
      platform: `${process.platform} ${process.arch}`,
      memory_bytes: process.memoryUsage(),
      processor_microseconds: process.cpuUsage(),
      waiting_for: Object.fromEntries(
        [...Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind)].map(([kind, all]) => [kind, all.length]),
      ),
    },
    conditions: app.conditions.list(),
    system: presentSystem(app),
    metrics: (await app.metrics.exposition({ sources: [] })).split('\n').filter((line) => /^[^#]/.test(line)),
  }
}
