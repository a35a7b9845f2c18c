import { availabilityQuery, requestsQuery } from './direct-query.ts'

/** Ways to write the availability of one service that all mean the same, as fields of an SLO. */
export function spellings(service: string): Record<string, Record<string, string>> {
  const good = requestsQuery(service, '5m', ',code!~"5.."')
  const bad = requestsQuery(service, '5m', ',code=~"5.."')
  const total = requestsQuery(service, '5m')
  const badOverWindow = requestsQuery(service, '{{window}}', ',code=~"5.."')
  return {
    'good / total': { metric_query: availabilityQuery(service, '5m') },
    'good / total, $window': { metric_query: availabilityQuery(service, '$window') },
    'good / total, increase': { metric_query: availabilityQuery(service, '1h').replaceAll('rate', 'increase') },
    '100 * good / total': { metric_query: `100 * ${good} / ${total}` },
    '1 - bad / total': { metric_query: `1 - ${bad} / ${total}` },
    '1 - (bad or vector(0)) / total': { metric_query: `1 - (${bad} or vector(0)) / ${total}` },
    '1 - bad / total, {{window}}': { metric_query: `1 - ${badOverWindow} / ${requestsQuery(service, '{{window}}')}` },
    '100 - 100 * bad / total': { metric_query: `100 - 100 * ${bad} / ${total}` },
    '100 - bad * 100 / total': { metric_query: `100 - ${bad} * 100 / ${total}` },
    '(1 - bad / total) * 100': { metric_query: `(1 - ${bad} / ${total}) * 100` },
    'good_query, total_query': { good_query: good, total_query: total },
    'bad_query, total_query': { bad_query: bad, total_query: total },
  }
}
