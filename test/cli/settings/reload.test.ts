import { afterEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createReload } from '../../../src/cli/settings/reload.ts'
import { loadSettings } from '../../../src/cli/settings/settings.ts'
import { readConfig } from '../../../src/config.ts'
import { createConfiguredLog } from '../../../src/app/log.ts'
import { closeAll } from '../../support/closing.ts'
import { newFolder, startNines } from '../../support/process.ts'

afterEach(closeAll)

/** A reload of a file with this text; `again` writes another and reloads. */
function reloading(text: string) {
  const file = join(newFolder(), 'nines.env')
  writeFileSync(file, text)
  const settings = loadSettings({}, file)
  const config = readConfig(settings.env)
  const logged: [level: string, message: string, fields: unknown][] = []
  const at = (level: string) => (message: string, fields?: unknown) => void logged.push([level, message, fields])
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const reload = createReload({ config, log }, settings, ({ env }) => readConfig(env))
  const again = (next: string) => {
    writeFileSync(file, next)
    reload()
    return logged.splice(0)
  }
  return { config, again }
}

describe('settings that are read again', () => {
  test('take effect where they can, and are named where they need a restart, until there was one', () => {
    const { config, again } = reloading('LOG_LEVEL=info\nPORT=81\n')
    const read = 'the settings have been read again'
    const waiting = ['warn', 'settings have changed that need a restart', { settings: ['PORT', 'QUOTA_SLOS'] }]
    expect(again('LOG_LEVEL=debug\nPORT=82\nMETRICS_TOKEN=hunter2\nQUOTA_SLOS=7\n') as unknown).toEqual([
      ['info', read, { changed: ['METRICS_TOKEN', 'LOG_LEVEL'] }],
      waiting,
    ])
    expect(config).toMatchObject({ logLevel: 'debug', port: 81, metricsToken: 'hunter2' })
    expect(again('LOG_LEVEL=debug\nPORT=82\nMETRICS_TOKEN=hunter2\nQUOTA_SLOS=7\n') as unknown).toEqual([
      ['info', read, { changed: [] }],
      waiting,
    ])
    expect(again('PORT=81\nMETRICS_TOKEN=hunter2\n') as unknown).toEqual([['info', read, { changed: ['LOG_LEVEL'] }]])
  })

  test('that are wrong leave everything as it is', () => {
    const { config, again } = reloading('LOG_LEVEL=warn\n')
    expect(again('LOG_LEVEL=loud\n')).toEqual([
      [
        'error',
        'the settings cannot be read again, those from before stay: LOG_LEVEL: must be one of debug, info, warn, error, got "loud"',
        undefined,
      ],
    ])
    expect(config.logLevel).toBe('warn')
  })
})

test('the log follows the level of its config', () => {
  const config = readConfig({ LOG_LEVEL: 'error', LOG_FORMAT: 'json' })
  const write = process.stderr.write
  const written: unknown[] = []
  process.stderr.write = (line: unknown) => written.push(line) > 0
  try {
    const log = createConfiguredLog(config, { now: () => 0 })
    log.info('dropped')
    config.logLevel = 'info'
    log.info('written')
  } finally {
    process.stderr.write = write
  }
  expect(written).toEqual(['{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"written"}\n'])
})

test('a server reads its file again at SIGHUP, and goes on', async () => {
  const folder = newFolder()
  const file = join(folder, 'nines.env')
  writeFileSync(file, 'LOG_LEVEL=info\nMETRICS_TOKEN=before\n')
  const nines = await startNines({ dataDir: join(folder, 'data'), args: ['serve', '--config', file] })
  const scrape = async (token: string) =>
    (await fetch(`${nines.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await scrape('before')).toBe(200)
  writeFileSync(file, 'LOG_LEVEL=info\nMETRICS_TOKEN=after\nRETENTION_DAYS=30\n')
  nines.kill('SIGHUP')
  await nines.said(/need a restart","settings":\["RETENTION_DAYS"\]/)
  expect([await scrape('before'), await scrape('after')]).toEqual([401, 200])
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
})
