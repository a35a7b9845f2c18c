import type { Json } from '../schemas.ts'

const series = { __name__: 'up', instance: '10.0.0.7:8080', job: 'checkout' }
const succeeded = (data: Json) => ({ status: 'success', data })
const vector = succeeded({ resultType: 'vector', result: [{ metric: series, value: [1_795_255_200, '1'] }] })
const matrix = succeeded({
  resultType: 'matrix',
  result: [
    {
      metric: series,
      values: [
        [1_795_255_140, '1'],
        [1_795_255_200, '1'],
      ],
    },
  ],
})
const seriesList = succeeded([series])
const labelNames = succeeded(['__name__', 'instance', 'job'])

/** Responses of the Prometheus routes whose operation ids contain `noun`. */
const asPrometheus = (noun: string): Record<string, Json> => ({
  [`query${noun}`]: vector,
  [`query${noun}ByForm`]: vector,
  [`query${noun}Range`]: matrix,
  [`query${noun}RangeByForm`]: matrix,
  [`list${noun}Series`]: seriesList,
  [`list${noun}SeriesByForm`]: seriesList,
  [`list${noun}Labels`]: labelNames,
  [`list${noun}LabelsByForm`]: labelNames,
  [`list${noun}LabelValues`]: succeeded(['checkout', 'node']),
  [`list${noun}Metadata`]: succeeded({
    http_requests_total: [{ type: 'counter', help: 'Requests by code.', unit: '' }],
  }),
  [`list${noun}Rules`]: succeeded({ groups: [] }),
  [`get${noun}BuildInfo`]: succeeded({
    application: 'nines',
    version: '3.5.0',
    revision: '0.1.0',
    branch: '',
    buildUser: '',
    buildDate: '',
    goVersion: '',
  }),
})

/** Examples of the Prometheus HTTP API, for the embedded source and for any other source, by operation. */
export const prometheusAnswers = { ...asPrometheus('Embedded'), ...asPrometheus('SourceApi') }
