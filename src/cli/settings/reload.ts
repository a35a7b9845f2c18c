import type { App } from '../../app.ts'
import { changedSettings, type Config, readConfig } from '../../config.ts'
import type { Settings } from './settings.ts'

/** Settings that take effect without a restart: they are read from the config wherever they are used. */
const reloadable = ['logLevel', 'logFormat', 'metricsToken'] as const satisfies (keyof Config)[]

type Running = Pick<App, 'config' | 'log'>

/**
 * Logs variables of the environment that are no settings. From now on, each SIGHUP reads the settings again and calls `alsoReload`;
 * not on a terminal.
 */
export function reloadAtSignal({ config, log }: Running, settings: Settings, alsoReload: () => void): void {
  for (const sentence of settings.unknown) log.warn(sentence)
  const terminal = { isTerminal: process.stderr.isTTY }
  if (terminal.isTerminal) return // a terminal that closes sends the signal, and nines ends with the terminal
  const reload = createReload({ config, log }, settings, (current) => readConfig(current.env, terminal))
  process.on('SIGHUP', () => {
    reload()
    alsoReload()
  })
}

/**
 * Creates a function that reads the settings again and changes the config in place as far as that is possible. The function logs
 * what has changed and what needs a restart. Settings that cannot be read leave everything as it is.
 */
export function createReload(
  { config, log }: Running,
  settings: Settings,
  read: (settings: Settings) => Config,
): () => void {
  let current = read(settings)
  return () => {
    try {
      const next = read(settings.reload())
      const picked = Object.fromEntries(reloadable.map((key) => [key, next[key]])) as Pick<
        Config,
        (typeof reloadable)[number]
      >
      const changed = changedSettings(current, { ...current, ...picked })
      Object.assign(config, picked)
      current = { ...current, ...picked }
      log.info('the settings have been read again', { changed })
      const notReloaded = changedSettings(current, next)
      if (notReloaded.length > 0) log.warn('settings have changed that need a restart', { settings: notReloaded })
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      log.error(`the settings cannot be read again, those from before stay: ${problem}`)
    }
  }
}
