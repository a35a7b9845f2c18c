import { htmlText } from '../http/page.ts'
import { cleanLines, visibleLine } from '../mail.ts'
import { formatCount, spellDuration, spellWindow } from '../notifications/templates/template-data.ts'
import { reportStyle } from './html-style.ts'
import type { ReportData, ReportedDeploy, ReportedIncident, ReportedSlo } from './report.ts'
import { budgetText, changeText, failedText, leftText, reportTimes, shareText, sliText, verdict } from './texts.ts'

/**
 * Renders a report as one HTML file without script and without anything to load, in pieces. Every text of a user is escaped and made
 * one visible line, accounts keep their line breaks; links are http and https only.
 */
export function* renderHtml(data: ReportData): Generator<string> {
  const times = reportTimes(data.time_zone)
  const title = `${line(data.name)}: ${line(data.title)}`
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
<header>
<div><p class="over">${line(data.name)}</p><h1>${line(data.title)}</h1></div>
<p class="meta">${line(data.organization)} · ${line(data.scope.text)}<br>${times.span(data)}<br>${line(data.time_zone)}</p>
</header>
<p class="lead">${verdict(data)}</p>
${tiles(data)}
`
  yield* sloTable(data)
  yield* periodTable(data)
  yield* incidentTable(data, times.minute)
  yield* deployTable(data, times.minute)
  yield* changeTable(data, times.minute)
  yield `<footer>${method(data, times)}</footer>
</main>
</body>
</html>
`
}

type FormatTime = (iso: string) => string

function tiles({ summary }: ReportData): string {
  const { met, missed, slo_count, incident_count, incident_seconds, deploy_count, min_coverage } = summary
  const known = met + missed
  const list: [tone: string, value: string, label: string][] = [
    [missed > 0 ? 'bad' : 'good', known === 0 ? '–' : `${met} / ${known}`, 'SLOs met their target'],
    [
      '',
      formatCount(incident_count),
      incident_count === 0 ? 'incidents' : `incidents, ${spellDuration(incident_seconds)}`,
    ],
    ['', formatCount(deploy_count), deploy_count === 1 ? 'deploy or change' : 'deploys and changes'],
    ['', min_coverage === null ? '–' : shareText(min_coverage), slo_count === 1 ? 'measured' : 'measured at least'],
  ]
  const items = list.map(([tone, value, label]) => `<li class="${tone}"><b>${value}</b><span>${label}</span></li>`)
  return `<ul class="tiles">${items.join('')}</ul>`
}

function* table(title: string, heads: [head: string, isNumber?: boolean][], rows: Iterable<string>): Generator<string> {
  const cells = heads.map(([head, isNumber]) => `<th scope="col"${isNumber ? ' class="n"' : ''}>${head}</th>`)
  yield `<h2>${title}</h2>\n<table>\n<thead><tr>${cells.join('')}</tr></thead>\n<tbody>\n`
  yield* rows
  yield '</tbody>\n</table>\n'
}

function* sloTable({ slos, summary }: ReportData): Generator<string> {
  if (slos.length === 0) return
  const heads: [string, boolean?][] = [
    ['SLO'],
    ['Result'],
    ['SLI', true],
    ['Target', true],
    ['Budget used', true],
    ['Failed of allowed', true],
    ['Incidents', true],
    ['Measured', true],
  ]
  yield* table('Objectives', heads, slos.values().map(sloRow))
  if (summary.slo_count > slos.length) yield note(`The first ${slos.length} of ${formatCount(summary.slo_count)} SLOs.`)
}

function sloRow(slo: ReportedSlo): string {
  const { own, alerts } = slo
  const alertCount = alerts.page + alerts.ticket + alerts.other
  const word = slo.met === null ? ['none', 'Not known'] : slo.met ? ['ok', 'Met'] : ['crit', 'Missed']
  const used = slo.budget_used_percent
  const width = used === null ? 0 : Math.round(Math.min(100, Math.max(0, used)))
  const bar =
    used === null ? '' : `<span class="bar"><i class="${used > 100 ? 'full' : ''}" style="width:${width}%"></i></span>`
  const ownText = `Over ${spellWindow(own.time_window)}: ${sliText(own.sli)}${leftText(own.budget_left_percent)}`
  const { excluded } = slo
  const excludedText =
    excluded === null
      ? ''
      : `<span class="sub">${shareText(excluded.share)} does not count, ${sliText(excluded.sli_without)} with it</span>`
  const resolution = slo.resolution === '1m' ? '' : `<span class="sub">cut at ${slo.resolution}</span>`
  const alertText =
    alertCount === 0
      ? ''
      : `<span class="sub">${formatCount(alertCount)} ${alertCount === 1 ? 'alert' : 'alerts'}</span>`
  const owner = slo.owner === '' ? '' : `<span class="sub">${line(slo.owner)}</span>`
  return row([
    ['name', 'SLO', `${line(slo.name)}${owner}<span class="sub">${ownText}</span>${excludedText}`],
    ['', 'Result', `<span class="word ${word[0]}">${word[1]}</span>`],
    ['n', 'SLI', sliText(slo.sli)],
    ['n', 'Target', `${slo.target} %`],
    ['n', 'Budget used', `<span>${budgetText(used)}${bar}</span>`],
    ['n', 'Failed of allowed', `<span>${failedText(slo)}</span>`],
    ['n', 'Incidents', `<span>${formatCount(slo.incident_count)}${alertText}</span>`],
    ['n', 'Measured', `<span>${shareText(slo.coverage)}${resolution}</span>`],
  ])
}

/** Periods of the SLOs' own calendar windows, such as the weeks of a month, except those equal to the period of the report. */
function* periodTable(data: ReportData): Generator<string> {
  const withPeriods = data.slos.flatMap((slo) => {
    const others = slo.periods.filter(({ starts_at, ends_at }) => {
      return starts_at !== data.starts_at || ends_at !== data.ends_at
    })
    return others.length === 0 ? [] : [{ name: slo.name, periods: others }]
  })
  if (withPeriods.length === 0) return
  const rows = withPeriods.values().map(({ name, periods }) => {
    const chips = periods.map(({ starts_at, time_zone, met, sli, time_window }) => {
      const tone = met === null ? '' : met ? 'ok' : 'crit'
      const word = met === null ? 'not known' : met ? 'met' : 'missed'
      const from = reportTimes(time_zone).day(starts_at)
      return `<span class="chip ${tone}">${time_window} from ${from}: ${word}, ${sliText(sli)}</span>`
    })
    return row([
      ['name', 'SLO', line(name)],
      ['wide', 'Periods', `<span class="chips">${chips.join('')}</span>`],
    ])
  })
  yield* table('Periods that ended', [['SLO'], ['Periods']], rows)
}

function* incidentTable({ incidents, summary }: ReportData, formatTime: FormatTime): Generator<string> {
  if (incidents.length === 0) return yield '<h2>Incidents</h2>\n<p class="none">None.</p>\n'
  const heads: [string, boolean?][] = [
    ['SLO'],
    ['Began'],
    ['Lasted', true],
    ['Budget used', true],
    ['Cause and account'],
  ]
  yield* table(
    'Incidents',
    heads,
    incidents.values().map((one) => incidentRow(one, formatTime)),
  )
  if (summary.incident_count > incidents.length)
    yield note(`The ${incidents.length} that used most budget, of ${formatCount(summary.incident_count)}.`)
}

function incidentRow(one: ReportedIncident, formatTime: FormatTime): string {
  const { account, deploy } = one
  const lasted = `${spellDuration(one.duration_seconds)}${one.ended_at === null ? '<span class="sub">still failing</span>' : ''}`
  const cause = [
    one.cause === null ? '' : line(one.cause),
    deploy === null ? '' : `${spellDuration(deploy.seconds_before)} after ${link(deploy.url, deploy.title)}`,
  ].filter((part) => part !== '')
  const accountHtml = account
    ? `<div class="account">${htmlText(cleanLines(account.text, visibleLine))}${account.is_cut ? '…' : ''}${account.url === '' ? '' : `\n${link(account.url, account.url)}`}</div><span class="sub">${line(account.by)}, ${formatTime(account.updated_at)}</span>`
    : ''
  return row([
    ['name', 'SLO', `${line(one.slo_name)}<span class="sub">${one.severity}</span>`],
    ['', 'Began', `<span class="word">${formatTime(one.began_at)}</span>`],
    ['n', 'Lasted', `<span>${lasted}</span>`],
    ['n', 'Budget used', budgetText(one.budget_percent)],
    ['wide', 'Cause and account', `${cause.join('<br>') || '<span class="none">Not known</span>'}${accountHtml}`],
  ])
}

function* deployTable({ deploys, summary }: ReportData, formatTime: FormatTime): Generator<string> {
  if (deploys.length === 0) return
  const heads: [string, boolean?][] = [['Deploy'], ['Time'], ['Budget used until the next, before it']]
  yield* table(
    'Deploys',
    heads,
    deploys.values().map((one) => deployRow(one, formatTime)),
  )
  const shown = deploys.filter(({ kind }) => kind !== 'note').length
  if (summary.deploy_count > shown) yield note(`The newest ${shown} of ${formatCount(summary.deploy_count)}.`)
}

function deployRow({ title, url, costs, at: time }: ReportedDeploy, formatTime: FormatTime): string {
  const texts = (costs ?? []).map(({ slo_name, budget_percent, before_percent }) => {
    return `${line(slo_name)}: ${budgetText(budget_percent)} <span class="none">(${budgetText(before_percent)})</span>`
  })
  return row([
    ['name', 'Deploy', link(url, title)],
    ['', 'Time', `<span class="word">${formatTime(time)}</span>`],
    ['wide', 'Budget used until the next, before it', texts.join('<br>') || '<span class="none">–</span>'],
  ])
}

function* changeTable({ changes, summary }: ReportData, formatTime: FormatTime): Generator<string> {
  if (changes.length === 0) return
  const rows = changes.values().map((one) =>
    row([
      ['name', 'SLO', line(one.slo_name)],
      ['', 'Time', `<span class="word">${formatTime(one.changed_at)}</span>`],
      ['wide', 'Change', `${line(changeText(one))}<span class="sub">${one.by === null ? '' : line(one.by)}</span>`],
    ]),
  )
  yield* table('Changed definitions', [['SLO'], ['Time'], ['Change']], rows)
  if (summary.change_count > changes.length)
    yield note(`The newest ${changes.length} of ${formatCount(summary.change_count)}.`)
}

function method({ made_at, time_zone }: ReportData, times: ReturnType<typeof reportTimes>): string {
  return (
    `Made by nines on ${times.day(made_at)} and not changed since. Times are those of ${line(time_zone)}. ` +
    'The SLI and the budget are those of the whole period by the definition that held at its end; what was not measured counts ' +
    'neither good nor bad. Where an end of the period is cut coarser than a minute, the row says at what.'
  )
}

function row(cells: [kind: string, head: string, content: string][]): string {
  const cellsHtml = cells.map(([kind, head, content]) => {
    return `<td${kind === '' ? '' : ` class="${kind}"`} data-head="${head}">${content}</td>`
  })
  return `<tr>${cellsHtml.join('')}</tr>\n`
}

function note(text: string): string {
  return `<p class="note">${text}</p>\n`
}

/** Text of a user on one line, escaped. */
function line(text: string): string {
  return htmlText(visibleLine(text))
}

function link(url: string, text: string): string {
  return /^https?:\/\//i.test(url)
    ? `<a href="${htmlText(url)}" rel="noopener noreferrer">${line(text)}</a>`
    : line(text)
}
