import { openNines } from '../support/nines-here.ts'
import { signUp } from '../support/processes.ts'

/** First message to the parent: URL of nines. */
export type EditorServerReady = { url: string }

/**
 * Starts nines with an embedded source that has scraped `metrics` metrics, each with a type and a help text. Sends its URL to the
 * parent.
 */
async function serve(metrics: number): Promise<void> {
  const nines = openNines({ SOURCE_URL: 'embedded' })
  const { send } = await signUp(nines)
  const target = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(expositionOf(metrics)) })
  await send('POST', '/api/v1/embedded/targets', { name: 'many', url: target.url.href, interval_seconds: 60 })
  const metricNames = `/api/v1/tsdb/sources/1/prometheus/api/v1/label/__name__/values?${new URLSearchParams({ 'match[]': '{job="many"}' })}`
  for (;;) {
    nines.app.collector.tick()
    const { data } = await send('GET', metricNames)
    if (Number(data['length']) >= metrics) break
    await Bun.sleep(200)
  }
  process.send?.({ url: nines.listen() } satisfies EditorServerReady)
}

function expositionOf(metrics: number): string {
  return Array.from({ length: metrics }, (_, at) => {
    const name = `service_${at % 100}_requests_of_kind_${at}_total`
    return `# HELP ${name} Requests of the kind ${at} that the service ${at % 100} has answered since it was started.\n# TYPE ${name} counter\n${name}{code="200"} ${at}\n`
  }).join('')
}

if (import.meta.main) await serve(Number(process.argv[2]))
