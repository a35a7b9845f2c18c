import { whyNot } from '../../api/rights.ts'
import type { Source, Suggestions } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { link } from '../../address/base.ts'
import { formatTarget } from '../../format.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { useCreateSuggested } from '../../slo/suggestions/create.ts'
import { bestOf } from '../../slo/suggestions/groups.ts'
import { allSuggestionsWords, foundSentences } from './words.ts'

/** Offer to create the best suggested SLO of the default source; nothing if there is none. Shown while there is no SLO. */
export function FoundInSource() {
  const sources = useRead<{ sources: Source[] }>('/tsdb/sources')
  const source = sources.value.value?.sources.find(({ is_default, is_active }) => is_default && is_active)
  return source ? <Best source={source} /> : null
}

function Best({ source }: { source: Source }) {
  const found = useRead<Suggestions>(`/tsdb/sources/${source.id}/suggestions`)
  const { run, isBusy } = useCreateSuggested('/')
  const suggestions = found.value.value?.suggestions ?? []
  const best = bestOf(suggestions)
  if (!best) return null
  return (
    <div class="card best">
      <p>
        {foundSentences({
          metric: <code>{best.metric}</code>,
          name: best.slo.name,
          target: <span class="nowrap">{formatTarget(best.slo.target)}&thinsp;%.</span>,
        })}
      </p>
      <Button kind="primary" isBusy={isBusy} unavailable={whyNot('edit')} onClick={() => void run(best)}>
        Create one from it
      </Button>
      {suggestions.length > 1 && (
        <LinkButton href={link('/slos/new')}>{allSuggestionsWords(suggestions.length)}</LinkButton>
      )}
    </div>
  )
}
