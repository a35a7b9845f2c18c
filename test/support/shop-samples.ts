import { importSamples } from '../../src/embedded/import-samples.ts'
import type { TestApp } from './app.ts'

const minute = 60
const perMinute = 600

/** A counter that grows by `gains` a minute, or a gauge with the value `level(seconds)`. */
type Series = { name: string; labels?: string; gains?: number; level?: (seconds: number) => number }

const services = ['checkout', 'search']

const families: { type: string; name: string; help: string; series: Series[] }[] = [
  {
    type: 'counter',
    name: 'shop_requests',
    help: 'Requests that the shop has answered',
    series: services.flatMap((service) => [
      { name: 'shop_requests_total', labels: `service="${service}",code="200"`, gains: perMinute - 1 },
      { name: 'shop_requests_total', labels: `service="${service}",code="503"`, gains: 1 },
    ]),
  },
  {
    type: 'histogram',
    name: 'shop_request_duration_seconds',
    help: 'How long the shop took',
    series: services.flatMap((service) => [
      ...[
        ['0.1', 0.9],
        ['0.25', 0.99],
        ['1', 1],
        ['+Inf', 1],
      ].map(([le, share]) => ({
        name: 'shop_request_duration_seconds_bucket',
        labels: `service="${service}",le="${le}"`,
        gains: perMinute * Number(share),
      })),
      { name: 'shop_request_duration_seconds_count', labels: `service="${service}"`, gains: perMinute },
      { name: 'shop_request_duration_seconds_sum', labels: `service="${service}"`, gains: 40 },
    ]),
  },
  { type: 'counter', name: 'jobs_runs', help: 'Jobs that ran', series: [{ name: 'jobs_runs_total', gains: 5 }] },
  { type: 'counter', name: 'jobs_done', help: 'Jobs that were done', series: [{ name: 'jobs_done_total', gains: 4 }] },
  { type: 'counter', name: 'jobs_failed', help: 'Jobs that failed', series: [{ name: 'jobs_failed_total', gains: 1 }] },
  {
    type: 'gauge',
    name: 'backup_last_success_timestamp_seconds',
    help: 'When the last backup was done',
    series: [{ name: 'backup_last_success_timestamp_seconds', level: (seconds) => seconds - (seconds % 3600) }],
  },
  {
    type: 'gauge',
    name: 'probe_success',
    help: 'Whether it answers',
    series: [{ name: 'probe_success', labels: 'job="website",instance="https://shop.example/"', level: () => 1 }],
  },
]

/** Imports the last day of a shop, one sample a minute, into the embedded source of the first organization. */
export async function importShop({ app, clock }: TestApp): Promise<void> {
  const endSeconds = Math.floor(clock.now() / 60_000) * minute
  const startSeconds = endSeconds - 86_400
  const lines = families.flatMap(({ type, name, help, series }) => [
    `# TYPE ${name} ${type}`,
    `# HELP ${name} ${help}`,
    ...series.flatMap((one) => linesOf(one, startSeconds, endSeconds)),
  ])
  const chunks = (async function* () {
    yield Buffer.from(`${lines.join('\n')}\n# EOF\n`)
  })()
  const imported = await importSamples({
    store: app.samples,
    clock,
    organizationId: 1,
    chunks,
    keepMs: 40 * 86_400_000,
  })
  if (imported.series === 0) throw new Error('nothing was imported')
}

function linesOf({ name, labels = '', gains = 0, level }: Series, startSeconds: number, endSeconds: number): string[] {
  const series = labels === '' ? name : `${name}{${labels}}`
  const lines: string[] = []
  for (let seconds = startSeconds; seconds <= endSeconds; seconds += minute) {
    const value = level ? level(seconds) : (gains * (seconds - startSeconds)) / minute
    lines.push(`${series} ${value} ${seconds}`)
  }
  return lines
}
