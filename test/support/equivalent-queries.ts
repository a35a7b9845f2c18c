import { availabilityQuery, requestsQuery } from './direct-query.ts'

/** Spellings that read raw counters, without rate or increase. */
export function rawSpellings(service: string): Record<string, Record<string, string>> {
  const all = `http_requests_total{service="${service}"}`
  const good = `http_requests_total{service="${service}",code!~"5.."}`
  const bad = `http_requests_total{service="${service}",code=~"5.."}`
  const rateOfAll = requestsQuery(service, '5m')
  return {
    'good / total, raw': { metric_query: `sum(${good}) / sum(${all})` },
    '100 * good / total, raw': { metric_query: `100 * sum(${good}) / sum(${all})` },
    'good / total, raw, no sums': { metric_query: `${good} / ${all}` },
    '1 - bad / total, raw': { metric_query: `1 - sum(${bad}) / sum(${all})` },
    '1 - (bad or vector(0)) / total, raw': { metric_query: `1 - (sum(${bad}) or vector(0)) / sum(${all})` },
    '(total - bad) / total, raw': { metric_query: `(sum(${all}) - sum(${bad})) / sum(${all})` },
    'clamped, raw': { metric_query: `clamp_max(sum(${good}) / sum(${all}), 1)` },
    'good / total, one side raw': { metric_query: `sum(${good}) / ${rateOfAll}` },
    'good / total, one side raw, $window': {
      metric_query: `${requestsQuery(service, '$window', ',code!~"5.."')} / sum(${all})`,
    },
    'good_query, total_query, raw': { good_query: good, total_query: all },
    'good_query, total_query, raw sums': { good_query: `sum(${good})`, total_query: `sum(${all})` },
    'bad_query, total_query, raw': { bad_query: bad, total_query: all },
    'good_query, total_query, no sums': {
      good_query: `rate(${good}[5m])`,
      total_query: `rate(${all}[5m])`,
    },
  }
}

/** Spellings with grouping, some of which divide each series separately. */
export function groupedSpellings(service: string): Record<string, Record<string, string>> {
  const all = `http_requests_total{service="${service}"}`
  const good = `http_requests_total{service="${service}",code!~"5.."}`
  const bad = `http_requests_total{service="${service}",code=~"5.."}`
  const rateBy = (modifier: string, selector: string) => `sum ${modifier} (rate(${selector}[5m]))`
  const by = (selector: string) => rateBy('by (code)', selector)
  const rateOfAll = requestsQuery(service, '5m')
  return {
    'by code, raw': { metric_query: `sum by (code) (${good}) / sum by (code) (${all})` },
    'by code': { metric_query: `${by(good)} / ${by(all)}` },
    '1 - bad / total, by code': { metric_query: `1 - ${by(bad)} / ${by(all)}` },
    '100 * by code, on (code)': { metric_query: `100 * ${by(good)} / on (code) ${by(all)}` },
    'without (instance)': {
      metric_query: `${rateBy('without (instance)', good)} / ${rateBy('without (instance)', all)}`,
    },
    'by code of the sum, group_left': { metric_query: `${by(good)} / ignoring (code) group_left ${rateOfAll}` },
    'by service': { metric_query: `${rateBy('by (service)', good)} / ${rateBy('by (service)', all)}` },
    'by service of all services': {
      metric_query: `${rateBy('by (service)', good)} / ${rateBy('by (service)', 'http_requests_total')}`,
    },
  }
}

/** Equivalent ways to write the availability of one service, as fields of an SLO. */
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
