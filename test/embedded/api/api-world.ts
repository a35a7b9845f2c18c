import { type TestApp, testApp, testStartMs } from '../../support/app.ts'

export const root = '/embedded/prometheus/api/v1'
export const asForm = { 'content-type': 'application/x-www-form-urlencoded' }

/** Stores samples of two organizations, the first of ada, the second of mallory. */
export async function apiWorld(env: Record<string, string> = {}): Promise<TestApp & { mallory: string }> {
  const nines = await testApp({ env })
  await nines.join('ada')
  const mallory = await nines.join('mallory')
  const append = (organizationId: number, labels: Record<string, string>, value: number) =>
    nines.app.samples.append(organizationId, Object.entries(labels), testStartMs - 30_000, value)
  append(1, { __name__: 'up', job: 'shop', instance: 'a:80' }, 1)
  append(1, { __name__: 'up', job: 'shop', instance: 'b:80' }, 0)
  append(2, { __name__: 'up', job: 'secret', instance: 'mallory:80', secret_label: 'mallory' }, 7)
  return { ...nines, mallory }
}
