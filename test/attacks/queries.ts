import { type Attack, eventually, expectStatus, type World } from './world.ts'

const series = 10_000

/** Stores series to query in the attacker's organization; once per nines. */
const prepared = new WeakMap<object, Promise<void>>()
function prepare(world: World): Promise<void> {
  return prepared.getOrInsertComputed(world.nines, async () => {
    const path = '/api/v1/embedded/targets'
    const target = { name: 'many', url: `${world.hostile}/many-series`, interval_seconds: 5, timeout_seconds: 5 }
    const { id } = expectStatus(await world.call('POST', path, target), 201).body
    await eventually(
      60,
      async () => (await world.call('GET', `${path}/${id}`)).body.health.samples >= series || undefined,
    )
  })
}

/** Sends a range query like Grafana's, over a day in 10,000 steps. */
async function ask({ nines, attacker }: World, query: string): Promise<number> {
  const end = Math.floor(Date.now() / 1000)
  const form = new URLSearchParams({ query, start: String(end - 86_400), end: String(end), step: '8.64' })
  const answer = await fetch(`${nines.url}/embedded/prometheus/api/v1/query_range`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attacker}` },
    body: form,
  })
  await answer.arrayBuffer()
  return answer.status
}

const heavy: Record<string, string> = {
  'nine hundred negations': `${'-'.repeat(900)}attack_total`,
  'everything at every step': 'rate(attack_total[1h])',
  'labels joined forty times': `${'label_join('.repeat(40)}attack_total${', "a", ",", "id", "padding", "a")'.repeat(40)}`,
  'nested subqueries': 'max_over_time(sum_over_time(count_over_time(attack_total[1h:10s])[1h:10s])[6h:10s])',
  'a pattern of many states': 'count({padding=~"(x?){60}x{60}"})',
  'a pattern for every series': 'count by (id) ({id=~".*1.*2.*3.*|.*3.*2.*1.*",padding=~"x*"})',
  'a join of all with all': 'attack_total * on (id) group_left () attack_total',
  'quantiles of all': 'quantile by (id) (0.9, attack_total)',
  'a sort of all': 'sort_desc(topk(10000, attack_total))',
  'a tower of sums': `${'sum('.repeat(200)}attack_total${')'.repeat(200)}`,
  'ten thousand braces': '{'.repeat(10_000),
  'ten thousand signs': `${'+-'.repeat(5000)}1`,
}

const single = Object.entries(heavy).map(([name, query]): Attack => ({
  name: `four range queries at once: ${name}`,
  async run(world) {
    await prepare(world)
    const statuses = await Promise.all(Array.from({ length: 4 }, () => ask(world, query)))
    if (statuses.some((status) => ![200, 400, 408, 422, 429, 503].includes(status))) throw new Error(statuses.join())
  },
}))

const definition = { name: 'x', target: 99, time_window: '30d', metric_type: 'availability' }

export const queries: Attack[] = [
  ...single,
  {
    name: 'forty heavy queries in a row',
    async run(world) {
      await prepare(world)
      await Promise.all(Array.from({ length: 40 }, () => ask(world, 'sum by (id) (rate(attack_total[6h]))')))
    },
  },
  ...['{', '(', '-', 'sum(', '{a="', 'a[', 'a + '].map((part): Attack => ({
    name: `ten previews of ten thousand characters of ${part}`,
    async run({ call }) {
      const metric_query = part.repeat(10_000 / part.length)
      for (let at = 0; at < 10; at += 1)
        expectStatus(await call('POST', '/api/v1/slos/preview', { ...definition, metric_query }), 200, 400, 429)
    },
  })),
]
