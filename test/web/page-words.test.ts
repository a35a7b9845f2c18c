import { expect, test } from 'bun:test'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../src/web/page')

/**
 * Parts of sentences that views still put together. Another language has another order: a new sentence is a function in the `words.ts`
 * of its folder. A file that is mended leaves this list, or its number is less; nothing is added.
 */
const glued: Record<string, number> = {
  'app/shell/offline.tsx': 1,
  'incidents/acknowledge.tsx': 1,
  'incidents/attempt-table.tsx': 1,
  'pages/collect/parts/health.tsx': 2,
  'pages/collect/sources/source-trial.tsx': 1,
  'pages/collect/sources/sources.tsx': 1,
  'pages/collect/storage/import.tsx': 3,
  'pages/collect/targets/target-trial.tsx': 1,
  'pages/incidents/alerts/one-alert.tsx': 1,
  'pages/incidents/one-incident.tsx': 1,
  'pages/incidents/parts/incident-parts.tsx': 2,
  'pages/slo-form/editor.tsx': 1,
  'pages/slo-form/fields/for-each.tsx': 3,
  'pages/slo-form/fields/source.tsx': 1,
  'pages/slo-form/main-figure.tsx': 2,
  'pages/slo-form/picks/metric-picker.tsx': 1,
  'pages/slo-form/preview/figures.tsx': 1,
  'pages/slo-form/preview/preview-pane.tsx': 1,
  'pages/slo-form/save/conflict.tsx': 1,
  'pages/slo/activity/activity.tsx': 1,
  'pages/slo/alerting/conditions.tsx': 2,
  'pages/slo/calendar/calendar.tsx': 1,
  'pages/slo/definition/definition.tsx': 2,
  'pages/slo/incidents/details.tsx': 2,
  'pages/slo/states/asked-source.tsx': 1,
  'pages/slo/what-if-tried.tsx': 2,
  'silence/silence-note.tsx': 2,
}

/** Choices between two texts by a count: `n === 1 ? 'SLO' : 'SLOs'`, `SLO${n === 1 ? '' : 's'}`. */
function pluralsIn(source: string): string[] {
  return [...source.matchAll(/(?:[!=]== 1|> 1) \? (?:'' : 's'|'s' : ''|(['`])[^'`\n]+\1 : ['`](?!['`]))/g)].map(
    ([text]) => text,
  )
}

/** Texts that are chosen and go on with a sentence, since they begin with a space or a mark: `by !== null && ` by ${by}``. */
function fragmentsIn(source: string): string[] {
  const lines = source.split('\n').filter((line) => !/class(?:Name)?=/.test(line))
  const chosen = /(?:\?|:|&&|\|\||\?\?)\s+['`][,;:.]? [(\w$](?!\{\w+\}`)[^\n]*/g
  return [...lines.join('\n').matchAll(chosen)].map(([text]) => text)
}

async function sources(pattern: string): Promise<[string, string][]> {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: folder })].toSorted()
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path, await Bun.file(join(folder, path)).text()]),
  )
}

test('a count and its noun are put together by plural() alone', async () => {
  const found = (await sources('**/*.{ts,tsx}')).map(([path, text]) => [path, pluralsIn(text)] as const)
  expect(found.filter(([, plurals]) => plurals.length > 0)).toEqual([])
})

test('a view puts no sentence together from parts, but for those that are listed', async () => {
  const found = (await sources('**/*.tsx')).map(([path, text]) => [path, fragmentsIn(text).length] as const)
  expect(Object.fromEntries(found.filter(([, count]) => count > 0))).toEqual(glued)
})

test('what both look for is found', () => {
  const plurals = ["n === 1 ? 'SLO' : 'SLOs'", "SLO${n === 1 ? '' : 's'}", "n > 1 ? `${n} SLOs` : '1 SLO'"]
  expect(plurals.map((text) => pluralsIn(text).length)).toEqual([1, 1, 1])
  expect(pluralsIn("page === 1 ? '' : `&page=${page}`")).toEqual([])
  const fragments = [
    '{paused > 0 && `, ${paused} paused`}',
    "by === null ? '' : ` by ${by}`",
    "{isOver ? ' since' : null}",
  ]
  expect(fragments.map((text) => fragmentsIn(text).length)).toEqual([1, 1, 1])
  expect(fragmentsIn("class={`swatch${isOff ? ' off' : ''}`}")).toEqual([])
})
