import { type Figure, goalTable } from './goals.ts'
import { benchAttacks } from './attacks/attacks.ts'
import { benchBusy } from './busy/busy.ts'
import { benchCache } from './cache/cache.ts'
import { benchCalculateSlo } from './evaluate/calculate-slo.ts'
import { benchChaos } from './attacks/chaos.ts'
import { benchCreateSlo } from './write/create-slo.ts'
import { benchEditor } from './page/editor.ts'
import { benchEmbedded } from './embedded/embedded.ts'
import { benchEvaluate } from './evaluate/evaluate.ts'
import { benchLargeAnswer } from './evaluate/large-answer.ts'
import { benchExposition } from './embedded/exposition.ts'
import { benchFanOut } from './fan-out/fan-out.ts'
import { benchGrowth } from './growth/growth.ts'
import { benchFullSize } from './full-size/full-size.ts'
import { benchGuard } from './read/guard.ts'
import { benchHeavyQueries } from './attacks/heavy-queries.ts'
import { benchHostileTexts } from './read/hostile-texts.ts'
import { benchImports } from './imports/imports.ts'
import { benchHeartbeats } from './ingest/heartbeats.ts'
import { benchIngest } from './ingest/ingest.ts'
import { benchOtlp } from './ingest/otlp.ts'
import { benchLive } from './live/live.ts'
import { benchLogins } from './attacks/logins.ts'
import { benchNotify } from './notify/notify.ts'
import { benchPage } from './page/page.ts'
import { benchProbes } from './probes/probes.ts'
import { benchReadSlo } from './read/read-slo.ts'
import { benchStart } from './write/start.ts'
import { benchSuggestions } from './page/suggestions.ts'

/**
 * Benchmarks by name. Values are measured alternately with their baseline in the same run. Quote the ratios, because the
 * machine is not quiet.
 */
const benches: Record<string, () => Promise<Figure[] | void>> = {
  'read-slo': benchReadSlo,
  'create-slo': benchCreateSlo,
  start: benchStart,
  live: benchLive,
  guard: benchGuard,
  logins: benchLogins,
  'calculate-slo': benchCalculateSlo,
  cache: benchCache,
  evaluate: benchEvaluate,
  'large-answer': benchLargeAnswer,
  'fan-out': benchFanOut,
  notify: benchNotify,
  page: benchPage,
  editor: benchEditor,
  embedded: benchEmbedded,
  exposition: benchExposition,
  probes: benchProbes,
  attacks: benchAttacks,
  chaos: benchChaos,
  'heavy-queries': benchHeavyQueries,
  'hostile-texts': benchHostileTexts,
  imports: benchImports,
  ingest: benchIngest,
  otlp: benchOtlp,
  heartbeats: benchHeartbeats,
  suggestions: benchSuggestions,
  growth: benchGrowth,
  busy: benchBusy,
  'full-size': benchFullSize,
}

const selected = process.argv.slice(2)
const unknown = selected.filter((name) => !benches[name])
if (unknown.length > 0) {
  process.stderr.write(`unknown: ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}\n`)
  process.exit(2)
}
const figures: Figure[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (selected.length === 0 || selected.includes(name)) figures.push(...((await bench()) ?? []))
}
if (figures.length > 0) process.stdout.write(`\n${goalTable(figures)}\n`)
process.exit() // after full-size the process does not end by itself, of a cause that was not looked for
