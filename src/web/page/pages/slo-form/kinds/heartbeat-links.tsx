import type { Schemas } from '../../../../../../dist/openapi.d.ts'
import { link } from '../../../address/base.ts'
import { useRead } from '../../../api/use-read.ts'
import type { Source } from '../../../api/types.ts'
import { heartbeatSloPath } from '../../../slo/heartbeat-slo.ts'

const maxLinks = 20

/** Links that fill the form for an SLO of the runs of a heartbeat. If there is no heartbeat, a link to the page that creates them. */
export function HeartbeatLinks() {
  const read = useRead<{ heartbeats: Schemas['Heartbeat'][] }>('/embedded/heartbeats')
  const sources = useRead<{ sources: Source[] }>('/tsdb/sources')
  const source = sources.value.value?.sources.find(({ api_url }) => api_url === 'embedded')?.id
  const heartbeats = read.value.value?.heartbeats
  if (!heartbeats || !sources.value.value) return null
  if (heartbeats.length === 0 || source === undefined) {
    return (
      <p class="hint">
        A job without metrics can report by itself: see <a href={link('/collect/heartbeats')}>Heartbeats</a>.
      </p>
    )
  }
  return (
    <p class="hint">
      Runs of a heartbeat:{' '}
      {heartbeats.slice(0, maxLinks).map((heartbeat, index) => (
        <span key={heartbeat.id}>
          {index > 0 && ', '}
          <a href={link(heartbeatSloPath(heartbeat, source))}>{heartbeat.name}</a>
        </span>
      ))}
      {heartbeats.length > maxLinks && (
        <>
          , <a href={link('/collect/heartbeats')}>more</a>
        </>
      )}
    </p>
  )
}
