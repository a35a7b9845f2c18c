import { expect, test } from 'bun:test'
import { ownWindow } from '../../src/slos/arithmetic/own-window.ts'
import { type SloWindow, type Window, windowName, windowSeconds } from '../../src/slos/arithmetic/windows.ts'
import { assess, errorBudget, windowBudget } from '../../src/slos/arithmetic/budget.ts'
import { budgetCalendar } from '../../src/slos/arithmetic/budget-calendar.ts'
import { combineSums } from '../../src/slos/arithmetic/composite.ts'
import { existingShare } from '../../src/slos/arithmetic/reach.ts'
import { burnRate, isBeyondChance, isTierFiring, sixDigits } from '../../src/slos/arithmetic/burn-rates.ts'
import { secondsToExhaustion } from '../../src/slos/arithmetic/forecast.ts'
import { tiersOf } from '../../src/slos/alerting/tiers.ts'
import { sloStates, stateOf } from '../../src/slos/arithmetic/state.ts'
import { sliOfSum } from '../../src/slos/arithmetic/window-sum.ts'
import { planSli } from '../../src/sli/plan/plan.ts'
import { sliOf, unitOf } from '../../src/sli/sli.ts'
import { suggestTarget } from '../../src/web/page/what-if/suggest-target.ts'
import { sampledSource } from '../support/sampled-source.ts'
import { expectRows, known, numbers, page, tableOf, unknown, written } from './slo-math-tables.ts'

/** Computes every table of numbers in docs/slo-math.md again with the code in src. */
const day = 86_400
const nothing = { good_query: null, bad_query: null, total_query: null, threshold: null, threshold_op: null }

test('what is sent for a query is what the plan of slo-math.md says', () => {
  const rows = tableOf('metric_query', 'method', 'expression')
  const computed = rows.map(([metricQuery = '']) => {
    const plan = planSli({ ...nothing, metric_query: metricQuery, window_method: 'auto' })
    return [metricQuery, plan.method, plan.expression(day)]
  })
  expectRows(rows, computed)
})

test('values are read as SLIs as slo-math.md says', () => {
  const rows = tableOf('value', 'unit', 'side', 'SLI in percent')
  const computed = rows.map(([value = '', unit = '', side = '']) => {
    const result = { value: Number(value), largest: Number(value) }
    const sli = sliOf({ result }, unit === 'percent' ? 'percent' : 'ratio', side === 'bad')
    return [value, unit, side, 'percent' in sli ? written(sli.percent) : sli.reason]
  })
  expectRows(rows, computed)
})

test('samples are seconds as slo-math.md says', async () => {
  const rows = tableOf('samples in a minute', 'of which 1', 'interval', 'covered', 'good')
  const { samples } = planSli({ ...nothing, metric_query: 'up', window_method: 'auto' })
  const computed = rows.map(async (row) => {
    const [count, ones, seconds] = numbers(row).slice(0, 3).map(known)
    const values = Array.from({ length: known(count) }, (_, n) => {
      return { atMs: 1000 * (n + 1), value: n < known(ones) ? 1 : 0 }
    })
    const sampling = { shortestSeconds: known(seconds), longestSeconds: known(seconds), isClosed: false }
    const source = sampledSource([{ labels: { __name__: 'up' }, samples: values }])
    const grid = { startSeconds: 60, endSeconds: 60, stepSeconds: 60 }
    const { data } = await source.range(samples?.coveredSums(60, sampling, false) ?? '', grid)
    const sumOf = (part: string) => Number(data.find(({ metric }) => metric['nines_sum'] === part)?.values[0]?.[1])
    return [known(count), known(ones), known(seconds), sumOf('total'), sumOf('good')].map(written)
  })
  expectRows(rows, await Promise.all(computed))
})

test('the unit is inferred as slo-math.md says', () => {
  const rows = tableOf('largest value first measured', 'unit')
  const computed = rows.map(([value = '']) => {
    const result = { value: Number(value), largest: Number(value) }
    return [value, unitOf({ configured: 'auto', byText: null, inferred: null }, [{ result }]) ?? 'not known yet']
  })
  expectRows(rows, computed)
})

test('budgets are those of slo-math.md', () => {
  const rows = tableOf('SLI', 'target', 'total', 'used', 'remaining', 'percentage_used')
  const computed = rows.map((row) => {
    const [sli = unknown, target] = numbers(row)
    const { total, used, remaining, percentageUsed } = errorBudget(sli, known(target))
    return [sli, known(target), total, used, remaining, percentageUsed].map(written)
  })
  expectRows(rows, computed)
})

test('composites are those of slo-math.md', () => {
  const methods = ['weighted', 'events', 'worst'] as const
  const members = ['good of A', 'all of A', 'weight of A', 'good of B', 'all of B', 'weight of B']
  const rows = tableOf(...members, ...methods.map((method) => `\`${method}\``))
  const computed = rows.map((row) => {
    const counts = numbers(row.slice(0, 6)).map(known)
    const [goodA = 0, allA = 0, weightA = 0, goodB = 0, allB = 0, weightB = 0] = counts
    const sums = [
      { good: goodA, total: allA, coveredSeconds: day },
      { good: goodB, total: allB, coveredSeconds: day },
    ]
    const slis = methods.map((method) => {
      const weights = [weightA, weightB].map((weight, at) => ({ slo_id: at + 1, weight }))
      const sum = combineSums({ method, members: weights, on_unknown_member: 'unknown' }, sums)
      return written((100 * sum.good) / sum.total)
    })
    return [...row.slice(0, 6), ...slis]
  })
  expectRows(rows, computed)
})

test('statuses are those of slo-math.md', () => {
  const rows = tableOf('current value', 'target', 'budget used', 'status')
  const computed = rows.map((row) => {
    const [current = unknown, target, used = unknown] = numbers(row.slice(0, 3))
    return [...row.slice(0, 3), assess(current, known(target), used)]
  })
  expectRows(rows, computed)
})

test('the states are those of slo-math.md, in their order', () => {
  const listed = tableOf('state', 'when').flatMap(([names = '']) => names.split('`, `'))
  expect(listed.toSorted()).toEqual([...sloStates].toSorted())
  // Input for which each row holds, beside all below it. Maintenance is decided by its caller.
  const nothing = { before: 'ok', unknownReason: null, isNew: false, isDown: null, firing: [], recent: null } as const
  const spent = {
    ...nothing,
    isBurningFast: false,
    isAfterOutage: false,
    hasIncident: false,
    usualEvents: null,
    isSpent: true,
  }
  const open = { ...spent, hasIncident: true, isDown: false }
  const burning = { ...open, firing: ['ticket'] as const }
  const fast = { ...open, firing: ['page', 'ticket'] as const }
  const unknownState = { ...fast, unknownReason: 'no_data' }
  const inputs = [
    { ...unknownState, isDown: true },
    unknownState,
    { ...unknownState, isNew: true },
    fast,
    burning,
    open,
    spent,
  ]
  const decided = [...inputs, { ...spent, isSpent: false }].map((input) => stateOf(input).state)
  expect(['maintenance', ...decided]).toEqual(listed)
})

test('sums of the ledger are read as slo-math.md says', () => {
  const columns = ['good', 'total', 'covered seconds', 'window in seconds', 'SLI', 'coverage', 'reason'] as const
  const rows = tableOf(...columns)
  const computed = rows.map((row) => {
    const [good = 0, total = 0, coveredSeconds = 0, seconds = 0] = row.slice(0, 4).map(Number)
    const { ratio, coverage, reason } = sliOfSum({ good, total, coveredSeconds }, seconds)
    return [...row.slice(0, 4), written(ratio), written(coverage), reason ?? 'none']
  })
  expectRows(rows, computed)
})

test('burn rates are those of slo-math.md', () => {
  const rows = tableOf('SLI as a ratio', 'target', 'burn rate')
  const computed = rows.map(([sli = '', target = '']) => [sli, target, written(burnRate(Number(sli), Number(target)))])
  expectRows(rows, computed)
})

const standard = (time_window: SloWindow, target: number) => tiersOf({ time_window, target, burn_rate_tiers: null })

test('the standard tiers are those of slo-math.md', () => {
  const rows = tableOf('window', 'severity', 'long', 'short', 'factor', 'budget_percent')
  const windows = ['1h', '37h', '7d', '30d'] as const
  const computed = windows.flatMap((window) =>
    standard(window, 99.9).map(({ severity, longSeconds, shortSeconds, factor, budgetPercent }) => {
      return [window, severity, windowName(longSeconds), windowName(shortSeconds), `${factor}`, `${budgetPercent}`]
    }),
  )
  expectRows(rows, computed)
})

test('the refused tiers are those of slo-math.md', () => {
  const rows = tableOf('target', 'largest burn rate', 'refused tiers of 30d')
  const computed = rows.map(([target = '']) => {
    const refused = standard('30d', Number(target)).filter((tier) => tier.refused !== null)
    const names = refused.map(({ longSeconds }) => windowName(longSeconds)).join(', ') || 'none'
    return [target, written(burnRate(0, Number(target))), names]
  })
  expectRows(rows, computed)
})

test('a tier fires as slo-math.md says', () => {
  const rows = tableOf('long rate', 'short rate', 'factor', 'fires')
  const [tier] = standard('30d', 99.9)
  const computed = rows.map((row) => {
    const [long = unknown, short = unknown] = numbers(row.slice(0, 2))
    const fires = tier ? isTierFiring(tier, { rate: long, badEvents: null }, short) : unknown
    return [...row.slice(0, 2), `${tier?.factor}`, fires === null ? 'unknown' : fires ? 'yes' : 'no']
  })
  expectRows(rows, computed)
})

const secondsOf = (text = '') => {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? []
  return Number(count) * known({ m: 60, h: 3600, d: 86_400 }[unit ?? ''])
}

test('budgets of the window are those of slo-math.md', () => {
  const columns = ['percentage_used', 'target', 'time since the first sample', 'window', 'counts'] as const
  const rows = tableOf(...columns, 'window_percent_used', 'estimated')
  const computed = rows.map((row) => {
    const [used = '', target = '', age = '', window = '', counts = ''] = row
    const windowShare = age === 'unknown' ? null : shareOf(age, secondsOf(window))
    const { usedPercent, isEstimated } = windowBudget(Number(used), Number(target), {
      windowShare,
      countsEvents: counts === 'events',
    })
    return [used, target, age, window, counts, written(usedPercent), isEstimated ? 'yes' : 'no']
  })
  expectRows(rows, computed)
})

test('tiers over partial windows fire as slo-math.md says', () => {
  const age = 'time since the first sample'
  const columns = [
    'fails at',
    age,
    'rate over what exists',
    'long window',
    'long rate',
    'failed of all',
    'target',
  ] as const
  const rows = tableOf(...columns, 'short window exists', 'fires at 14.4')
  const [tier] = standard('30d', 99.9)
  const computed = rows.map((row) => {
    const [when = '', since = '', existing = '', window = '', , failed = '', target = '', isShortWhole = ''] = row
    const [bad, total] = failed.split(' of ').map(Number)
    const existingRate = Number(existing)
    const rate = sixDigits(existingRate * known(shareOf(since, secondsOf(window))))
    const isBeyond = isBeyondChance(known(bad), (known(total) * (100 - Number(target))) / 100)
    const long = { rate, badEvents: null, partial: { existingRate, isBeyondChance: isBeyond } }
    const fires = tier ? isTierFiring(tier, long, isShortWhole === 'yes' ? existingRate : null) : unknown
    const read = fires === null ? 'unknown' : fires ? 'yes' : 'no'
    return [when, since, existing, window, written(rate), failed, target, isShortWhole, read]
  })
  expectRows(rows, computed)
})

function shareOf(age: string, seconds: number): number | null {
  const reach = { firstSeconds: -secondsOf(age), completeFromSeconds: -Infinity, isFilling: false }
  return existingShare(reach, -seconds, 0)
}

test('forecasts are those of slo-math.md', () => {
  const rows = tableOf('budget used', 'burn rate', 'window', "burned at the window's start", 'used up after')
  const computed = rows.map((row) => {
    const [used = '', rate = '', window = '', first = ''] = row
    const ownSeconds = windowSeconds(window as Window)
    const burnedFirst = /^(\d+) in the first (\d+) h$/.exec(first)
    const [, percent, hours] = (burnedFirst ?? ['', '0', '0']).map(Number)
    const points = Array.from({ length: 200 }, (_, n) => ((n + 1) * ownSeconds) / 200)
    const burned = points.map((afterSeconds) => {
      const reached = afterSeconds >= known(hours) * 3600 ? 1 : afterSeconds / (known(hours) * 3600)
      return { atSeconds: afterSeconds, percent: known(percent) * reached }
    })
    // Failures that are not at the window's start are at its end and leave it last.
    const last = burned.at(-1)
    if (last) last.percent = Number(used)
    const seconds = secondsToExhaustion({
      usedPercent: Number(used),
      burnRate: Number(rate),
      own: ownWindow({ time_window: window as SloWindow, time_zone: null }, ownSeconds),
      burned,
    })
    return [used, rate, window, first, seconds === null ? 'never' : `${seconds / 3600} h`]
  })
  expectRows(rows, computed)
})

test('budget calendars are those of slo-math.md', () => {
  const rows = tableOf(
    'budget used',
    'failed in the window',
    'bad that leaves on the first days',
    'gives_back',
    'remaining_after',
  )
  const endSeconds = 100 * day
  const computed = rows.map(([used = '', all = '', leaves = '']) => {
    let bad = 0
    const failed = leaves.split(', ').map((more, at) => {
      bad += Number(more)
      return { atSeconds: endSeconds - 30 * day + (at + 1) * day, bad }
    })
    failed.push({ atSeconds: endSeconds, bad: Number(all) })
    const use = {
      used: Number(used),
      targetPercent: 99.9,
      own: ownWindow({ time_window: '30d', time_zone: null }, endSeconds),
      failed,
    }
    const calendar = budgetCalendar(use)
    let left = 100 - Number(used)
    const days = leaves.split(', ').map((_, at) => {
      const row = calendar.find(({ startSeconds }) => startSeconds === endSeconds + at * day)
      left = row ? 100 - row.usedAfter : left
      return { back: row?.givesBack ?? 0, left }
    })
    const short = (value: number) => String(Number(value.toFixed(2)))
    return [
      used,
      all,
      leaves,
      days.map(({ back }) => short(back)).join(', '),
      days.map(({ left }) => short(left)).join(', '),
    ]
  })
  expectRows(rows, computed)
})

test('the worked numbers in the text are computed', () => {
  const sli = 100 * (1 - 1003 / 999_500)
  expect(page).toContain(`an SLI of ${sli.toFixed(8)} %`)
  expect(page).toContain(`and ${errorBudget(sli, 99.9).percentageUsed?.toFixed(7)} % of the budget`)
  expect(errorBudget(100 - 2500 / 100_000, 99.9)).toMatchObject({ used: 0.025, percentageUsed: 25 })
  expect((windowSeconds('30d') / 60) * (1 - 0.999)).toBeCloseTo(43.2)
})

test('the suggested target is that of slo-math.md', () => {
  const rows = tableOf('worst window', 'events', 'suggested target')
  const computed = rows.map(([worst = '', events = '']) => {
    const [total, share] = [Number(events), 1 - Number(worst) / 100]
    const counts = { good_events: Math.round(total * (1 - share)), total_events: total, window_seconds: 30 * day }
    const data = {
      windows: [
        {
          time_window: '30d',
          window_seconds: 2_592_000,
          whole_seconds: 2_592_000,
          sli: Number(worst),
          status_reason: null,
          status_message: null,
          query_metrics: counts,
        },
      ],
      steps: {
        start_time: '2026-10-23T00:00:00Z',
        end_time: '2026-11-22T00:00:00Z',
        step_seconds: 30 * day,
        counts_events: true,
        total: [total],
        bad: [total - counts.good_events],
      },
    }
    const { target } = suggestTarget(data, '30d', Number(worst))
    return [worst, events, target === null ? 'none' : String(target)]
  })
  expectRows(rows, computed)
})
