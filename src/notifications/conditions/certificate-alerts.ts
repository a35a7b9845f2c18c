import {
  type CertificateStage,
  maxStageDays,
  daySeconds,
  stageBeginsAt,
  stageOf,
  type UsedCertificate,
} from '../../certificate.ts'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import { getZone } from '../../db/organization-zones.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { conditionAlertName, readAlertName } from '../alerts/alert-name.ts'
import {
  endAlerts,
  insertAlerts,
  listLastNotified,
  listSentFor,
  ruleOfSlo,
  setReason,
  setSeverity,
} from '../alerts/alert-store.ts'
import { isNotified, isWithinInterval } from '../alerts/notify-alerts.ts'
import type { CertificateData } from '../notification-data.ts'
import { type Draft, queueNotifications } from '../outbox-store.ts'
import { certificateTitle, userWords } from '../templates/certificate-templates.ts'
import {
  certificateCondition,
  conditionDraft,
  draftConditionRecoveries,
  type DraftOptions,
  recipientOf,
} from './condition-draft.ts'
import { findLastData, listConditionRules, listOpenCertificates } from './condition-store.ts'

/** `previous`: fingerprint of the certificate that was replaced; times in Unix seconds. */
type Replacement = { previous: string; replacedAt: number; expiresAt: number }

type Deps = {
  db: Database
  clock: Clock
  publicUrl: () => string
  /** Certificates in use that expire by `expiresBy`, in Unix seconds, or have one of these fingerprints. */
  listUsed: (db: Db, selection: { expiresBy: number; fingerprints: readonly string[] }) => Promise<UsedCertificate[]>
  /** Certificates that replaced those with these fingerprints, the newest first. */
  listReplacements: (db: Db, organizationId: number, fingerprints: readonly string[]) => Promise<Replacement[]>
  /** Called after the commit. */
  onQueued: () => void
}

/**
 * Notifies each organization of certificates that its probes, sources and channels use and that expire soon. Call it every
 * minute. A certificate is one alert, whatever uses it: its first stage begins 21 days before the expiry, the others at 7 days and at 1 day, and it
 * ends when nothing uses the certificate any more. Every rule for conditions notifies once at each stage. The decision is
 * based on what is stored, so that a restart or a kill neither loses nor repeats a notification.
 */
export function createCertificateNotifier(deps: Deps): { run(): Promise<void> } {
  const { db, clock, onQueued } = deps

  async function stateOf(trx: Db, organizationId?: number): Promise<State[]> {
    const nowSeconds = Math.floor(clock.now() / 1000)
    const open = await listOpenCertificates(trx, organizationId)
    const fingerprints = open.map(fingerprintOf)
    const used = await deps.listUsed(trx, { expiresBy: nowSeconds + maxStageDays * daySeconds, fingerprints })
    const byOrganization = new Map<number, State>()
    const stateFor = (id: number) =>
      byOrganization.getOrInsertComputed(id, () => ({ organizationId: id, open: [], expiring: new Map() }))
    for (const alert of open) stateFor(alert.organization_id).open.push(alert)
    for (const one of used) {
      if (organizationId !== undefined && one.organizationId !== organizationId) continue
      const { open: alerts, expiring } = stateFor(one.organizationId)
      const isOpen = alerts.some((alert) => fingerprintOf(alert) === one.fingerprint)
      const stage = stageOf(one, nowSeconds) ?? (isOpen ? maxStageDays : null) // a clock that was set back ends nothing
      if (stage === null) continue
      expiring.set(one.fingerprint, { ...one, stage, isExpired: one.expiresAt <= nowSeconds })
    }
    return [...byOrganization.values()]
  }

  async function follow(state: State): Promise<boolean> {
    if (!(await isDue(deps, db.read, state))) return false
    return db.write.transaction().execute(async (trx) => {
      const [current] = await stateOf(trx, state.organizationId)
      const drafts = current ? await followCertificates(deps, trx, current) : []
      const queued = await queueNotifications(trx, drafts, clock.now())
      return queued.length > 0
    })
  }

  return {
    async run() {
      let isQueued = false
      for (const state of await stateOf(db.read)) isQueued = (await follow(state)) || isQueued
      if (isQueued) onQueued()
    },
  }
}

type Expiring = UsedCertificate & { stage: CertificateStage; isExpired: boolean }

/** Open alerts of an organization, and its certificates that expire soon, by fingerprint. */
type State = { organizationId: number; open: AlertRow[]; expiring: Map<string, Expiring> }

/** Time within which a replaced certificate is expected again: behind a load balancer, some servers have it longer. */
const returnSeconds = 600

/** Differences between the alerts and the certificates. `alertsToEnd`: those of certificates that nothing uses any more. */
async function differencesOf(deps: Deps, db: Db, { organizationId, open, expiring }: State) {
  const known = new Set(open.map(fingerprintOf))
  const newCertificates = [...expiring.values()].filter(({ fingerprint }) => !known.has(fingerprint))
  const gone = open.filter((alert) => !expiring.has(fingerprintOf(alert)))
  const replacements = gone.length === 0 ? [] : await deps.listReplacements(db, organizationId, gone.map(fingerprintOf))
  const replacementOf = (alert: AlertRow) => replacements.find(({ previous }) => previous === fingerprintOf(alert))
  const returnCutoff = deps.clock.now() / 1000 - returnSeconds
  const alertsToEnd = gone
    .map((alert) => ({ alert, replacement: replacementOf(alert) ?? null }))
    .filter(({ replacement }) => replacement === null || replacement.replacedAt <= returnCutoff)
  const alertsToChange = open.flatMap((alert) => {
    const one = expiring.get(fingerprintOf(alert))
    if (!one) return []
    const isRisen = alert.severity !== severityOf(one.stage) || isAcknowledgedBefore(alert, one)
    return isRisen || alert.reason !== reasonOf(one) ? [{ alert, one, isRisen }] : []
  })
  return { newCertificates, alertsToEnd, alertsToChange }
}

async function isDue(deps: Deps, db: Db, state: State): Promise<boolean> {
  const { newCertificates, alertsToEnd, alertsToChange } = await differencesOf(deps, db, state)
  if (newCertificates.length + alertsToEnd.length + alertsToChange.length > 0) return true
  return (await draftStages(db, state, await optionsOf(deps, db, state))).length > 0
}

async function optionsOf({ publicUrl, clock }: Deps, db: Db, { organizationId }: State): Promise<DraftOptions> {
  return { publicUrl: publicUrl(), zone: await getZone(db, organizationId), nowMs: clock.now() }
}

/** Opens, raises and ends alerts, and returns the notifications to queue. */
async function followCertificates(deps: Deps, trx: Db, state: State): Promise<Draft[]> {
  const { organizationId } = state
  const options = await optionsOf(deps, trx, state)
  const nowSeconds = Math.floor(options.nowMs / 1000)
  const { newCertificates, alertsToEnd, alertsToChange } = await differencesOf(deps, trx, state)
  for (const { alert, one, isRisen } of alertsToChange) {
    if (alert.reason !== reasonOf(one)) await setReason(trx, alert.id, reasonOf(one))
    if (isRisen) await setSeverity(trx, [alert.id], severityOf(one.stage))
  }
  if (newCertificates.length > 0) {
    await insertAlerts(
      trx,
      newCertificates.map((one) => ({
        organization_id: organizationId,
        slo_id: null,
        name: alertNameOf(one.fingerprint),
        severity: severityOf(one.stage),
        began_at: nowSeconds,
        reason: reasonOf(one),
      })),
    )
  }
  const ended = alertsToEnd.map(({ alert, replacement }) => ({
    alert: { ...alert, ended_at: Math.max(nowSeconds, alert.began_at) },
    replacement,
  }))
  for (const { alert } of ended) await endAlerts(trx, [alert.id], alert.ended_at)
  const open = await listOpenCertificates(trx, organizationId)
  return [
    ...(await draftStages(trx, { ...state, open }, options)),
    ...(await draftEnds(trx, ended, organizationId, options)),
  ]
}

/** Drafts a notification for each open, unacknowledged alert and each rule that has not notified of the stage of its certificate. */
async function draftStages(trx: Db, state: State, options: DraftOptions): Promise<Draft[]> {
  const { nowMs } = options
  const pairs = state.open.flatMap((alert) => {
    const one = state.expiring.get(fingerprintOf(alert))
    return one && alert.acknowledged_at === null ? [{ alert, one }] : []
  })
  if (pairs.length === 0) return []
  const rules = await listConditionRules(trx, state.organizationId)
  if (rules.length === 0) return []
  const sent = await listSentFor(trx, { alertIds: pairs.map(({ alert }) => alert.id), incidentIds: [] })
  const last = await listLastNotified(
    trx,
    rules.map(({ rule }) => rule),
    nowMs,
  )
  return pairs.flatMap(({ alert, one }) =>
    rules.flatMap((recipient): Draft[] => {
      const { rule } = recipient
      const isOfStage = (createdMs: number) => createdMs / 1000 >= stageBeginsAt(one, one.stage)
      const isKnown = sent.some(
        (row) =>
          row.alert_id === alert.id && row.rule_id === rule.id && isOfStage(row.created_at) && isNotified(row, nowMs),
      )
      if (isKnown || isWithinInterval(rule, last.get(ruleOfSlo(rule.id, null)), nowMs)) return []
      const about = {
        alert,
        message: reasonOf(one),
        advice: 'renew it, and have its server load the new one',
        certificate: dataOf(one),
      }
      const priority = rule.priority === 'auto' ? priorities[one.stage] : rule.priority
      return [conditionDraft({ ...recipientOf(recipient), priority }, about, options)]
    }),
  )
}

type Ended = { alert: AlertRow; replacement: Replacement | null }

/** Drafts the ends of alerts: one for every channel that was notified. */
async function draftEnds(trx: Db, ended: Ended[], organizationId: number, options: DraftOptions): Promise<Draft[]> {
  const sent = await listSentFor(trx, { alertIds: ended.map(({ alert }) => alert.id), incidentIds: [] })
  const certificates = new Map<number, CertificateData>()
  for (const { alert, replacement } of ended) {
    const last = (await findLastData(trx, alert.id, 'alert'))?.certificate
    const valid_until = replacement && isoTime(replacement.expiresAt * 1000)
    if (last) certificates.set(alert.id, { ...last, end: { is_renewed: replacement !== null, valid_until } })
  }
  const alerts = ended.map(({ alert }) => alert)
  return draftConditionRecoveries({ ended: alerts, sent, certificates }, organizationId, options)
}

const priorities = { 21: 'medium', 7: 'high', 1: 'critical' } as const satisfies Record<CertificateStage, string>

function severityOf(stage: CertificateStage): 'warning' | 'critical' {
  return stage === maxStageDays ? 'warning' : 'critical'
}

/** True if an acknowledgement is from an earlier stage: it does not hold for the present one. */
function isAcknowledgedBefore({ acknowledged_at }: AlertRow, one: Expiring): boolean {
  return acknowledged_at !== null && acknowledged_at < stageBeginsAt(one, one.stage)
}

/** Sentence that stays true until the expiry: it says when the certificate expires, not how many days are left. */
function reasonOf(one: Expiring): string {
  const at = isoTime(one.expiresAt * 1000)
    .slice(0, 16)
    .replace('T', ' ')
  const data = dataOf(one)
  return `the certificate of ${certificateTitle(data)}, used by ${userWords(data)}, ${one.isExpired ? 'expired' : 'expires'} on ${at} UTC`
}

function dataOf({ names, issuer, server, fingerprint, expiresAt, usedBy }: UsedCertificate): CertificateData {
  return { names, issuer, server, fingerprint, expires_at: isoTime(expiresAt * 1000), used_by: usedBy, end: null }
}

function alertNameOf(fingerprint: string): string {
  return conditionAlertName(`${certificateCondition}:${fingerprint}`)
}

function fingerprintOf({ name }: Pick<AlertRow, 'name'>): string {
  const parsedName = readAlertName(name)
  return parsedName.kind === 'condition' ? parsedName.detail : ''
}
