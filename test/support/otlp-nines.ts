import { rmSync } from 'node:fs'
import { type TestApp, testApp } from './app.ts'
import { metricsBody, metricsHeaders, metricsRequest, nanos } from './otlp.ts'
import { copyOf } from './template-data-dir.ts'

const env = { SOURCE_URL: 'embedded', QUOTA_SERIES: '400', OTLP_PROMOTE_ATTRIBUTES: 'deployment.environment, k8s.pod' }
export let nines: TestApp
/** Starts the nines that is sent metrics; call it before each test. */
export async function begin(more: Record<string, string> = {}): Promise<void> {
  nines = await testApp({ env: { ...env, ...more } })
  await nines.join('ada')
}

/** Call it after each test. */
export const end = () => nines.close()

/** Closes nines and starts it again with its data. */
export async function restart(): Promise<void> {
  const [token, startMs, { dataDir }] = [nines.token(), now(), nines]
  await nines.app.close()
  nines = await testApp({ env, dataDir: copyOf(dataDir), token, startMs })
  rmSync(dataDir, { recursive: true })
}

export const path = '/v1/metrics'
export const now = () => nines.clock.now()
export const formats = ['json', 'protobuf'] as const
type Format = (typeof formats)[number]

type Sent = { format?: Format; to?: string; token?: string | null; headers?: Record<string, string> }
export const sendBody = (body: Uint8Array, { format = 'json', to = path, headers = {}, ...more }: Sent = {}) =>
  nines.call('POST', to, body, { headers: { ...metricsHeaders[format], ...headers }, ...more })
export const send = (request: object, sent: Sent = {}) => sendBody(metricsBody(request, sent.format ?? 'json'), sent)
export const sendMetrics = (metrics: object[], resource?: Record<string, string>) =>
  send(metricsRequest(metrics, resource))

/** Samples of a selector in the last 90 minutes, by the text of its labels; times in seconds before now. */
export async function samples(selector: string): Promise<Record<string, [number, string][]>> {
  const query = `query=${encodeURIComponent(`${selector}[90m]`)}&time=${now() / 1000}`
  const { body } = await nines.call('GET', `/embedded/prometheus/api/v1/query?${query}`)
  type Found = { metric: Record<string, string>; values: [number, string][] }
  return Object.fromEntries(
    body.data.result.map(({ metric: { __name__: name = '', ...labels }, values }: Found) => [
      `${name}${JSON.stringify(labels)}`,
      values.map(([second, value]) => [Math.round(now() - second * 1000), value]),
    ]),
  )
}
/** `samples` without their times. */
export const values = async (selector: string) =>
  Object.fromEntries(
    Object.entries(await samples(selector)).map(([name, all]) => [name, all.map(([, value]) => value)]),
  )

/** A gauge of now. */
export const gauge = (point: object, more: object = {}) => ({
  name: 'g',
  gauge: { dataPoints: [{ timeUnixNano: nanos(now()), asDouble: 1, ...point }] },
  ...more,
})
