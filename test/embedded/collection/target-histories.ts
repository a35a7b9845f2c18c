/** Answer of a target to one scrape: a text, a status, or none; `@3-500` is half a second before scrape 3. */
export type Page = string | { status: number } | 'hangs' | { openMetrics: string }

/** A target whose answers change from scrape to scrape; the last one repeats. */
export type TargetHistory = {
  name: string
  honorLabels?: boolean
  labels?: Record<string, string>
  pages: Page[]
}

export const scrapes = 8

const down = { status: 503 }
const colliding = [
  'm{job="a"} 1',
  'm{instance="b",job=""} 2',
  'm{job="c",exported_job="d"} 3',
  'm{exported_job="e",exported_exported_job="f",job="g"} 4',
  'm{instance=""} 5',
  'm{job="",instance="",exported_job=""} 6',
  'm{mine="h",exported_mine=""} 7',
  'm{exported_mine="i",mine="j",empty=""} 8',
].join('\n')

export const histories: TargetHistory[] = [
  {
    name: 'series vanish and come back',
    pages: [
      'm_a 1\nm_b{x="1"} 1\n',
      'm_a 2\nm_b{x="1"} 2\nm_c 2\n',
      'm_a 3\n',
      'm_c 4\nm_b{x="1"} 4\n',
      'm_a 5\nm_b{x="1"} 0\nm_b{x="2"} NaN\n',
      'm_b{x="2"} +Inf\n',
      'm_b{x="2"} -Inf\nm_a 7\n',
      'm_a 7\n',
    ],
  },
  {
    name: 'a target fails and recovers',
    pages: ['m_a 1\nm_b 1\n', down, 'm_a 3\n', '<html>\n', 'm_a 5\nm_b 5\n', 'hangs', 'm_b 7\n', ''],
  },
  { name: 'down from the start', pages: [down, 'hangs', 'm_a 3\n', down] },
  {
    name: 'own timestamps',
    pages: [
      'm_a 1 @0-500\nm_b 1 @0-500\nm_c 1 @0+660000\nm_d 1\n',
      'm_a 1 @0-500\nm_b 2 @1-500\nm_c 1 @0-300\nm_d 2\n',
      'm_a 2 @0-500\nm_b 3 @1-800\nm_c 2 1000\nm_d 3\n',
      'm_b 4 @2-200\nm_b 5 @3-500\nm_b 6 @3-900\nm_d 4\n',
      'm_d 5\n',
      'm_b 6 @5-500\nm_e 6 @5+5000\n',
      down,
      'm_b 8 @7-500\nm_e 8 @7-500\n',
    ],
  },
  {
    name: 'timestamps come and go',
    pages: [
      'm_a 1\n',
      'm_a 2 @1-500\n',
      'm_a 3\n',
      'm_a 4 @1-400\n',
      'm_a 5\n',
      'm_a 6 @5-500\n',
      'm_a 7 @6-500\n',
      'm_a 8\n',
    ],
  },
  {
    name: 'colliding labels',
    labels: { mine: 't' },
    pages: [`${colliding}\n`, 'm{job="a"} 2\n', `${colliding}\n`, 'm 4\n', down, `${colliding}\n`],
  },
  {
    name: 'colliding labels, honored',
    honorLabels: true,
    labels: { mine: 't' },
    pages: [`${colliding}\n`, 'm{job="a"} 2\n', `${colliding}\n`, 'm{instance=""} 4\n', down, `${colliding}\n`],
  },
  {
    name: 'labels of the target that collide among themselves',
    labels: { a: '1', exported_a: '2', instance: 'mine' },
    pages: ['m{a="x"} 1\nm{exported_a="y"} 1\nm{a="x",exported_a="y"} 1\n', 'm{a="x"} 2\n'],
  },
  {
    name: 'the same series twice',
    pages: [
      'm_a 1\nm_a 2\nm_b 1\nm_b{x=""} 2\n',
      'm_a 3\nm_b{x=""} 3\n',
      'm{job="a"} 4\nm{exported_job="a"} 5\n',
      'm{exported_job="a"} 6\n',
      'm{job="a"} 7\nm{exported_job="b"} 7\n',
      'm_a 8\nm_a{x=""} 9\n',
      'm_a{x=""} 9\n',
    ],
  },
  {
    name: 'the same series with a time and without',
    pages: ['m_a 1 @0-500\nm_a 2\n', 'm_a 3\nm_a 4 @1-500\n', 'm_a 5\nm_a 6\n'],
  },
  {
    name: 'bounds and names',
    pages: [
      '# TYPE h histogram\nh_bucket{le="1"} 1\nh_bucket{le="0.50"} 1\nh_bucket{le="1e7"} 1\nh_bucket{le="+inf"} 2\nh_bucket{le="odd"} 2\n',
      '# TYPE s summary\ns{quantile="1"} 1\ns{quantile="0"} 1\ns{quantile="0.00001"} 2\ns{le="1"} 2\n',
      '{"a.b",l="x"} 1\n{"c \\"d\\"","e f"="1"} 1\nm 2\n# TYPE "a.b" gauge\n',
    ],
  },
  {
    name: 'OpenMetrics and back',
    pages: [
      { openMetrics: '# TYPE m counter\nm_total 1\nm_created 5\n# EOF\n' },
      'm_total 2\n',
      { openMetrics: '# TYPE h histogram\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_count 2\nh_sum 3\n# EOF\n' },
      { openMetrics: '\n' },
      '# TYPE h histogram\nh_bucket{le="1"} 1\n',
      { openMetrics: '' },
      { openMetrics: 'h_count 1\n# EOF\n' },
    ],
  },
]
