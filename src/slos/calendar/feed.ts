import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import type { CorrectionCategory, CorrectionRow } from '../../db/tables/tables.ts'
import { nextOccurrence, readRecurrence, ruleText } from '../corrections/recurrence.ts'
import { ruleOf } from '../corrections/matching.ts'
import { parseLabels } from '../labels.ts'
import { escapeText, foldedLines, localTime, timeZoneLines, utcTime } from './ical.ts'

/** Maximum of corrections in a feed; older ones are left out. */
export const maxEvents = 500
/** Days for which an event stays in the feed after its end. */
export const pastDays = 90

const maxNamed = 10
const daySeconds = 86_400
const zoneYears = 2 // ahead, for which a feed lists the changes of a zone's offset

/** Names that events need. `slos`: by id, without those that are deleted. */
export type FeedNames = { organization: string; slos: ReadonlyMap<number, string>; teams: ReadonlyMap<number, string> }

type Feed = {
  corrections: readonly CorrectionRow[]
  names: FeedNames
  nowMs: number
  instanceId: string
  pageUrl: string
}

const categoryTexts: Record<CorrectionCategory, string> = {
  planned_maintenance: 'Planned maintenance',
  outside_service_hours: 'Outside service hours',
  incident_elsewhere: 'Incident elsewhere',
  bad_data: 'Wrong data',
  other: 'Other correction',
}

/**
 * iCalendar object (RFC 5545) with an event for each correction that was made before its end. A recurring correction stays one
 * event with a rule. Its DTSTART is its first occurrence, since RFC 5545 counts DTSTART as the first one.
 */
export function* feedOf({ corrections, names, nowMs, instanceId, pageUrl }: Feed): CooperativeTask<string> {
  const firstUseOfZone = new Map<string, number>()
  let events = ''
  for (const correction of corrections) {
    yield
    const times = timesOf(correction, nowMs)
    if (times === null) continue
    const { zone, startSeconds } = times
    if (zone !== null) firstUseOfZone.set(zone, Math.min(startSeconds, firstUseOfZone.get(zone) ?? Infinity))
    events += foldedLines([
      'BEGIN:VEVENT',
      `UID:correction-${correction.id}@${instanceId}`,
      `DTSTAMP:${utcTime(Math.floor(correction.updated_at / 1000))}`,
      ...times.lines,
      ...textLines(correction, names),
      `URL:${pageUrl}`,
      'STATUS:CONFIRMED',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ])
  }
  const horizonSeconds = Date.UTC(new Date(nowMs).getUTCFullYear() + zoneYears, 0, 1) / 1000
  let zones = ''
  for (const [zone, seconds] of firstUseOfZone) {
    yield
    zones += foldedLines(timeZoneLines(zone, seconds, horizonSeconds))
  }
  const name = escapeText(`Corrections of ${names.organization}`)
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//nines//Corrections//EN',
    'CALSCALE:GREGORIAN',
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
  ]
  return `${foldedLines(head)}${zones}${events}END:VCALENDAR\r\n`
}

/** `zone`: zone that the lines name; null: none. */
type EventTimes = { lines: string[]; startSeconds: number; zone: string | null }

/** Times of a correction; null: no moment of it lies after the begin of the feed and after the correction was made. */
function timesOf(correction: CorrectionRow, nowMs: number): EventTimes | null {
  const sinceSeconds = Math.floor(Math.max(nowMs / 1000 - daySeconds * pastDays, correction.created_at / 1000))
  const rule = ruleOf(correction)
  if ('service' in rule) return null
  if (!('recurring' in rule)) {
    const lines = [`DTSTART:${utcTime(rule.from)}`, `DTEND:${utcTime(rule.to)}`]
    return rule.to > sinceSeconds ? { lines, startSeconds: rule.from, zone: null } : null
  }
  const { recurring } = rule
  const recurrence = readRecurrence(recurring.rrule)
  const first = nextOccurrence(recurring, recurring.fromSeconds - daySeconds)
  if (typeof recurrence === 'string' || first === null || nextOccurrence(recurring, sinceSeconds) === null) return null
  const { zone, durationSeconds } = recurring
  const isUtc = zone === 'UTC'
  const begin = isUtc ? `:${utcTime(first.startSeconds)}` : `;TZID=${zone}:${localTime(first.startSeconds, zone)}`
  const lines = [`DTSTART${begin}`, `DURATION:PT${durationSeconds}S`, `RRULE:${ruleText(recurrence, zone)}`]
  return { lines, startSeconds: first.startSeconds, zone: isUtc ? null : zone }
}

function textLines({ category, text, ...covering }: CorrectionRow, names: FeedNames): string[] {
  const reason = categoryTexts[category]
  const [firstLine = ''] = text.trim().split(/\r?\n/)
  const covered = `Not counted: ${coveredText(covering, names)}`
  return [
    `SUMMARY:${escapeText(firstLine === '' ? reason : `${reason}: ${firstLine}`)}`,
    `DESCRIPTION:${escapeText(text.trim() === '' ? covered : `${text.trim()}\n\n${covered}`)}`,
    `CATEGORIES:${escapeText(reason)}`,
  ]
}

type Covering = Pick<CorrectionRow, 'slo_ids' | 'team_id' | 'labels'>

/** Ids of the SLOs that an event names. */
export function namedIds({ slo_ids }: Pick<CorrectionRow, 'slo_ids'>): number[] {
  return slo_ids === null ? [] : idsOf(slo_ids).slice(0, maxNamed)
}

const idsOf = (ids: string): number[] => JSON.parse(ids)

function coveredText({ slo_ids, team_id, labels }: Covering, { slos, teams }: FeedNames): string {
  if (slo_ids !== null) {
    const named = namedIds({ slo_ids }).map((id) => slos.get(id) ?? `SLO ${id}`)
    const others = idsOf(slo_ids).length - named.length
    return others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ')
  }
  if (labels !== null) {
    const pairs = Object.entries(parseLabels({ labels })).map(([name, value]) => `${name}=${value}`)
    return `SLOs with ${pairs.join(', ')}`
  }
  return `SLOs of team ${teams.get(team_id ?? 0) ?? team_id}`
}
