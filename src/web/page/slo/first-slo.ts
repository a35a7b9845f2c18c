import { ApiError, send } from '../api/client.ts'
import type { Probe, Slo, Source } from '../api/types.ts'
import { withScheme } from '../ui/form/with-scheme.ts'

/** Query of the example SLO: 0.02 % always fails, and 10 % on Tuesdays from 03:00 to 04:00 UTC. It needs no samples, only the time. */
const exampleQuery = '1 - 0.0002 - 0.1 * (hour() == bool 3) * (day_of_week() == bool 2)'

/**
 * Creates a probe of an address, and an SLO over it, whose id it returns. If the address does not answer as it should, it deletes
 * the new probe and throws.
 */
export async function watchAddress(typed: string): Promise<number> {
  const url = withScheme(typed)
  const sourceId = await embeddedSource()
  const { probe, isNew } = await probeOf(url)
  try {
    const { ok, error } = await send<{ ok: boolean; error: string | null }>(
      'POST',
      `/embedded/probes/${probe.id}/test`,
      { body: {} },
    )
    if (!ok) throw new ApiError(400, `The address does not answer${error === null ? '' : `: ${error}`}`)
    return await createSlo({
      name: `${new URL(url).host} answers`,
      source_id: sourceId,
      target: 99.9,
      metric_query: `probe_success{job=${JSON.stringify(probe.name)}}`,
      force: true, // there is no sample yet
    })
  } catch (error) {
    if (isNew) await send('DELETE', `/embedded/probes/${probe.id}`).catch(() => {})
    throw error
  }
}

/**
 * Makes a source the default, and creates an SLO over its scrape targets, whose id it returns; undefined if the source has none. If it
 * does not answer, it deletes the new source and throws.
 */
export async function connectSource(url: string): Promise<number | undefined> {
  const base = withScheme(url).replace(/\/+$/, '')
  const known = (await listSources()).find(({ api_url }) => api_url === base)
  const { id } = known ?? (await createSource(new URL(base).host, base))
  let targets: unknown[]
  try {
    const answer = await send<{ query_result: { result: unknown[] } }>('POST', '/tsdb/query', {
      body: { query: 'count(up)', source_id: id },
    })
    targets = answer.query_result.result
  } catch (error) {
    if (!known) await send('DELETE', `/tsdb/sources/${id}`).catch(() => {})
    throw error
  }
  await send('PUT', `/tsdb/sources/${id}`, { body: { is_default: true } })
  if (targets.length === 0) return undefined
  return createSlo({ name: 'Metrics endpoints are up', source_id: id, target: 99, metric_query: 'avg(up)' })
}

/** Creates an SLO with a history of 30 days, since its query needs no samples, and returns its id. */
export async function createExample(): Promise<number> {
  return createSlo({
    name: 'An example',
    description: 'Made up: one request in ten fails on Tuesdays from 03:00 to 04:00 UTC. Delete it at any time.',
    source_id: await embeddedSource(),
    target: 99.9,
    metric_query: exampleQuery,
  })
}

/** Creates an SLO over an existing probe: the share of its runs that succeed. `job`: the label of its series. Returns the id of the SLO. */
export async function createProbeSlo(name: string, job: string): Promise<number> {
  const metric_query = `probe_success{job=${JSON.stringify(job)}}`
  return createSlo({ name, source_id: await embeddedSource(), target: 99.9, metric_query, force: true })
}

async function createSlo(slo: object): Promise<number> {
  const body = { time_window: '30d', metric_type: 'availability', ...slo }
  return (await send<Slo>('POST', '/slos', { body })).id
}

/** Id of the embedded source, which stores the results of probes; created if the organization has none. */
export async function embeddedSource(): Promise<number> {
  const known = (await listSources()).find(({ api_url }) => api_url === 'embedded')
  return (known ?? (await createSource('nines', 'embedded'))).id
}

async function listSources(): Promise<Source[]> {
  return (await send<{ sources: Source[] }>('GET', '/tsdb/sources')).sources
}

async function createSource(name: string, url: string): Promise<Source> {
  return send<Source>('POST', '/tsdb/sources', { body: { name, api_url: url } })
}

/** The HTTP probe of an address, or a new one. */
export async function probeOf(url: string): Promise<{ probe: Probe; isNew: boolean }> {
  const { probes } = await send<{ probes: Probe[] }>('GET', '/embedded/probes')
  const known = probes.find(({ type, target }) => type === 'http' && target === url)
  if (known) return { probe: known, isNew: false }
  const { host, pathname } = new URL(url)
  const isTaken = probes.some(({ name }) => name === host)
  const body = {
    name: isTaken ? `${host}${pathname}` : host,
    type: 'http',
    target: url,
    interval_seconds: 30,
    timeout_seconds: 10,
  }
  return { probe: await send<Probe>('POST', '/embedded/probes', { body }), isNew: true }
}
