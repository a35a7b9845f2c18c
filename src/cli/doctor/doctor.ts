import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openBucket } from '../../app/backups/bucket.ts'
import { openOutbound } from '../../app/outbound.ts'
import { systemClock } from '../../clock.ts'
import { type Config, readConfig } from '../../config.ts'
import { assertSqliteLoads, Database } from '../../db/sqlite.ts'
import { clearProxyEnvironment, startFetching } from '../../http/outbound/outbound.ts'
import type { Settings } from '../settings/settings.ts'
import { failure, type Finding, messageOf } from './finding.ts'
import { checkBackup, checkDisk, checkFolder, checkSchema, checkSecrets } from './folder-checks.ts'
import { checkBreachedPasswords, checkDescriptors, checkPort, checkSettings, checkTls } from './machine-checks.ts'
import { checkBucket, checkMail, checkNetwork, type Endpoint, endpointsOf } from './network-checks.ts'

const maxSources = 50

/**
 * `nines doctor`: checks everything that nines needs, beside a running server or without one, and changes nothing. Exit code 1
 * if something is wrong that keeps it from working.
 */
export async function doctor({ json }: { json: boolean }, settings: Settings): Promise<number> {
  const config = readConfig(settings.env)
  assertSqliteLoads()
  clearProxyEnvironment(process.env)
  await startFetching()
  const findings = await examine(config, settings)
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : `${findings.map(line).join('\n')}\n`)
  return findings.some(({ level }) => level === 'error') ? 1 : 0
}

async function examine(config: Config, settings: Settings): Promise<Finding[]> {
  const dataDir = resolve(config.dataDir)
  const { outbound } = openOutbound(config)
  const endpoints = [...endpointsOf(config), ...storedSources(dataDir)]
  const checks: [name: Finding['check'], run: () => Finding[] | Promise<Finding[]>][] = [
    ['settings', () => checkSettings(settings)],
    ['data_folder', () => checkFolder(dataDir)],
    ['secrets', () => checkSecrets(dataDir)],
    ['disk', () => checkDisk(dataDir)],
    ['database', () => checkSchema(dataDir)],
    ['backup', () => checkBackup(config, dataDir, systemClock.now())],
    ['backup', () => checkBucket(openBucket(config, { outbound, clock: systemClock }))],
    ['port', () => checkPort(config)],
    ['certificates', () => checkTls(config, systemClock.now())],
    ['passwords', () => checkBreachedPasswords(config)],
    ['descriptors', () => checkDescriptors()],
    ['sources', () => checkNetwork({ endpoints, outbound, clock: systemClock })],
    ['mail', () => checkMail(config)],
  ]
  const found = await Promise.all(checks.map(([name, run]) => attempt(name, run)))
  return found.flat()
}

/** Runs a check. Its failure is a finding, so that the others are not lost. */
async function attempt(name: Finding['check'], run: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    return [failure(name, `cannot be checked: ${messageOf(error)}`, 'run this as the user who runs nines')]
  }
}

/** Active sources of all organizations; none if the database cannot be read, which is another finding. */
function storedSources(dataDir: string): Endpoint[] {
  const path = join(dataDir, 'nines.db')
  if (!existsSync(path)) return []
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      const rows = db.prepare<[number], Row>(selectSources).all(maxSources)
      return rows.map(({ id, api_url: url, has_credentials: has }) => ({
        name: `the source with id ${id}`,
        url,
        isSource: true,
        isFromSettings: false,
        hasCredentials: has === 1,
      }))
    } finally {
      db.close()
    }
  } catch {
    return []
  }
}

type Row = { id: number; api_url: string; has_credentials: number }

const selectSources = `
select id, api_url, sealed_auth is not null as has_credentials from data_sources
where is_active = 1 and api_url like 'http%' order by id limit ?`

function line({ check, level, message, advice }: Finding): string {
  const head = `${level.padEnd(8)} ${check.padEnd(12)} ${message}`
  return advice === null ? head : `${head}\n${' '.repeat(22)}→ ${advice}`
}
