import type { IncidentList, ListedIncident } from '../notification-data.ts'
import { asParagraphs } from './lines.ts'
import { formatCount } from './template-data.ts'
import { cutToLimits } from './templates.ts'

/** Space for the names of a list within the limit of a message. */
const maxNamesCharacters = 19_000

/** Space for names in the subject. */
const maxFirstNamesCharacters = 100

/**
 * Texts of a list of incidents. The subject has the number of SLOs, their state and the first names. The message has a link to the
 * incidents and the names of all SLOs. The link comes first, because a receiver may cut the end.
 */
export function listTexts(list: IncidentList): { subject: string; message: string } {
  const names = list.incidents.map(({ slo_name }) => slo_name)
  const first = joined(names, maxFirstNamesCharacters, '…')
  const all = joined(names, maxNamesCharacters, 'more')
  return cutToLimits({
    subject: `${headline(list)}${first === '' ? '' : `: ${first}`}`,
    message: asParagraphs([[`Incidents ${list.link}`], [all]]),
  })
}

function headline({ kind, incidents, still_failing }: IncidentList): string {
  const count = incidents.length
  const slos = `${formatCount(count)} ${kind === 'critical' || kind === 'warning' ? 'more ' : ''}${noun(count)}`
  const verb = count === 1 ? 'is' : 'are'
  if (kind === 'not_known') return `${slos} ${verb} not known to be up: not evaluated now`
  if (kind !== 'recovered') return `${slos} ${verb} ${failing(incidents, kind)}`
  const stillFailing = still_failing ?? 0
  if (stillFailing === 0) return `${slos} ${verb} up again`
  return `${formatCount(count)} of ${formatCount(count + stillFailing)} SLOs are up again`
}

function noun(count: number): string {
  return count === 1 ? 'SLO' : 'SLOs'
}

function failing(incidents: ListedIncident[], kind: 'critical' | 'warning'): string {
  const down = incidents.filter(({ is_down }) => is_down).length
  const burning = kind === 'critical' ? 'burning fast' : 'burning'
  if (down === incidents.length) return 'down'
  return down === 0 ? burning : `down or ${burning}`
}

/** As many names as fit, in one line. `rest`: the others are marked by `…`, or by `and N more`. */
function joined(names: string[], maxLength: number, rest: 'more' | '…'): string {
  let length = 0
  const fitting = names.findIndex((name) => (length += name.length + 2) > maxLength)
  if (fitting < 0) return names.join(', ')
  const left = rest === '…' ? ' …' : ` and ${formatCount(names.length - fitting)} more`
  return `${names.slice(0, fitting).join(', ')}${left}`
}
