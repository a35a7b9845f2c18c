import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { ListKind, Priority } from '../../db/tables/tables.ts'
import { isUrgent } from '../alerts/alert-name.ts'
import { isIncidentTool } from '../alerts/draft-recoveries.ts'
import { channelTypes } from '../channels/index.ts'
import { listOf } from '../delivery/attempt.ts'
import type { IncidentList, ListData, ListedIncident, SloData } from '../notification-data.ts'
import { type Draft, type IncidentHeader, queueNotifications } from '../outbox-store.ts'
import { listTexts } from '../templates/list-texts.ts'
import {
  countSingleMessages,
  countStillFailing,
  findGathering,
  listMembers,
  listFinishedLists,
  putListMembers,
  updateList,
} from './storm-store.ts'

type Deps = { clock: Clock; publicUrl: () => string }

/** Number of messages about single incidents that a channel gets within `burstMs`; later ones are gathered into lists. */
const maxSingle = 8
const burstMs = 120_000

/** Time for which a list gathers incidents before it is sent. */
const gatherMs = 30_000

/** Draft of a message about one incident. */
type IncidentDraft = Draft & { incident: IncidentHeader; alert_id: number; data: SloData }

/**
 * Queues notifications. Of the messages about incidents the first 8 of a channel within two minutes are sent at once, openings and
 * ends counted separately; later ones are gathered for 30 s into lists. The decision uses stored rows alone, in the transaction of
 * the evaluations. An incident that a list names counts as notified.
 */
export async function queueWithLists(deps: Deps, trx: Db, drafts: Draft[]): Promise<void> {
  const nowMs = deps.clock.now()
  const gathered = await selectGathered(trx, drafts, nowMs)
  const gatheredSet = new Set<Draft>(gathered)
  const single = drafts.filter((draft) => !gatheredSet.has(draft))
  await queueNotifications(trx, single, nowMs)
  const lists = Map.groupBy(gathered, (draft) => `${draft.channel_id} ${kindOf(draft)}`)
  for (const draftsOfList of lists.values()) await addToList(deps, trx, draftsOfList)
}

/**
 * Selects the messages to gather: those beyond the limit, where urgent ones take the slots first. Recoveries for incident tools are
 * not gathered, because each closes one incident there.
 */
async function selectGathered(trx: Db, drafts: Draft[], nowMs: number): Promise<IncidentDraft[]> {
  const aboutIncidents = drafts.filter(isAboutIncident)
  const groups = Map.groupBy(aboutIncidents, ({ channel_id, event }) => `${channel_id} ${event}`)
  const channelIds = [...new Set(aboutIncidents.map(({ channel_id }) => channel_id))]
  const counts =
    aboutIncidents.length > 0 ? await countSingleMessages(trx, channelIds, nowMs - burstMs, nowMs) : new Map()
  return [...groups].flatMap(([key, group]) => {
    const remaining = Math.max(0, maxSingle - (counts.get(key) ?? 0))
    return group.toSorted((one, other) => Number(isMinor(one)) - Number(isMinor(other))).slice(remaining)
  })
}

function isAboutIncident(draft: Draft): draft is IncidentDraft {
  const { incident, status, event, channel_type, alert_id, data } = draft
  if (!incident || status !== 'pending' || alert_id === null || !('incident' in data)) return false
  return event === 'alert' || !isIncidentTool(channel_type)
}

function isMinor({ data }: IncidentDraft): boolean {
  return !isUrgent({ severity: data.alert?.severity ?? null })
}

/** Kind of the list that a message belongs to. `not_known`: the incident was closed, but is not known to have recovered. */
function kindOf(draft: IncidentDraft): ListKind {
  if (draft.event === 'recovery') return draft.data.incident?.is_up ? 'recovered' : 'not_known'
  return isMinor(draft) ? 'warning' : 'critical'
}

/** Adds incidents to the list of a channel that still gathers, or begins one. */
async function addToList(deps: Deps, trx: Db, drafts: IncidentDraft[]): Promise<void> {
  const [first] = drafts
  if (!first) return
  const nowMs = deps.clock.now()
  const kind = kindOf(first)
  const { channel_id: channelId, organization_id: organizationId } = first
  const sloIds = drafts.flatMap(({ slo_id }) => slo_id ?? [])
  const row = await findGathering(trx, { channelId, kind, sloIds, nowMs })
  const previousList = row && listOf(row)
  const list: IncidentList = {
    key: previousList?.key ?? Bun.randomUUIDv7(),
    kind,
    link: `${deps.publicUrl()}/incidents`,
    opening_id: null,
    still_failing: kind === 'recovered' ? await countStillFailing(trx, organizationId, channelId) : null,
    incidents: withoutDuplicates([...(previousList?.incidents ?? []), ...drafts.map(listedOf)]),
  }
  const all = [...(row ? [row] : []), ...drafts]
  const priority = highestPriority(all.map((one) => one.priority))
  const max_retries = Math.max(...all.map((one) => one.max_retries))
  const content = { ...listTexts(list), priority, max_retries }
  if (row)
    await updateList(trx, row, { ...content, metadata: JSON.stringify({ alert: null, list } satisfies ListData) })
  const [listRow] = row ? [row] : await queueNotifications(trx, [draftOfList(first, list, content, gatherMs)], nowMs)
  if (!listRow) throw new Error('must be a row for the draft')
  const members = drafts.map(({ incident, alert_id, rule_id }) => {
    return { incidentId: incident.id, alertId: alert_id, ruleId: rule_id, relapse: incident.relapse }
  })
  await putListMembers(trx, listRow.id, kind, members)
}

type Content = Pick<Draft, 'subject' | 'message' | 'priority' | 'max_retries'>
type Recipient = Pick<Draft, 'organization_id' | 'channel_id' | 'channel_type' | 'event' | 'alert_type'>

function draftOfList(to: Recipient, list: IncidentList, content: Content, waitMs: number): Draft {
  const { organization_id, channel_id, channel_type, event, alert_type } = to
  const about = { slo_id: null, rule_id: null, alert_id: null, data: { alert: null, list } }
  return {
    organization_id,
    channel_id,
    channel_type,
    event,
    alert_type,
    ...about,
    ...content,
    status: 'pending',
    waitMs,
  }
}

function listedOf({ slo_id, data, incident: { id } }: IncidentDraft): ListedIncident {
  const { event = 'opened', severity = 'warning', began_at = '', recovered_at = null } = data.incident ?? {}
  const is_down = Boolean(data.alert?.outage)
  return { id, event, severity, began_at, recovered_at, slo_id: slo_id ?? 0, slo_name: data.slo_name, is_down }
}

/** Each incident once: its last entry, with the event of its first. */
function withoutDuplicates(incidents: ListedIncident[]): ListedIncident[] {
  const firstEvents = new Map(incidents.toReversed().map(({ id, event }) => [id, event]))
  const latest = new Map(incidents.map((one) => [one.id, one]))
  return [...latest.values()].map((one) => ({ ...one, event: firstEvents.get(one.id) ?? one.event }))
}

const priorities: readonly Priority[] = ['low', 'medium', 'high', 'critical']

function highestPriority(candidates: Priority[]): Priority {
  return priorities[Math.max(...candidates.map((one) => priorities.indexOf(one)))] ?? 'medium'
}

const incidentTools = Object.keys(channelTypes).filter(isIncidentTool)

/**
 * Queues the recoveries of lists for incident tools, where a list is one incident, once all incidents of the list have ended.
 * `recovered`: incidents that have just recovered or were closed.
 */
export async function queueListEnds(deps: Deps, trx: Db, recovered: number[]): Promise<void> {
  if (recovered.length === 0) return
  const nowMs = deps.clock.now()
  for (const opening of await listFinishedLists(trx, recovered, incidentTools)) {
    const opened = listOf(opening)
    if (!opened) continue
    const list: IncidentList = { ...opened, kind: 'recovered', opening_id: opening.id, still_failing: 0 }
    const { priority, max_retries } = opening
    const to = { ...opening, event: 'recovery', alert_type: 'recovery' } as const
    const [ending] = await queueNotifications(
      trx,
      [draftOfList(to, list, { ...listTexts(list), priority, max_retries }, 0)],
      nowMs,
    )
    if (ending) await putListMembers(trx, ending.id, list.kind, await listMembers(trx, opening.id))
  }
}
