import { benchAttacks } from './attacks.ts'
import { benchCache } from './cache.ts'
import { benchCalculateSlo } from './calculate-slo.ts'
import { benchChaos } from './chaos.ts'
import { benchEditor } from './editor.ts'
import { benchEmbedded } from './embedded.ts'
import { benchEvaluate } from './evaluate.ts'
import { benchExposition } from './exposition.ts'
import { benchFanOut } from './fan-out.ts'
import { benchGuard } from './guard.ts'
import { benchHeavyQueries } from './heavy-queries.ts'
import { benchLogins } from './logins.ts'
import { benchNotify } from './notify.ts'
import { benchPage } from './page.ts'
import { benchReadSlo } from './read-slo.ts'
import { benchSuggestions } from './suggestions.ts'

/** Each figure stands beside its floor, measured in turns in the same run: quote the ratios, the machine is not quiet. */
const benches: Record<string, () => Promise<void>> = {
  'read-slo': benchReadSlo,
  guard: benchGuard,
  logins: benchLogins,
  'calculate-slo': benchCalculateSlo,
  cache: benchCache,
  evaluate: benchEvaluate,
  'fan-out': benchFanOut,
  notify: benchNotify,
  page: benchPage,
  editor: benchEditor,
  embedded: benchEmbedded,
  exposition: benchExposition,
  attacks: benchAttacks,
  chaos: benchChaos,
  'heavy-queries': benchHeavyQueries,
  suggestions: benchSuggestions,
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !benches[name])
if (unknown.length > 0) {
  process.stderr.write(`unknown: ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}\n`)
  process.exit(2)
}
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench()
}
